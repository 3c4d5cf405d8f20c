import Glibc
import HalcyonRaster
import Testing

@Suite("colour adjustments")
struct ColorAdjustmentTests {
    static let adjustments: [ColorAdjustment] = [
        .brightness(0.2), .brightness(-0.3), .contrast(1.8), .contrast(0), .saturation(0.4), .saturation(2.5),
        .exposure(0.7), .exposure(-2), .grayscale(), .monochrome(Color(red: 0.2, green: 0.5, blue: 0.9), amount: 0.8),
        .sepia(), .inverted(), .inverted(0.3), .hueRotation(degrees: 77),
        .controls(brightness: 0.05, contrast: 1.3, saturation: 0.5, exposure: 0.4),
        ColorAdjustment(red: [0, 0, 1], green: [1, 0, 0], blue: [-1, 2, 0.25], offset: [0.1, -0.2, 0.3]),
    ]

    /// Returns the pixel by definition, not rounded: straight colours, changed and limited.
    private static func adjusted(
        _ pixel: SIMD4<Double>,
        _ adjustment: ColorAdjustment,
        _ space: ColorAdjustment.WorkingSpace
    ) -> SIMD4<Double> {
        guard pixel.w > 0 else { return .zero }
        var color = SIMD3(pixel.x, pixel.y, pixel.z) / pixel.w
        if space == .linear { color = map(color, decoded) }
        let sums = SIMD3(
            (adjustment.red * color).sum(),
            (adjustment.green * color).sum(),
            (adjustment.blue * color).sum()
        )
        color = (sums + adjustment.offset).clamped(lowerBound: .zero, upperBound: .one)
        if space == .linear { color = map(color, encoded) }
        return SIMD4(color * pixel.w, pixel.w)
    }

    private static func map(_ color: SIMD3<Double>, _ curve: (Double) -> Double) -> SIMD3<Double> {
        SIMD3(curve(color.x), curve(color.y), curve(color.z))
    }

    private static func decoded(_ sample: Double) -> Double {
        sample <= 0.040_45 ? sample / 12.92 : pow((sample + 0.055) / 1.055, 2.4)
    }

    private static func encoded(_ light: Double) -> Double {
        light <= 0.003_130_8 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
    }

    @Test(
        "every adjustment is what its definition says, at most one level off",
        arguments: SampleDepth.allCases,
        ColorAdjustment.WorkingSpace.allCases
    )
    func definition(depth: SampleDepth, space: ColorAdjustment.WorkingSpace) throws {
        for isOpaque in [false, true] {
            let bitmap = try Bitmap.noise(1_027, 2, depth: depth, seed: 521, isOpaque: isOpaque)
            for adjustment in Self.adjustments {
                let result = try bitmap.adjustingColors(adjustment, in: space)
                #expect(result.distance(from: bitmap) { Self.adjusted($0, adjustment, space) } <= 1)
                #expect(result.hasPremultipliedValues)
                #expect(result.isOpaque == isOpaque)
            }
        }
    }

    @Test("every sample survives an adjustment that changes next to nothing", arguments: SampleDepth.allCases)
    func everySample(depth: SampleDepth) throws {
        let size = depth == .eight ? PixelSize(256, 1) : PixelSize(256, 256)
        let bitmap =
            depth == .eight
            ? try Bitmap(size.width, 1, isOpaque: true) { x, _ in Pixel(UInt8(x), UInt8(255 - x), UInt8(x), 255) }
            : try Bitmap(wide: size.width, size.height, isOpaque: true) { x, y in
                WidePixel(UInt16(y * 256 + x), UInt16(65_535 - y * 256 - x), UInt16(y * 256 + x), 65_535)
            }
        // Not the identity, which would be returned as it is.
        let slight = ColorAdjustment.brightness(1e-9)
        for space in ColorAdjustment.WorkingSpace.allCases {
            #expect(try bitmap.adjustingColors(slight, in: space).samples == bitmap.samples)
        }
    }

    @Test("images of one pixel, of one column and of one row are adjusted", arguments: SampleDepth.allCases)
    func smallSizes(depth: SampleDepth) throws {
        for (width, height) in [(1, 1), (1, 9), (3, 2), (17, 1)] {
            let bitmap = try Bitmap.noise(width, height, depth: depth, seed: 522)
            for space in ColorAdjustment.WorkingSpace.allCases {
                let result = try bitmap.adjustingColors(.sepia(), in: space)
                #expect(result.distance(from: bitmap) { Self.adjusted($0, .sepia(), space) } <= 1)
            }
        }
    }

    @Test("several in one pass are as each after the other, without limits between")
    func combining() throws {
        let bitmap = try Bitmap.wideNoise(301, 5, seed: 523)
        let steps: [ColorAdjustment] = [.saturation(0.5), .contrast(0.8), .hueRotation(degrees: 30), .brightness(0.01)]
        let atOnce = try bitmap.adjustingColors(.combining(steps))
        let oneByOne = try steps.reduce(bitmap) { try $0.adjustingColors($1) }
        #expect(zip(atOnce.samples, oneByOne.samples).allSatisfy { abs($0 - $1) <= 4 })
        // Light that a first step takes beyond white comes back with the second.
        let there = ColorAdjustment.exposure(3).followed(by: .exposure(-3))
        #expect(try bitmap.adjustingColors(there).samples == bitmap.samples)
        #expect(ColorAdjustment.combining([]) == .identity)
    }

    @Test("neutral parameters change nothing")
    func neutral() {
        let neutral: [ColorAdjustment] = [
            .brightness(0), .contrast(1), .saturation(1), .exposure(0), .grayscale(0), .sepia(0), .inverted(0),
            .controls(),
        ]
        #expect(neutral.allSatisfy { $0 == .identity })
    }

    @Test("coefficients without a value, or beyond all bounds, give valid pixels", arguments: SampleDepth.allCases)
    func hostileCoefficients(depth: SampleDepth) throws {
        let bitmap = try Bitmap.noise(40, 3, depth: depth, seed: 524)
        for value in [Double.nan, .infinity, -.infinity, 1e300] {
            let adjustment = ColorAdjustment(
                red: SIMD3(repeating: value),
                green: [0, value, 0],
                blue: [-value, 0, value],
                offset: SIMD3(repeating: value)
            )
            for space in ColorAdjustment.WorkingSpace.allCases {
                let result = try bitmap.adjustingColors(adjustment, in: space)
                #expect(result.hasPremultipliedValues)
                #expect(zip(result.pixelValues, bitmap.pixelValues).allSatisfy { $0.w == $1.w })
            }
        }
    }

    @Test(
        "an overlay goes from the colour in the image's shape to the image",
        arguments: SampleDepth.allCases,
        [0, 0.3, 1, .nan, 7]
    )
    func overlay(depth: SampleDepth, fraction: Double) throws {
        let limited = fraction > 0 ? min(fraction, 1) : 0
        for color in [Color(red: 0.1, green: 0.9, blue: 0.4), Color(red: 1, green: 0, blue: 0.5, alpha: 0.25)] {
            let bitmap = try Bitmap.noise(1_051, 3, depth: depth, seed: 525)
            let result = try bitmap.overlaid(with: color, fraction: fraction)
            let premultiplied = SIMD4(SIMD3(color.red, color.green, color.blue) * color.alpha, color.alpha)
            #expect(result.distance(from: bitmap) { $0 * limited + premultiplied * $0.w * (1 - limited) } <= 1)
            #expect(result.hasPremultipliedValues)
        }
        let opaque = try Bitmap.noise(20, 3, depth: depth, seed: 526, isOpaque: true)
        #expect(try opaque.overlaid(with: .black, fraction: 0.5).isOpaque)
        #expect(try !opaque.overlaid(with: .clear, fraction: 0.5).isOpaque)
    }
}
