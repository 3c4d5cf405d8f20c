import Testing

@testable import ServerURLs

@Suite("Made-up URLs")
struct MadeUpURLTests {
    private static let pieces =
        [
            "/", ":", "/", ":", "0", "1", "-1", "0.5", "99999999999999999999", "nan", "plain", "base64", "enc",
            "unsafe", "_", "filters:",
            "(", ")", "):", ")/", ",", "|", "x", "-", "orig", "fit-in", "trim", "smart", "meta", "%", "%2F", "%25",
            "%00", "%ff", "é", "😀", "@",
            ".", "..", "aHR0cHM6", "https://a.b/c", "local:///", "fff", "re", "soea", "fp", "sm", "true", "\u{0}", " ",
            "?", "#", "=",
        ] + HalcyonOptions.names.sorted() + ImgproxyOptions.open.keys.sorted() + ThumborOptions.filters.sorted()

    /// SplitMix64, so that a seed repeats its texts.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return value ^ (value >> 31)
        }
    }

    @Test(
        "give a plan or a refusal, and what is signed anew gives the same plan",
        arguments: 1...4 as ClosedRange<UInt64>
    )
    func madeUp(_ seed: UInt64) throws {
        var generator = Generator(state: seed)
        var rules = URLRules { 1_000 }
        rules.allowsUnsigned = true
        rules.hasWatermark = true
        rules.presets = ["0": "w:1/preset:1", "1": "blur:2"]
        var planCount = 0
        for _ in 0..<1_000 {
            let count = Int.random(in: 1...14, using: &generator)
            let text = (0..<count).map { _ in Self.pieces.randomElement(using: &generator) ?? "" }.joined()
            for path in ["/unsafe/\(text)", "/unsafe/\(text)/plain/a", "/\(text)"] {
                if let url = try? HalcyonURL(path: path), let plan = try? url.plan(by: rules) {
                    planCount += 1
                    let keys = SigningKeys.random()
                    var signed = rules
                    signed.keys = keys
                    signed.allowsUnsigned = false
                    let again = try HalcyonURL(options: url.options, source: url.source).path(signedBy: keys)
                    #expect(try HalcyonURL(path: again).plan(by: signed) == plan, "\(path)")
                }
                if (try? ImgproxyURL(path: path).plan(by: rules)) != nil { planCount += 1 }
                if (try? ThumborURL(path: path).plan(by: rules)) != nil { planCount += 1 }
            }
        }
        // Otherwise the texts would be too wild to say anything.
        #expect(planCount > 200)
    }
}
