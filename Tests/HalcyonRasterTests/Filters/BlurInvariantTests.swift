import HalcyonRaster
import Testing

@Suite("blur")
struct BlurInvariantTests {
    @Test("leaves an even area as it is", arguments: [0.5, 2, 4.5, 5, 17, 60, 1_000])
    func evenArea(radius: Double) throws {
        let pixel = Pixel(1, 77, 128, 200)
        let bitmap = try Bitmap(37, 23) { _, _ in pixel }
        #expect(try bitmap.blurred(radius: radius).pixels.joined().allSatisfy { $0 == pixel })
        let widePixel = WidePixel(1, 12_345, 40_000, 54_321)
        let wide = try Bitmap(wide: 37, 23) { _, _ in widePixel }
        #expect(try wide.blurred(radius: radius).widePixels.joined().allSatisfy { $0 == widePixel })
    }

    @Test("puts no colour above its alpha, and keeps an opaque image opaque", arguments: [0.5, 2, 4.5, 5, 17, 60])
    func alpha(radius: Double) throws {
        #expect(try Bitmap.noise(53, 31, seed: 71).blurred(radius: radius).isPremultiplied)
        let wide = try Bitmap.wideNoise(53, 31, seed: 72).blurred(radius: radius)
        #expect(wide.widePixels.joined().allSatisfy { $0.x <= $0.w && $0.y <= $0.w && $0.z <= $0.w })
        for depth in SampleDepth.allCases {
            let opaque = try FilterImage.opaqueNoise.bitmap(53, 31, depth: depth).blurred(radius: radius)
            #expect(opaque.isOpaque && !opaque.containsTransparency())
        }
    }

    @Test("with no radius gives the same pixels at no cost", arguments: [0, -1, .nan, -.infinity, 0.01])
    func noRadius(radius: Double) throws {
        let bitmap = try Bitmap.noise(9, 9, seed: 73)
        #expect(try bitmap.blurred(radius: radius).buffer === bitmap.buffer)
    }

    @Test("with a radius of more than 1,000 is one of 1,000", arguments: [1_001, 1e300, .infinity])
    func greatestRadius(radius: Double) throws {
        let bitmap = try Bitmap.noise(40, 30, seed: 74)
        #expect(try bitmap.blurred(radius: radius).pixels == bitmap.blurred(radius: 1_000).pixels)
    }

    @Test("grows with the radius", arguments: [0.3, 0.5, 0.7, 1, 1.5, 2, 4.5, 4.8, 6, 10, 20])
    func strength(radius: Double) throws {
        let bitmap = try FilterImage.edges.bitmap(64, 64, depth: .sixteen)
        func contrast(_ radius: Double) throws -> Double {
            try bitmap.blurred(radius: radius).samples.enumerated().lazy
                .filter { $0.offset % 4 == 0 }.map { 65_535 - $0.element }.max() ?? 0
        }
        #expect(try contrast(radius * 1.2) < contrast(radius))
    }
}
