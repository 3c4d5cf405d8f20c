import Glibc
import HalcyonRaster
import Testing

@Suite("resampling comes out as Lanczos-3 computed exactly")
struct ResamplingQualityTests {
    /// Source and destination: smaller, larger, one side each way, odd sizes, single pixels, lines, nearly the same.
    static let sizes: [(PixelSize, PixelSize)] = [
        (PixelSize(160, 120), PixelSize(40, 30)),
        (PixelSize(160, 120), PixelSize(98, 73)),
        (PixelSize(161, 97), PixelSize(37, 11)),
        (PixelSize(61, 47), PixelSize(150, 113)),
        (PixelSize(97, 31), PixelSize(41, 83)),
        (PixelSize(40, 50), PixelSize(41, 49)),
        (PixelSize(1, 1), PixelSize(7, 5)),
        (PixelSize(1, 64), PixelSize(3, 9)),
        (PixelSize(64, 1), PixelSize(9, 3)),
        (PixelSize(2, 3), PixelSize(33, 17)),
        (PixelSize(120, 90), PixelSize(1, 1)),
        (PixelSize(300, 2), PixelSize(7, 1)),
    ]

    // Rounding to 8 bits alone leaves 10 * log10(255² * 12) = 58.9 dB.
    @Test("noise, the hardest image, keeps at least 55 dB", arguments: sizes, [true, false])
    func noiseIsResampledExactly(sizes: (PixelSize, PixelSize), isOpaque: Bool) throws {
        let (from, to) = sizes
        let bitmap = try Bitmap.noise(from.width, from.height, seed: 11, isOpaque: isOpaque)
        let result = try bitmap.resampled(to: to)
        let exact = ExactLanczos.resampled(bitmap, to: to)
        let ratio = ExactLanczos.peakSignalToNoiseRatio(result, exact)
        #expect(ratio >= 55, "\(from) to \(to): \(ratio) dB")
        #expect(result.size == to)
        #expect(result.isOpaque == isOpaque)
    }

    @Test("no sample is off by more than rounding and the last fractional bits can explain")
    func noSampleIsFarOff() throws {
        let bitmap = try Bitmap.noise(150, 110, seed: 12)
        for to in [PixelSize(43, 31), PixelSize(149, 111), PixelSize(211, 150)] {
            let exact = ExactLanczos.resampled(bitmap, to: to)
            let samples = try bitmap.resampled(to: to).pixels.joined().flatMap { [$0.x, $0.y, $0.z, $0.w] }
            let worst = zip(samples, exact).map { abs(Double($0) - $1) }.max() ?? .infinity
            #expect(worst < 0.6, "\(to): \(worst) levels")
        }
    }

    @Test("a smooth image with alpha keeps at least 58 dB")
    func smoothImageIsResampledExactly() throws {
        let bitmap = try Bitmap(200, 150) { x, y in
            let alpha = 127.5 + 127.4 * sin(Double(x) / 17) * cos(Double(y) / 13)
            let red = alpha * Double(x) / 200
            let green = alpha * Double(y) / 150
            return Pixel(UInt8(red), UInt8(green), UInt8(alpha / 2), UInt8(alpha))
        }
        for to in [PixelSize(50, 37), PixelSize(133, 100), PixelSize(301, 201)] {
            let exact = ExactLanczos.resampled(bitmap, to: to)
            let ratio = ExactLanczos.peakSignalToNoiseRatio(try bitmap.resampled(to: to), exact)
            #expect(ratio >= 58, "\(to): \(ratio) dB")
        }
    }
}
