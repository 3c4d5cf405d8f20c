import Foundation
import HalcyonCodecs
import HalcyonRaster
import HalcyonTesting
import Testing

@Suite("code points of ITU-T H.273")
struct CodePointTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let primaries: Int
        let transfer: Int
        let curve: @Sendable (Double) -> Double
        let matrix: [[Double]]

        var testDescription: String { "primaries \(primaries), transfer \(transfer)" }
    }

    static let cases = [
        Case(primaries: 1, transfer: 4, curve: { pow($0, 2.2) }, matrix: ExactColor.identity),
        Case(primaries: 1, transfer: 5, curve: { pow($0, 2.8) }, matrix: ExactColor.identity),
        Case(primaries: 1, transfer: 8, curve: { $0 }, matrix: ExactColor.identity),
        Case(primaries: 2, transfer: 8, curve: { $0 }, matrix: ExactColor.identity),
        Case(primaries: 12, transfer: 2, curve: ExactColor.decoded, matrix: ExactColor.displayP3),
        Case(primaries: 12, transfer: 8, curve: { $0 }, matrix: ExactColor.displayP3),
        Case(primaries: 9, transfer: 13, curve: ExactColor.decoded, matrix: ExactColor.bt2020),
        Case(primaries: 9, transfer: 14, curve: ExactColor.decoded, matrix: ExactColor.bt2020),
        Case(primaries: 12, transfer: 1, curve: ExactColor.decoded, matrix: ExactColor.displayP3),
    ]

    @Test("are converted as the standard defines them", arguments: cases)
    func definitions(_ space: Case) throws {
        let worst = try ExactColor.worst(curve: space.curve, matrix: space.matrix) {
            try $0.convertToSRGB(from: .codePoints(primaries: space.primaries, transfer: space.transfer))
        }
        #expect(worst < 0.7, "\(worst) levels")
    }

    @Test("white stays white whatever the primaries", arguments: [1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 22])
    func white(primaries: Int) throws {
        var bitmap = try Bitmap(size: PixelSize(2, 2))
        bitmap.fill(PixelRect(size: bitmap.size), with: .white)
        try bitmap.convertToSRGB(from: .codePoints(primaries: primaries, transfer: 8))
        #expect(bitmap.straightRGBA().allSatisfy { $0 >= 254 })
    }

    @Test("what means sRGB changes nothing", arguments: [(1, 13), (2, 2), (1, 2), (2, 13)])
    func standard(codes: (Int, Int)) throws {
        var bitmap = try ExactColor.colors()
        try bitmap.convertToSRGB(from: .codePoints(primaries: codes.0, transfer: codes.1))
        #expect(try firstDifference(bitmap.straightRGBA(), ExactColor.colors().straightRGBA()) == nil)
    }

    @Test("what is graded for television is shown as sRGB, as in browsers", arguments: [1, 6, 11, 12, 14, 15])
    func television(transfer: Int) throws {
        var bitmap = try ExactColor.colors()
        try bitmap.convertToSRGB(from: .codePoints(primaries: 1, transfer: transfer))
        #expect(try firstDifference(bitmap.straightRGBA(), ExactColor.colors().straightRGBA()) == nil)
    }

    @Test("reserved numbers change nothing", arguments: [(0, 13), (1, 0), (3, 13), (99, 1), (1, 19), (-1, -1), (1, 3)])
    func reserved(codes: (Int, Int)) throws {
        var bitmap = try ExactColor.colors()
        try bitmap.convertToSRGB(from: .codePoints(primaries: codes.0, transfer: codes.1))
        #expect(try firstDifference(bitmap.straightRGBA(), ExactColor.colors().straightRGBA()) == nil)
    }

    @Test(
        "a high dynamic range is drawn together, without a step back and without cutting light off",
        arguments: [16, 18]
    )
    func highDynamicRange(transfer: Int) throws {
        let shades = (0...255).map { UInt8($0) }
        var bitmap = try shades.withUnsafeBytes { try Bitmap(gray: $0, size: PixelSize(256, 1)) }
            .converted(to: .sixteen)
        try bitmap.convertToSRGB(from: .codePoints(primaries: 1, transfer: transfer))
        let samples = stride(from: 0, to: 1_024, by: 4).map { bitmap.straightRGBA16()[$0] }
        #expect(samples[0] == 0)
        #expect(zip(samples, samples.dropFirst()).allSatisfy { $0 <= $1 })
        // Reference white, 203 cd/m², is a signal of 58 % in PQ and of 75 % in HLG (ITU-R BT.2408).
        let white = transfer == 16 ? samples[148] : samples[191]
        let expected = ExactColor.encoded(1 - 0.4 * exp(-1)) * 65_535
        #expect(abs(Double(white) - expected) < 700, "\(white)")
        // Half of it, 101.5 cd/m², lies below the knee and stays half.
        let half = transfer == 16 ? 0.5095 : 0.6229
        let exact = ExactColor.encoded(0.5) * 65_535
        #expect(abs(Double(samples[Int(half * 255)]) - exact) < 2_000)
    }

    @Test(
        "have names",
        arguments: [
            (1, 13, "sRGB"), (12, 13, "Display P3"), (9, 16, "BT.2020 PQ"), (9, 18, "BT.2020 HLG"),
            (1, 8, "BT.709 linear"),
            (77, 99, "primaries 77 transfer 99"),
        ]
    )
    func names(primaries: Int, transfer: Int, name: String) {
        #expect(ColorSpace.codePoints(primaries: primaries, transfer: transfer).description == name)
    }
}
