import Glibc
import HalcyonRaster
import Testing

@Suite("resampling in linear light comes out as computed exactly")
struct LinearLightTests {
    static let sizes = [
        (PixelSize(61, 47), PixelSize(20, 15)), (PixelSize(61, 47), PixelSize(90, 71)),
        (PixelSize(40, 50), PixelSize(41, 49)), (PixelSize(33, 1), PixelSize(7, 4)), (PixelSize(1, 1), PixelSize(3, 5)),
        (PixelSize(30, 40), PixelSize(1, 1)),
    ]

    static func decoded(_ sample: Double) -> Double {
        sample <= 0.040_45 ? sample / 12.92 : pow((sample + 0.055) / 1.055, 2.4)
    }

    static func encoded(_ light: Double) -> Double {
        light <= 0.003_130_8 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
    }

    /// The triangle, whose weights are quickly written down.
    static func weights(from source: Int, to destination: Int) -> [[(index: Int, weight: Double)]] {
        let scale = Double(source) / Double(destination)
        let stretch = max(1, scale)
        return (0..<destination).map { o in
            let all = (0..<source).map { i in
                (index: i, weight: max(0, 1 - abs(Double(i) + 0.5 - (Double(o) + 0.5) * scale) / stretch))
            }
            let sum = all.reduce(0) { $0 + $1.weight }
            return all.filter { $0.weight > 0 }.map { ($0.index, $0.weight / sum) }
        }
    }

    /// Unrounded samples, four a pixel.
    static func exact(_ bitmap: Bitmap, to size: PixelSize) -> [Double] {
        let peak: Double = bitmap.depth == .eight ? 255 : 65_535
        let samples = bitmap.samples
        func light(_ x: Int, _ y: Int) -> SIMD4<Double> {
            let first = (y * bitmap.width + x) * 4
            let alpha = samples[first + 3]
            guard alpha > 0 else { return .zero }
            let color = (0..<3).map { decoded(samples[first + $0] / alpha) * alpha / peak }
            return SIMD4(color[0], color[1], color[2], alpha / peak)
        }
        let columns = weights(from: bitmap.width, to: size.width)
        var result: [Double] = []
        for row in weights(from: bitmap.height, to: size.height) {
            for column in columns {
                var sum = SIMD4<Double>.zero
                for (y, rowWeight) in row {
                    for (x, weight) in column { sum += light(x, y) * rowWeight * weight }
                }
                result += (0..<3).map { sum.w > 0 ? encoded(min(sum[$0] / sum.w, 1)) * sum.w * peak : 0 }
                result.append(sum.w * peak)
            }
        }
        return result
    }

    @Test("no sample is off by more than a level", arguments: sizes, [FilterImage.noise, .opaqueNoise, .stripes])
    func samples(sizes: (PixelSize, PixelSize), image: FilterImage) throws {
        let (from, to) = sizes
        for depth in SampleDepth.allCases {
            let bitmap = try image.bitmap(from.width, from.height, depth: depth)
            let result = try bitmap.resampledInLinearLight(to: to, filter: .bilinear)
            let worst = zip(result.samples, Self.exact(bitmap, to: to)).map { abs($0 - $1) }.max() ?? .infinity
            #expect(worst <= 1, "\(depth): \(worst) levels")
            #expect(result.size == to && result.depth == depth && result.isOpaque == bitmap.isOpaque)
            #expect(!bitmap.isOpaque || !result.containsTransparency())
        }
    }

    @Test("a fine checkerboard has the brightness of half the light, not of half the sample")
    func brightness() throws {
        let bitmap = try Bitmap(64, 64, isOpaque: true) { x, y in
            (x + y) % 2 == 0 ? Pixel(repeating: 255) : Pixel(0, 0, 0, 255)
        }
        let linear = try bitmap.resampledInLinearLight(to: PixelSize(16, 16), filter: .box)
        #expect(linear.pixels.joined().allSatisfy { $0 == Pixel(188, 188, 188, 255) })
        let encoded = try bitmap.resampled(to: PixelSize(16, 16), filter: .box)
        #expect(encoded.pixels.joined().allSatisfy { $0 == Pixel(128, 128, 128, 255) })
    }

    @Test("every level stays as it is", arguments: ResamplingFilter.allCases)
    func evenAreas(filter: ResamplingFilter) throws {
        for level in UInt8.min...UInt8.max {
            let pixel = Pixel(level, 255 - level, level / 2, 255)
            let bitmap = try Bitmap(5, 4, isOpaque: true) { _, _ in pixel }
            let result = try bitmap.resampledInLinearLight(to: PixelSize(3, 7), filter: filter)
            #expect(result.pixels.joined().allSatisfy { $0 == pixel })
        }
    }

    @Test("no colour comes out above its alpha", arguments: ResamplingFilter.allCases)
    func alpha(filter: ResamplingFilter) throws {
        for to in [PixelSize(61, 27), PixelSize(13, 90)] {
            #expect(try Bitmap.noise(40, 40, seed: 96).resampledInLinearLight(to: to, filter: filter).isPremultiplied)
        }
    }
}
