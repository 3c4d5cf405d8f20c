import FoundationEssentials
import Testing

@testable import Halcyon

@Suite("A srcset attribute")
struct SourceSetParsingTests {
    /// Returns the candidates as text, with "1x" for those without a descriptor.
    private func parsed(_ text: String) -> [String] {
        ImageSourceSet(srcset: text).candidates.map { candidate in
            switch candidate.descriptor {
            case .width(let width): "\(candidate.url) \(width)w"
            case .density(let density): "\(candidate.url) \(density)x"
            }
        }
    }

    @Test(
        "is split at the commas that belong to no URL",
        arguments: [
            ("", []), (",", []), (" , ,\t\n\u{C}\r,", []), ("a", ["a 1.0x"]), (" a ", ["a 1.0x"]), ("a,", ["a 1.0x"]),
            ("a,,,", ["a 1.0x"]), (",a", ["a 1.0x"]), ("a ,", ["a 1.0x"]), ("a , b", ["a 1.0x", "b 1.0x"]),
            ("a, b", ["a 1.0x", "b 1.0x"]), ("a,b", ["a,b 1.0x"]), ("a 2x,b 3x", ["a 2.0x", "b 3.0x"]),
            ("a 2x , b", ["a 2.0x", "b 1.0x"]), ("data:,a 1x, data:,b 2x", ["data:,a 1.0x", "data:,b 2.0x"]),
            ("a 480w,b 960w", ["a 480w", "b 960w"]), ("a\t480w\n,\r\u{C}b 2x", ["a 480w", "b 2.0x"]),
            ("a\u{B}b", ["a\u{B}b 1.0x"]), ("é 2x", ["é 2.0x"]), ("a, , b", ["a 1.0x", "b 1.0x"]),
            // Two URLs of commas alone leave none, and what follows is read.
            ("a 1x,,b 2x", ["a 1.0x", "b 2.0x"]),
        ]
    )
    func splitting(text: String, expected: [String]) {
        #expect(parsed(text) == expected)
    }

    @Test(
        "does not split within parentheses, and leaves out what it does not know",
        arguments: [
            ("a ( , b 1x, ), c", ["c 1.0x"]), ("a ((( , b 1x, ) 1x, c", ["c 1.0x"]), ("a (, b 1x", []), ("a (", []),
            ("a [ , b 1x, ], c", ["b 1.0x", "] 1.0x", "c 1.0x"]), ("a 1x (x), b", ["b 1.0x"]),
            ("a ()1x, b", ["b 1.0x"]),
            ("a 1q, b", ["b 1.0x"]), ("a 1X, b", ["b 1.0x"]), ("a x, b", ["b 1.0x"]), ("a w, b", ["b 1.0x"]),
        ]
    )
    func parentheses(text: String, expected: [String]) {
        #expect(parsed(text) == expected)
    }

    @Test(
        "takes these descriptors",
        arguments: [
            ("1x", "1.0x"), ("0x", "0.0x"), ("-0x", "-0.0x"), ("1.5x", "1.5x"), (".5x", "0.5x"), ("1e1x", "10.0x"),
            ("1E1x", "10.0x"), ("1e+1x", "10.0x"), ("10e-1x", "1.0x"), ("00002x", "2.0x"), ("1w", "1w"),
            ("00480w", "480w"), ("1w 1h", "1w"), ("1h 1w", "1w"), ("1w  1h ", "1w"),
            ("99999999999999999999w", "\(Int.max)w"),
        ]
    )
    func valid(descriptors: String, expected: String) {
        #expect(parsed("a \(descriptors)") == ["a \(expected)"])
    }

    @Test(
        "leaves out candidates with these descriptors",
        arguments: [
            "-1x", "+1x", "1.x", ".x", "1ex", "1e+x", "e1x", "NaNx", "Infinityx", "infx", "0x10x", "1e999x", "0w",
            "-1w",
            "+1w", "1.0w", "1.5w", "1e2w", "1w 1w", "1x 1x", "1w 1x", "1x 1w", "1h", "1x 1h", "1h 1x", "1w 0h",
            "1w -1h",
            "1w 1h 1h", "1 x", "1", "1xx", "1\u{660}x", "\u{661}x",
        ]
    )
    func invalid(descriptors: String) {
        #expect(parsed("a \(descriptors), b 2x") == ["b 2.0x"])
    }

    @Test("of any text is read to its end", arguments: 0..<200)
    func arbitraryText(seed: Int) {
        let alphabet = Array(" ,()xwh1.e-a\té")
        var state = UInt32(truncatingIfNeeded: seed)
        let text = String(
            (0..<40).map { _ in
                state = state &* 1_664_525 &+ 1_013_904_223
                return alphabet[Int(state >> 16) % alphabet.count]
            }
        )
        for candidate in ImageSourceSet(srcset: text).candidates {
            #expect(!candidate.url.isEmpty && !candidate.url.hasPrefix(",") && !candidate.url.hasSuffix(","))
        }
    }
}
