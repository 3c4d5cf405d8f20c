import Testing

@testable import HalcyonRaster

/// Lines of so many pixels that the weights of a filter would take more memory than the image.
@Suite("Very long lines")
struct LongLineTests {
    private let filters = ResamplingFilter.allCases.filter { $0 != .nearest }

    /// Blocks of different colours, ten for each pixel of a result of 100, and noise on them.
    private func line(_ length: Int, isUpright: Bool = false, depth: SampleDepth = .eight) throws -> Bitmap {
        var random = SplitMix(seed: 5)
        let colors = (0..<1_000).map { _ in UInt8.random(in: 20...235, using: &random) }
        let bitmap = try Bitmap(isUpright ? 1 : length, isUpright ? length : 1) { x, y in
            let place = max(x, y)
            let color = colors[place * 1_000 / length] &+ UInt8(truncatingIfNeeded: place &* 7 & 15)
            return Pixel(color, color / 2, 255 - color, 255)
        }
        return try bitmap.converted(to: depth)
    }

    private func greatestDifference(_ bitmap: Bitmap, _ exact: [Double]) -> Double {
        zip(bitmap.samples, exact).reduce(0) { max($0, abs($1.0 - $1.1)) }
    }

    @Test("become what the filter makes of them", arguments: zip(SampleDepth.allCases, [true, false]))
    func reduction(depth: SampleDepth, isUpright: Bool) throws {
        func size(_ length: Int) -> PixelSize { isUpright ? PixelSize(1, length) : PixelSize(length, 1) }
        let long = try Bitmap(size: size(103_000))
        #expect(long.boxReducedSize(for: size(100), filter: .lanczos3) == size(6_400))
        #expect(try long.resampled(to: size(100)).size == size(100))
        // The same steps with fewer pixels, which are computed exactly in no time.
        let bitmap = try line(8_197, isUpright: isUpright, depth: depth)
        let means = try bitmap.reducedByBoxes(to: size(512), isInLinearLight: false) { false }
        let exact = ExactLanczos.resampled(bitmap, to: size(8))
        #expect(greatestDifference(try means.resampled(to: size(8)), exact) <= (depth == .eight ? 1 : 150))
        let lightMeans = try bitmap.reducedByBoxes(to: size(512), isInLinearLight: true) { false }
        let light = try lightMeans.resampledInLinearLight(to: size(8)).converted(to: depth)
        let exactLight = try bitmap.resampledInLinearLight(to: size(8))
        #expect(greatestDifference(light, exactLight.samples) <= (depth == .eight ? 1 : 150))
    }

    @Test("are made piece by piece, to the same pixels as their parts", arguments: SampleDepth.allCases)
    func pieces(depth: SampleDepth) throws {
        let bitmap = try line(90_000, depth: depth)
        for filter in [ResamplingFilter.lanczos3, .box] {
            for size in [PixelSize(70_000, 1), PixelSize(110_000, 2), PixelSize(1_500, 1)] {
                let whole = try bitmap.resampled(to: size, filter: filter)
                let light = try bitmap.resampledInLinearLight(to: size, filter: filter)
                for x in [0, size.width / 3, size.width - 40] {
                    let rect = PixelRect(x: x, y: 0, width: 40, height: size.height)
                    let part = try bitmap.resampled(to: size, part: rect, filter: filter)
                    #expect(try part.samples == whole.cropped(to: rect).samples, "\(filter), \(size), \(x)")
                    let lightPart = try bitmap.resampledInLinearLight(to: size, part: rect, filter: filter)
                    #expect(try lightPart.samples == light.cropped(to: rect).samples, "\(filter), \(size), \(x)")
                }
            }
        }
        // The first and the last pixels, which need few of the source's.
        let size = PixelSize(70_000, 1)
        let whole = try bitmap.resampled(to: size)
        for (source, result) in [(0, 0), (89_100, 69_300)] {
            let rect = PixelRect(x: source, y: 0, width: 900, height: 1)
            let exact = ExactLanczos.resampled(try bitmap.cropped(to: rect), to: PixelSize(700, 1))
            let samples = try whole.cropped(to: PixelRect(x: result, y: 0, width: 700, height: 1)).samples
            let inner = (20 * 4)..<(680 * 4)
            let difference = inner.reduce(0) { max($0, abs(samples[$1] - exact[$1])) }
            #expect(difference <= (depth == .eight ? 1 : 40), "\(difference) from \(source)")
        }
    }

    @Test("get a frame in the pass that scales them, as in one of its own")
    func frame() throws {
        let bitmap = try line(90_000)
        // Rows without padding, so that all bytes can be compared.
        let size = PixelSize(70_000, 3)
        var pass = BitmapPass(over: bitmap.size)
        _ = pass.scale(to: size)
        pass.add(ImageFrame(radii: CornerRadii(1.5)))
        let joined = try bitmap.applying(pass)
        let steps = try bitmap.resampled(to: size).roundingCorners(CornerRadii(1.5))
        #expect(joined.bytesPerRow == size.width * 4 && joined.pixel(0, 0).w < 255 && !joined.isOpaque)
        #expect(joined.withUnsafeBytes { bytes in steps.withUnsafeBytes { bytes.elementsEqual($0) } })
    }

    @Test("keep an even colour and their opacity, at any size")
    func evenColor() throws {
        let pixel = Pixel(10, 200, 77, 255)
        let bitmap = try Bitmap(102_401, 1, isOpaque: true) { _, _ in pixel }
        for size in [PixelSize(7, 1), PixelSize(100, 3), PixelSize(80_000, 1)] {
            var results = try filters.map { try bitmap.resampled(to: size, filter: $0) }
            results.append(try bitmap.resampledInLinearLight(to: size))
            for result in results {
                let places = stride(from: 0, to: size.width, by: size.width > 100 ? 97 : 1)
                #expect(result.isOpaque && places.allSatisfy { result.pixel($0, size.height - 1) == pixel })
            }
        }
    }

    @Test("are reduced in memory that the result decides")
    func memory() throws {
        for size in [PixelSize(20_000_000, 1), PixelSize(1, 20_000_000)] {
            // Memory that is not touched takes none.
            let bitmap = try Bitmap(uninitialized: size, isOpaque: true)
            for target in [PixelSize(100, 1), PixelSize(1, 100), PixelSize(1, 1)] {
                #expect(bitmap.resamplingByteCount(to: target, part: PixelRect(size: target)) == 0)
            }
            let most = bitmap.resamplingByteCount(to: PixelSize(17_000_000, 1), part: PixelRect(size: size))
            #expect(most < 64 << 20)
        }
        let pixel = try Bitmap(size: PixelSize(1, 1))
        let line = PixelSize(60_000_000, 1)
        #expect(pixel.resamplingByteCount(to: line, part: PixelRect(size: line)) < 16 << 20)
        #expect(pixel.linearLightByteCount(to: line, part: line, filter: .lanczos3) < 16 << 20)
    }

    @Test("ask often whether the work is cancelled")
    func cancellation() throws {
        let bitmap = try Bitmap(size: PixelSize(8_000_000, 1), isOpaque: true)
        for size in [PixelSize(100, 1), PixelSize(400_000, 1)] {
            var questions = 0
            #expect(throws: CancellationError.self) {
                try bitmap.resampled(to: size) {
                    questions += 1
                    return questions == 5
                }
            }
            #expect(questions == 5)
        }
    }

    @Test("of a result are made piece by piece as well, by every filter", arguments: ResamplingFilter.allCases)
    func enlargement(filter: ResamplingFilter) throws {
        let bitmap = try Bitmap(2, 1) { x, _ in x == 0 ? Pixel(0, 0, 0, 255) : Pixel(255, 255, 255, 255) }
        let row = try bitmap.resampled(to: PixelSize(150_000, 1), filter: filter).pixels[0]
        #expect(row[0].x == 0 && row[149_999].x == 255)
        // Values rise over the middle, without a step back where two pieces meet.
        #expect((60_000..<90_000).allSatisfy { row[$0].x <= row[$0 + 1].x })
        var questions = 0
        _ = try bitmap.resampled(to: PixelSize(150_000, 1), filter: filter) {
            questions += 1
            return false
        }
        #expect(questions > 1)
    }
}
