import HalcyonRaster
import Testing

@Suite("resampling of 16 bits a sample comes out as Lanczos-3 computed exactly")
struct WideResamplingTests {
    // Weights have 15 bits beyond the largest of them; 90 dB is a sixth of what 8 bits could show.
    @Test("noise keeps at least 90 dB", arguments: ResamplingQualityTests.sizes, [true, false])
    func noiseIsResampledExactly(sizes: (PixelSize, PixelSize), isOpaque: Bool) throws {
        let (from, to) = sizes
        let bitmap = try Bitmap.wideNoise(from.width, from.height, seed: 31, isOpaque: isOpaque)
        let result = try bitmap.resampled(to: to)
        let exact = ExactLanczos.resampled(bitmap, to: to)
        let ratio = ExactLanczos.peakSignalToNoiseRatio(result, exact)
        #expect(ratio >= 90, "\(from) to \(to): \(ratio) dB")
        #expect(result.size == to)
        #expect(result.depth == .sixteen)
        #expect(result.isOpaque == isOpaque)
        #expect(!isOpaque || !result.containsTransparency())
    }

    @Test("an even area stays as it is", arguments: ResamplingFilter.allCases)
    func evenArea(filter: ResamplingFilter) throws {
        let pixel = WidePixel(12_345, 40_000, 1, 54_321)
        let bitmap = try Bitmap(wide: 37, 23) { _, _ in pixel }
        for size in [PixelSize(9, 50), PixelSize(74, 5), PixelSize(36, 24)] {
            let result = try bitmap.resampled(to: size, filter: filter)
            #expect(result.widePixels.joined().allSatisfy { $0 == pixel })
        }
    }

    @Test("no colour comes out above its alpha", arguments: ResamplingFilter.allCases)
    func coloursStayBelowAlpha(filter: ResamplingFilter) throws {
        let bitmap = try Bitmap.wideNoise(40, 40, seed: 32)
        let result = try bitmap.resampled(to: PixelSize(61, 27), filter: filter)
        #expect(result.widePixels.joined().allSatisfy { $0.x <= $0.w && $0.y <= $0.w && $0.z <= $0.w })
    }

    @Test("cancelled between rows")
    func cancellation() throws {
        let bitmap = try Bitmap.wideNoise(20, 20, seed: 33)
        for filter in [ResamplingFilter.lanczos3, .nearest] {
            #expect(throws: CancellationError.self) {
                try bitmap.resampled(to: PixelSize(10, 10), filter: filter) { true }
            }
        }
    }
}
