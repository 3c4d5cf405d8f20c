import Foundation
import HalcyonCodecs
import HalcyonRaster
import HalcyonTesting
import Testing

@Suite("colours become sRGB")
struct ColorConversionTests {
    static let profiles: [ColorProfile] = [
        .icc(TestProfile.matrix(TestProfile.displayP3, curve: TestProfile.parametricCurve)),
        .icc(
            TestProfile.matrix(
                TestProfile.displayP3,
                curve: TestProfile.sampledCurve(1_024, ExactColor.decoded),
                version: 0x0240_0000
            )
        ),
        .codePoints(primaries: 12, transfer: 13),
    ]

    @Test("from Display P3, by an ICC profile of either version and by code points", arguments: profiles)
    func displayP3(profile: ColorProfile) throws {
        let worst = try ExactColor.worst(curve: ExactColor.decoded, matrix: ExactColor.displayP3) {
            try $0.convertToSRGB(from: profile)
        }
        #expect(worst < 0.7, "\(worst) levels")
    }

    @Test("of 16 bits, sixteen times as finely as 8 bits could show", arguments: profiles)
    func sixteenBits(profile: ColorProfile) throws {
        let worst = try ExactColor.worst(depth: .sixteen, curve: ExactColor.decoded, matrix: ExactColor.displayP3) {
            try $0.convertToSRGB(from: profile)
        }
        #expect(worst < 0.06, "\(worst) levels")
    }

    @Test("through a table where a profile has one", arguments: [SampleDepth.eight, .sixteen])
    func table(depth: SampleDepth) throws {
        // XYZ below zero cannot be stored in such a table, so its colours lie inside of sRGB.
        let profile = ColorProfile.icc(TestProfile.table(TestProfile.sRGB) { pow($0, 1.8) })
        let worst = try ExactColor.worst(depth: depth, curve: { pow($0, 1.8) }, matrix: ExactColor.identity) {
            try $0.convertToSRGB(from: profile)
        }
        #expect(worst < 2.5, "\(worst) levels")
    }

    @Test("from the gamma of an ICC profile", arguments: [1.0, 1.8, 2.2])
    func gamma(_ gamma: Double) throws {
        let profile = ColorProfile.icc(TestProfile.matrix(TestProfile.sRGB, curve: TestProfile.gamma(gamma)))
        // Gammas have eight fractional bits.
        let stored = (gamma * 256).rounded() / 256
        let worst = try ExactColor.worst(curve: { pow($0, stored) }, matrix: ExactColor.identity) {
            try $0.convertToSRGB(from: profile)
        }
        // The colorants have five digits, which can lift black by a level.
        #expect(worst < 1.1, "\(worst) levels")
    }

    @Test("from curves that fall, of which the last sample is the darkest")
    func fallingCurve() throws {
        let profile = ColorProfile.icc(
            TestProfile.matrix(TestProfile.sRGB, curve: TestProfile.sampledCurve(2) { 1 - $0 })
        )
        let worst = try ExactColor.worst(curve: { 1 - $0 }, matrix: ExactColor.identity) {
            try $0.convertToSRGB(from: profile)
        }
        #expect(worst < 1.1, "\(worst) levels")
    }

    @Test("and alpha stays, with colours multiplied by it", arguments: [SampleDepth.eight, .sixteen])
    func alpha(depth: SampleDepth) throws {
        let size = PixelSize(64, 8)
        let straight = (0..<size.area).flatMap { pixel -> [UInt8] in
            let alpha: UInt8 = pixel < 64 ? 255 : pixel < 128 ? 0 : UInt8(128 + pixel % 128)
            return [UInt8(pixel % 256), UInt8(pixel * 7 % 256), UInt8(pixel * 13 % 256), alpha]
        }
        let bitmap = try straight.withUnsafeBytes { try Bitmap(premultiplying: $0, size: size) }.converted(to: depth)
        var result = bitmap
        try result.convertToSRGB(from: .codePoints(primaries: 12, transfer: 13))
        let (from, to) = (bitmap.straightRGBA16(), result.straightRGBA16())
        for pixel in stride(from: 0, to: from.count, by: 4) {
            #expect(to[pixel + 3] == from[pixel + 3])
            guard from[pixel + 3] > 0 else {
                #expect(to[pixel..<pixel + 3].allSatisfy { $0 == 0 })
                continue
            }
            let color = (0..<3).map { Double(from[pixel + $0]) / 65_535 }
            let exact = ExactColor.converted(color, curve: ExactColor.decoded, matrix: ExactColor.displayP3)
            for channel in 0..<3 {
                let difference = abs(Double(to[pixel + channel]) / 257 - exact[channel] * 255)
                // Half the alpha, twice the rounding, twice: dividing and multiplying.
                #expect(difference < 3.2, "pixel \(pixel / 4), channel \(channel)")
            }
        }
        #expect(result.containsTransparency())
    }

    @Test("of shades of grey by a profile for grey")
    func gray() throws {
        let shades = (0...255).map { UInt8($0) }
        var bitmap = try shades.withUnsafeBytes { try Bitmap(gray: $0, size: PixelSize(256, 1)) }
        try bitmap.convertToSRGB(from: .icc(TestProfile.gray(curve: TestProfile.gamma(1))))
        let result = bitmap.straightRGBA()
        for shade in 0...255 {
            let exact = ExactColor.encoded(Double(shade) / 255) * 255
            #expect(abs(Double(result[shade * 4]) - exact) < 0.7)
            #expect(result[shade * 4] == result[shade * 4 + 1] && result[shade * 4] == result[shade * 4 + 2])
        }
    }

    @Test("not at all where they are cancelled")
    func cancellation() throws {
        var bitmap = try ExactColor.colors()
        #expect(throws: CancellationError.self) {
            try bitmap.convertToSRGB(from: .codePoints(primaries: 12, transfer: 13)) { true }
        }
        #expect(try firstDifference(bitmap.straightRGBA(), ExactColor.colors().straightRGBA()) == nil)
    }

    @Test("in pieces of 262,144 pixels, between which they can be cancelled, where rows are long")
    func longRows() throws {
        var bitmap = try Bitmap(size: PixelSize(1 << 20, 2), isOpaque: true)
        let questions = QuestionCounter(cancelledFrom: .max)
        try bitmap.convertToSRGB(from: .codePoints(primaries: 12, transfer: 13), isCancelled: questions.ask)
        #expect(questions.count == 8)
    }

    @Test("by a table, which takes the longest, in as many pieces as there are times 262,144 pixels")
    func longTables() throws {
        let table = TestProfile.table(TestProfile.displayP3) { pow($0, 1.8) }
        for height in [1, 2, 4] {
            let blank = try Bitmap(size: PixelSize(1 << 19, height), isOpaque: true)
            var bitmap = blank
            let all = QuestionCounter(cancelledFrom: .max)
            try bitmap.convertToSRGB(from: .icc(table), isCancelled: all.ask)
            #expect(all.count == 2 * height)
            let some = QuestionCounter(cancelledFrom: height)
            #expect(throws: CancellationError.self) {
                try bitmap.convertToSRGB(from: .icc(table), isCancelled: some.ask)
            }
            #expect(some.count == height)
        }
    }

    @Test("in a copy of their own where pixels are shared")
    func copies() throws {
        let original = try ExactColor.colors()
        var copy = original
        try copy.convertToSRGB(from: .codePoints(primaries: 9, transfer: 8))
        #expect(try firstDifference(original.straightRGBA(), ExactColor.colors().straightRGBA()) == nil)
        #expect(copy.straightRGBA() != original.straightRGBA())
    }
}
