import HalcyonRaster
import Testing

@Suite("straight and premultiplied samples of 16 bits")
struct WideConversionTests {
    @Test("colours are multiplied by alpha, rounded to nearest")
    func premultiplying() throws {
        var random = SplitMix(seed: 20)
        var straight = (0..<4_000).map { _ in UInt16(truncatingIfNeeded: random.next()) }
        straight[3] = 65_535
        straight[7] = 0
        let bitmap = try straight.withUnsafeBytes {
            try Bitmap(premultiplying16: $0, size: PixelSize(100, 10))
        }
        #expect(bitmap.depth == .sixteen)
        #expect(!bitmap.isOpaque)
        let expected = straight.indices.map { index in
            index % 4 == 3
                ? Double(straight[index])
                : (Double(straight[index]) * Double(straight[index | 3]) / 65_535).rounded()
        }
        #expect(bitmap.samples == expected)
    }

    @Test("opaque pixels make an opaque bitmap")
    func opaque() throws {
        let straight = [UInt16](repeating: 65_535, count: 4 * 21)
        let bitmap = try straight.withUnsafeBytes { try Bitmap(premultiplying16: $0, size: PixelSize(7, 3)) }
        #expect(bitmap.isOpaque)
    }

    @Test("too few bytes are refused")
    func tooFewBytes() {
        let bytes = [UInt8](repeating: 0, count: 8 * 6 - 1)
        #expect(throws: BitmapError.tooFewBytes(expected: 48, actual: 47)) {
            try bytes.withUnsafeBytes { _ = try Bitmap(premultiplying16: $0, size: PixelSize(3, 2)) }
        }
    }

    @Test("colours are divided by alpha, rounded to nearest, and 0 where alpha is", arguments: [true, false])
    func unpremultiplying(isOpaque: Bool) throws {
        let bitmap = try Bitmap.wideNoise(50, 20, seed: 21, isOpaque: isOpaque)
        let expected = bitmap.widePixels.joined().flatMap { pixel -> [UInt16] in
            guard pixel.w > 0 else { return [0, 0, 0, 0] }
            let alpha = UInt32(pixel.w)
            func divided(_ color: UInt16) -> UInt16 { UInt16((UInt32(color) * 65_535 + alpha / 2) / alpha) }
            return [divided(pixel.x), divided(pixel.y), divided(pixel.z), pixel.w]
        }
        #expect(bitmap.straightRGBA16() == expected)
        #expect(bitmap.straightRGBA() == expected.map { UInt8((Double($0) / 257).rounded()) })
    }

    @Test("of 8 bits, straight samples of 16 bits divide more finely", arguments: [true, false])
    func straightSixteenOfEight(isOpaque: Bool) throws {
        let bitmap = try Bitmap.noise(40, 10, seed: 22, isOpaque: isOpaque)
        #expect(try bitmap.straightRGBA16() == bitmap.converted(to: .sixteen).straightRGBA16())
    }
}
