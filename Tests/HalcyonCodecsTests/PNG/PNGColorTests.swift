import Foundation
import HalcyonCodecs
import HalcyonRaster
import HalcyonTesting
import Testing

@Suite("the colours of PNG")
struct PNGColorTests {
    static let displayP3 = TestProfile.matrix(
        TestProfile.displayP3,
        curve: TestProfile.parametricCurve,
        name: "Display P3"
    )
    static let embedded = PNGBytes.chunk(
        "iCCP",
        Array("name".utf8) + [0, 0] + PNGBytes.stored([UInt8](displayP3))
    )
    static let bt2020 = PNGBytes.chunk("cICP", [9, 16, 0, 1])
    static let standard = PNGBytes.chunk("sRGB", [0])
    static let gamma = PNGBytes.chunk("gAMA", PNGBytes.number(100_000))
    static let wideChromaticities = chromaticities([
        31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6_000,
    ])

    static func chromaticities(_ numbers: [Int]) -> [UInt8] {
        PNGBytes.chunk("cHRM", numbers.flatMap(PNGBytes.number))
    }

    /// One pixel of RGB, or of grey.
    static func file(_ chunks: [[UInt8]], colorType: UInt8 = 2) -> Data {
        let row: [UInt8] = colorType == 2 ? [0, 200, 100, 50] : [0, 128]
        let data = PNGBytes.chunk("IDAT", PNGBytes.stored(row))
        return PNGBytes.file([PNGBytes.header(1, 1, colorType: colorType)] + chunks + [data, PNGBytes.end])
    }

    private func decode(
        _ chunks: [[UInt8]],
        colorType: UInt8 = 2,
        color: ColorHandling = .asStored
    ) throws -> DecodedImage {
        try ImageCodecs.all.decode(
            Self.file(chunks, colorType: colorType),
            options: DecodeOptions(color: color)
        )
    }

    @Test("cICP precedes iCCP, which precedes sRGB, which precedes gAMA, in any order of the file")
    func precedence() throws {
        let all = [Self.gamma, Self.standard, Self.embedded, Self.bt2020]
        for chunks in [all, all.reversed()] {
            let image = try decode(chunks)
            #expect(image.colorProfile == .codePoints(primaries: 9, transfer: 16))
            #expect(image.info.colorSpace == .codePoints(primaries: 9, transfer: 16))
            let second = try decode(chunks.filter { $0 != Self.bt2020 })
            #expect(second.colorProfile == .icc(Self.displayP3))
            #expect(second.info.colorSpace == .icc(description: "Display P3"))
            let third = try decode(chunks.filter { $0 != Self.bt2020 && $0 != Self.embedded })
            #expect(third.colorProfile == nil)
            #expect(third.info.colorSpace == .sRGB)
        }
        #expect(try decode([Self.gamma]).colorProfile != nil)
        #expect(try decode([]).colorProfile == nil)
    }

    @Test("a profile or code points that are sRGB are none")
    func standardProfiles() throws {
        let named = TestProfile.matrix(TestProfile.sRGB, curve: TestProfile.parametricCurve, name: "sRGB")
        let chunk = PNGBytes.chunk("iCCP", [110, 0, 0] + PNGBytes.stored([UInt8](named)))
        for chunks in [[chunk], [PNGBytes.chunk("cICP", [1, 13, 0, 1])]] {
            let image = try decode(chunks)
            #expect(image.colorProfile == nil)
            #expect(image.info.colorSpace == .sRGB)
        }
    }

    @Test("what cannot be used is passed over for the next")
    func unusable() throws {
        let damaged = PNGBytes.chunk("iCCP", [110, 0, 0, 1, 2, 3])
        let forGray = TestProfile.gray(curve: TestProfile.gamma(1.8))
        let mismatched = PNGBytes.chunk("iCCP", [110, 0, 0] + PNGBytes.stored([UInt8](forGray)))
        let videoRange = PNGBytes.chunk("cICP", [9, 16, 0, 0])
        let withMatrix = PNGBytes.chunk("cICP", [9, 16, 9, 1])
        let short = PNGBytes.chunk("cICP", [9, 16, 0])
        for chunk in [damaged, mismatched, videoRange, withMatrix, short] {
            #expect(try decode([chunk, Self.gamma]).colorProfile == decode([Self.gamma]).colorProfile)
        }
        #expect(try decode([Self.embedded], colorType: 0).colorProfile == nil)
        let gray = PNGBytes.chunk("iCCP", [110, 0, 0] + PNGBytes.stored([UInt8](forGray)))
        #expect(try decode([gray], colorType: 0).colorProfile == .icc(forGray))
    }

    @Test("gAMA alone means another curve, unless it is that of sRGB to 5 %")
    func gammas() throws {
        for gamma in [45_455, 45_000, 47_000, 43_500] {
            #expect(try decode([PNGBytes.chunk("gAMA", PNGBytes.number(gamma))]).colorProfile == nil)
        }
        let linear = try decode([Self.gamma], color: .sRGB)
        let expected = [200, 100, 50].map { UInt8((ExactColor.encoded($0 / 255) * 255).rounded()) } + [255]
        #expect(firstDifference(linear.bitmap.straightRGBA(), expected) == nil)
        #expect(linear.colorProfile == nil)
        #expect(linear.info.colorSpace == .icc(description: "gamma 1.0"))
        let gray = try decode([Self.gamma], colorType: 0, color: .sRGB)
        #expect(gray.bitmap.straightRGBA().first == UInt8((ExactColor.encoded(128.0 / 255) * 255).rounded()))
        #expect(gray.info.colorSpace == .gray)
    }

    @Test("numbers beyond sense are no gamma", arguments: [0, 1, 9_999, 1_000_001, 0xFFFF_FFFF])
    func senselessGamma(gamma: Int) throws {
        #expect(try decode([PNGBytes.chunk("gAMA", PNGBytes.number(gamma))]).colorProfile == nil)
    }

    @Test("cHRM counts together with gAMA")
    func chromaticities() throws {
        #expect(try decode([Self.wideChromaticities]).colorProfile == nil)
        let standard = Self.chromaticities([31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000])
        let usual = PNGBytes.chunk("gAMA", PNGBytes.number(45_455))
        #expect(try decode([usual, standard]).colorProfile == nil)

        let image = try decode([usual, Self.wideChromaticities], color: .sRGB)
        let color = [200, 100, 50].map { $0 / 255.0 }
        let exact = ExactColor.converted(color, curve: ExactColor.decoded, matrix: ExactColor.displayP3)
        let result = image.bitmap.straightRGBA()
        for channel in 0..<3 { #expect(abs(Double(result[channel]) - exact[channel] * 255) < 1) }
    }

    @Test(
        "places of colours that span no space are passed over",
        arguments: [
            [0, 0, 0, 0, 0, 0, 0, 0], [31_270, 32_900, 1, 1, 1, 1, 1, 1], [31_270, 0, 64_000, 0, 30_000, 0, 15_000, 0],
            [Int](repeating: 0xFFFF_FFFF, count: 8), [31_270, 32_900, 64_000, 33_000, 64_000, 33_000, 15_000, 6_000],
        ]
    )
    func senselessChromaticities(numbers: [Int]) throws {
        let image = try decode([Self.chromaticities(numbers), Self.gamma], color: .sRGB)
        #expect(image.bitmap.isOpaque)
    }

    @Test("colours become sRGB by default, and stay on request")
    func handling() throws {
        let stored = try decode([Self.embedded])
        #expect(stored.bitmap.straightRGBA() == [200, 100, 50, 255])
        let converted = try ImageCodecs.all.decode(Self.file([Self.embedded]))
        #expect(converted.bitmap.straightRGBA() != [200, 100, 50, 255])
        #expect(converted.colorProfile == nil)
        #expect(converted.info == stored.info)
        #expect(converted.fullSize == stored.fullSize)
        var later = stored
        try later.convertToSRGB()
        #expect(firstDifference(later.bitmap.straightRGBA(), converted.bitmap.straightRGBA()) == nil)
    }

    @Test("the same numbers make the same profile")
    func sameProfile() throws {
        #expect(try decode([Self.gamma]).colorProfile == decode([Self.gamma]).colorProfile)
        guard case .icc(let profile)? = try decode([Self.gamma]).colorProfile else {
            Issue.record("no profile")
            return
        }
        #expect(profile[24..<36].elementsEqual([0x07, 0xD0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0]))
    }
}
