import HalcyonRaster
import Testing

@Suite("sharpening comes out as an unsharp mask computed exactly")
struct SharpeningTests {
    struct Parameters: CustomStringConvertible {
        var radius: Double
        var amount: Double
        var threshold = 0.0
        var description: String { "radius \(radius), amount \(amount), threshold \(threshold)" }
    }

    static let parameters = [
        Parameters(radius: 0.5, amount: 1), Parameters(radius: 1, amount: 0.5), Parameters(radius: 2, amount: 1.5),
        Parameters(radius: 2, amount: 1.5, threshold: 0.1), Parameters(radius: 1, amount: 3, threshold: 0.02),
        Parameters(radius: 3, amount: -0.7),
    ]

    /// Exact samples; `nil` where a difference is so close to the threshold that rounding decides.
    static func exact(_ bitmap: Bitmap, _ parameters: Parameters) -> [Double?] {
        let samples = bitmap.samples
        let blurred = ExactGaussian.blurred(bitmap, radius: parameters.radius)
        let peak: Double = bitmap.depth == .eight ? 255 : 65_535
        return samples.indices.map { index in
            let alpha = samples[index | 3]
            guard index % 4 < 3, alpha > 0 else { return samples[index] }
            let mean = blurred[index] / blurred[index | 3] * alpha
            let difference = samples[index] - mean
            let limit = parameters.threshold * alpha
            guard parameters.threshold == 0 || abs(abs(difference) - limit) > peak * 0.002 else { return nil }
            guard abs(difference) > limit else { return samples[index] }
            return min(max(samples[index] + difference * parameters.amount, 0), alpha)
        }
    }

    @Test("no sample is off by more than a level of 8 bits", arguments: parameters, FilterImage.allCases)
    func samples(parameters: Parameters, image: FilterImage) throws {
        for (depth, level) in [(SampleDepth.eight, 1.0), (.sixteen, 257)] {
            let bitmap = try image.bitmap(61, 47, depth: depth)
            let result = try bitmap.sharpened(
                radius: parameters.radius,
                amount: parameters.amount,
                threshold: parameters.threshold
            )
            let pairs = zip(result.samples, Self.exact(bitmap, parameters))
            let worst = pairs.map { sample, exact in exact.map { abs(sample - $0) } ?? 0 }.max() ?? .infinity
            // The blur leaves out what lies beyond three standard deviations, which the amount multiplies.
            #expect(worst <= level * max(1, abs(parameters.amount)), "\(depth): \(worst / level) levels")
            #expect(result.size == bitmap.size && result.depth == depth && result.isOpaque == bitmap.isOpaque)
        }
    }

    @Test("the edge of a shape of one colour gets no seam")
    func shape() throws {
        let bitmap = try Bitmap(40, 30) { x, y in x > 12 && y > 9 ? Pixel(90, 60, 30, 180) : Pixel(repeating: 0) }
        let wide = try bitmap.converted(to: .sixteen)
        #expect(try bitmap.sharpened(radius: 2, amount: 2).pixels == bitmap.pixels)
        let worst = zip(try wide.sharpened(radius: 2, amount: 2).samples, wide.samples).map { abs($0 - $1) }.max()
        #expect(try #require(worst) <= 257)
    }

    @Test("an even area stays as it is", arguments: [0.5, 2, 20])
    func evenArea(radius: Double) throws {
        let bitmap = try Bitmap(37, 23) { _, _ in Pixel(1, 77, 128, 200) }
        #expect(try bitmap.sharpened(radius: radius, amount: 5).pixels == bitmap.pixels)
    }

    @Test("of a single pixel changes nothing, and neither does no radius or no amount")
    func nothing() throws {
        let pixel = try Bitmap.noise(1, 1, seed: 91)
        #expect(try pixel.sharpened(radius: 3, amount: 2).pixels == pixel.pixels)
        let bitmap = try Bitmap.noise(9, 9, seed: 92)
        for (radius, amount) in [(0, 1), (-1, 1), (.nan, 1), (1, 0), (1, .nan)] {
            #expect(try bitmap.sharpened(radius: radius, amount: amount).buffer === bitmap.buffer)
        }
        #expect(try bitmap.sharpened(radius: 1, amount: 1, threshold: 1).pixels == bitmap.pixels)
    }

    @Test("amounts beyond all measure keep colours from 0 to alpha", arguments: [Double.infinity, -.infinity, 1e300])
    func greatAmounts(amount: Double) throws {
        #expect(try Bitmap.noise(21, 13, seed: 93).sharpened(radius: 1, amount: amount).isPremultiplied)
        let wide = try Bitmap.wideNoise(21, 13, seed: 94).sharpened(radius: 1, amount: amount)
        #expect(wide.widePixels.joined().allSatisfy { $0.x <= $0.w && $0.y <= $0.w && $0.z <= $0.w })
    }
}
