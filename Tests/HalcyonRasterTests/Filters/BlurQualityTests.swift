import HalcyonRaster
import Testing

@Suite("blur comes out as a Gaussian computed exactly")
struct BlurQualityTests {
    /// On both sides of the radius at which images begin to be reduced, of the factors, and of the second reduction.
    static let radii = [0.5, 0.8, 1, 2, 3, 4.5, 4.7, 6, 8.5, 10, 13, 20, 40, 100]
    /// An odd width, of which no vector is a part; single pixels and lines.
    static let smallSizes = [PixelSize(61, 47), PixelSize(1, 1), PixelSize(33, 1), PixelSize(1, 50), PixelSize(3, 2)]

    @Test("at least 50 dB, whatever the radius and the image", arguments: radii, FilterImage.allCases)
    func ratio(radius: Double, image: FilterImage) throws {
        for depth in SampleDepth.allCases {
            let bitmap = try image.bitmap(61, 43, depth: depth)
            let result = try bitmap.blurred(radius: radius)
            let exact = ExactGaussian.blurred(bitmap, radius: radius)
            let ratio = ExactLanczos.peakSignalToNoiseRatio(result, exact)
            #expect(ratio >= 50, "\(depth): \(ratio) dB")
            #expect(result.size == bitmap.size && result.depth == depth && result.isOpaque == bitmap.isOpaque)
            #expect(!bitmap.isOpaque || !result.containsTransparency())
        }
    }

    @Test("of small and odd sizes as well", arguments: smallSizes, [0.7, 3, 7, 50])
    func smallImages(size: PixelSize, radius: Double) throws {
        for depth in SampleDepth.allCases {
            let bitmap = try FilterImage.noise.bitmap(size.width, size.height, depth: depth)
            let exact = ExactGaussian.blurred(bitmap, radius: radius)
            let ratio = ExactLanczos.peakSignalToNoiseRatio(try bitmap.blurred(radius: radius), exact)
            #expect(ratio >= 50, "\(depth): \(ratio) dB")
        }
    }

    @Test("goes on seamlessly from strip to strip", arguments: [1.5, 4])
    func strips(radius: Double) throws {
        // Strips end after 512 and 1,024 columns.
        let bitmap = try Bitmap.noise(1_040, 9, seed: 65)
        let result = try bitmap.blurred(radius: radius)
        let exact = ExactGaussian.blurred(bitmap, radius: radius)
        let worst = zip(result.samples, exact).map { abs($0 - $1) }.max() ?? .infinity
        #expect(worst < 1)
    }
}
