import HalcyonRaster
import Testing

@Suite("resampling keeps what must not change")
struct ResamplingInvariantTests {
    /// Random pairs of sizes, single rows and columns among them.
    static func randomSizes(count: Int, seed: UInt64) -> [(PixelSize, PixelSize)] {
        var random = SplitMix(seed: seed)
        func side() -> Int {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: 1
            case 1: Int.random(in: 2...4, using: &random)
            default: Int.random(in: 5...90, using: &random)
            }
        }
        return (0..<count).map { _ in (PixelSize(side(), side()), PixelSize(side(), side())) }
    }

    @Test("no colour ends above its alpha", arguments: ResamplingFilter.allCases)
    func coloursStayWithinAlpha(filter: ResamplingFilter) throws {
        for (index, (from, to)) in Self.randomSizes(count: 40, seed: 21).enumerated() {
            let bitmap = try Bitmap.noise(from.width, from.height, seed: UInt64(index))
            let result = try bitmap.resampled(to: to, filter: filter)
            #expect(result.isPremultiplied, "\(from) to \(to)")
        }
    }

    @Test("an opaque image stays opaque", arguments: ResamplingFilter.allCases)
    func opaqueStaysOpaque(filter: ResamplingFilter) throws {
        for (index, (from, to)) in Self.randomSizes(count: 40, seed: 22).enumerated() {
            let bitmap = try Bitmap.noise(from.width, from.height, seed: UInt64(index), isOpaque: true)
            let result = try bitmap.resampled(to: to, filter: filter)
            #expect(result.isOpaque)
            #expect(result.hasOpaquePixelsOnly, "\(from) to \(to)")
        }
    }

    @Test("an even image stays exactly as it is", arguments: ResamplingFilter.allCases)
    func evenImageStays(filter: ResamplingFilter) throws {
        let colours = [Pixel(0, 0, 0, 0), Pixel(255, 255, 255, 255), Pixel(200, 100, 1, 255), Pixel(3, 77, 12, 78)]
        for (index, (from, to)) in Self.randomSizes(count: 40, seed: 23).enumerated() {
            let colour = colours[index % colours.count]
            let result = try Bitmap(from.width, from.height) { _, _ in colour }.resampled(to: to, filter: filter)
            #expect(result.pixels.allSatisfy { $0.allSatisfy { $0 == colour } }, "\(from) to \(to)")
        }
    }

    @Test("a long side shrinks to one pixel, its average under the box filter")
    func longSideShrinksToOnePixel() throws {
        let bitmap = try Bitmap(4_096, 1, isOpaque: true) { x, _ in Pixel(x % 2 == 0 ? 255 : 0, 0, UInt8(x / 16), 255) }
        let average = try bitmap.resampled(to: PixelSize(1, 1), filter: .box).pixel(0, 0)
        #expect(
            average == Pixel(128, 0, 128, 255) || average == Pixel(127, 0, 127, 255)
                || average == Pixel(128, 0, 127, 255)
        )
        let lanczos = try bitmap.resampled(to: PixelSize(1, 1)).pixel(0, 0)
        #expect(abs(Int(lanczos.x) - 128) <= 1 && lanczos.w == 255)
    }

    @Test("the box filter averages whole blocks")
    func boxAveragesBlocks() throws {
        let bitmap = try Bitmap.noise(12, 8, seed: 5)
        let result = try bitmap.resampled(to: PixelSize(3, 4), filter: .box)
        for y in 0..<4 {
            for x in 0..<3 {
                var sum = SIMD4<Int>()
                for v in 0..<2 {
                    for u in 0..<4 { sum &+= SIMD4<Int>(truncatingIfNeeded: bitmap.pixel(x * 4 + u, y * 2 + v)) }
                }
                let average = sum &* 2 &+ 8
                #expect(result.pixel(x, y) == Pixel(truncatingIfNeeded: average / 16))
            }
        }
    }

    @Test("the nearest filter invents no pixel, and enlarging by a whole factor repeats each")
    func nearestRepeatsPixels() throws {
        let bitmap = try Bitmap.noise(5, 4, seed: 6)
        let enlarged = try bitmap.resampled(to: PixelSize(15, 8), filter: .nearest)
        for y in 0..<8 {
            for x in 0..<15 { #expect(enlarged.pixel(x, y) == bitmap.pixel(x / 3, y / 2)) }
        }
        let shrunk = try bitmap.resampled(to: PixelSize(2, 1), filter: .nearest)
        #expect(shrunk.pixels == [[bitmap.pixel(1, 2), bitmap.pixel(3, 2)]])
    }

    @Test("a mirrored image resamples to the mirrored result", arguments: ResamplingFilter.allCases)
    func mirroringCommutes(filter: ResamplingFilter) throws {
        guard filter != .nearest, filter != .box else { return }
        let bitmap = try Bitmap.noise(53, 41, seed: 7)
        for to in [PixelSize(20, 15), PixelSize(70, 90)] {
            let first = try bitmap.oriented(.down).resampled(to: to, filter: filter).pixels.joined()
            let second = try bitmap.resampled(to: to, filter: filter).oriented(.down).pixels.joined()
            // Weights are rounded from one end to the other, so a sample may fall to either side of a half.
            let differences = zip(first, second).map {
                SIMD4<Int>(truncatingIfNeeded: $0) &- SIMD4<Int>(truncatingIfNeeded: $1)
            }
            #expect(differences.allSatisfy { $0.max() <= 1 && $0.min() >= -1 })
        }
    }

    @Test("the same size gives the same pixels", arguments: ResamplingFilter.allCases)
    func sameSizeIsIdentity(filter: ResamplingFilter) throws {
        let bitmap = try Bitmap.noise(19, 13, seed: 8)
        #expect(try bitmap.resampled(to: bitmap.size, filter: filter).pixels == bitmap.pixels)
        // One side alone keeps its size: its pass must be the identity, but for limits of the other one.
        let narrower = try bitmap.resampled(to: PixelSize(7, 13), filter: filter)
        let rows = try (0..<13).map { y in
            try bitmap.cropped(to: PixelRect(x: 0, y: y, width: 19, height: 1)).resampled(
                to: PixelSize(7, 1),
                filter: filter
            )
        }
        #expect(narrower.pixels == rows.map { $0.pixels[0] })
    }

    @Test("sizes without pixels or out of range are refused")
    func invalidSizesAreRefused() throws {
        let bitmap = try Bitmap.noise(4, 4, seed: 9)
        for size in [PixelSize(0, 4), PixelSize(4, -1), PixelSize(Int.max, 1), PixelSize(1 << 27, 1)] {
            #expect(throws: BitmapError.invalidSize(size)) { try bitmap.resampled(to: size) }
        }
        #expect(throws: BitmapError.self) { try bitmap.resampled(to: PixelSize(1 << 26, 1 << 26)) }
    }
}
