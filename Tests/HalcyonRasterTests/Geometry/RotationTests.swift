import HalcyonRaster
import Testing

@Suite("rotating an image by any angle")
struct RotationTests {
    static let sizes = [PixelSize(13, 9), PixelSize(1, 1), PixelSize(20, 3), PixelSize(1, 7), PixelSize(16, 16)]

    @Test(
        "interpolates, and covers the edges by the exact area",
        arguments: SampleDepth.allCases,
        [10.0, 45, 123, 200, 260]
    )
    func isExact(depth: SampleDepth, degrees: Double) throws {
        for (number, size) in Self.sizes.enumerated() {
            let isOpaque = number % 2 == 0
            let bitmap = try Bitmap.noise(size.width, size.height, seed: UInt64(number), isOpaque: isOpaque)
                .converted(to: depth)
            for (interpolation, expands) in [(Interpolation.bilinear, true), (.bicubic, true), (.bicubic, false)] {
                let background = expands ? nil : Color(red: 0.3, green: 0.9, blue: 0.1, alpha: 0.5)
                let result = try bitmap.rotated(
                    byDegrees: degrees,
                    expands: expands,
                    interpolation: interpolation,
                    background: background
                )
                #expect(expands || result.size == size)
                let exact = ExactRotation(
                    degrees: degrees,
                    isBicubic: interpolation == .bicubic,
                    background: background ?? .clear
                )
                let lines = depth == .eight ? 64 : 1_024
                let expected = exact.samples(of: bitmap, size: result.size, lines: lines)
                let differences = zip(result.samples, expected).map { abs($0 - $1) }
                #expect((differences.max() ?? .infinity) <= 1, "\(size), \(interpolation)")
                #expect(try !result.isOpaque && result.converted(to: .eight).isPremultiplied)
            }
        }
    }

    @Test("makes room for the whole image, and no more", arguments: [0.0, 17, 45, 90, 133, 180, 270, 300, 360])
    func room(degrees: Double) throws {
        let white = try Bitmap(31, 17, isOpaque: true) { _, _ in Pixel(repeating: 255) }
        let result = try white.rotated(byDegrees: degrees)
        let area = result.pixels.joined().reduce(0) { $0 + Double($1.w) / 255 }
        #expect(abs(area - 31 * 17) < 0.5)
        // Each side has a pixel that shows something of the image.
        #expect(result.pixels.first?.contains { $0.w > 0 } == true && result.pixels.last?.contains { $0.w > 0 } == true)
        #expect(result.pixels.contains { $0[0].w > 0 } && result.pixels.contains { $0[result.width - 1].w > 0 })
    }

    @Test(
        "by quarter turns moves pixels",
        arguments: [(90.0, Orientation.right), (-90, .left), (180, .down), (450, .right), (720, .up), (-540, .down)]
    )
    func quarterTurns(degrees: Double, orientation: Orientation) throws {
        let bitmap = try Bitmap.noise(14, 9, seed: 6)
        #expect(try bitmap.rotated(byDegrees: degrees).pixels == bitmap.oriented(orientation).pixels)
        let square = try Bitmap.noise(9, 9, seed: 7)
        #expect(try square.rotated(byDegrees: degrees, expands: false).pixels == square.oriented(orientation).pixels)
        let opaque = try bitmap.rotated(byDegrees: degrees, background: .white)
        #expect(opaque.isOpaque && opaque.hasOpaquePixelsOnly)
    }

    @Test("turns clockwise")
    func direction() throws {
        // A column at the right end comes to the bottom.
        let bitmap = try Bitmap(21, 21) { x, _ in Pixel(repeating: x > 17 ? 255 : 0) }
        let result = try bitmap.rotated(byDegrees: 80, expands: false)
        #expect(result.pixel(10, 19).w > 200 && result.pixel(10, 1).w == 0)
    }

    @Test("by an angle that is none changes nothing", arguments: [Double.nan, .infinity, -.infinity, 0, 1e-300])
    func noAngle(degrees: Double) throws {
        let bitmap = try Bitmap.noise(7, 4, seed: 8)
        #expect(try bitmap.rotated(byDegrees: degrees).pixels == bitmap.pixels)
    }

    @Test("keeps an even colour even", arguments: Interpolation.allCases)
    func evenColor(interpolation: Interpolation) throws {
        let color = Pixel(30, 90, 200, 255)
        let bitmap = try Bitmap(40, 40, isOpaque: true) { _, _ in color }
        let result = try bitmap.rotated(byDegrees: 33, expands: false, interpolation: interpolation)
        #expect(result.pixels.joined().filter { $0.w == 255 }.allSatisfy { $0 == color })
    }
}
