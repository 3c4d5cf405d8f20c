import HalcyonSystem
import Testing

@Suite("Percent-encoding")
struct PercentEncodingTests {
    @Test(
        "is undone, and what is no escape stays",
        arguments: [
            ("", ""), ("a", "a"), ("a%20b", "a b"), ("%c3%A4", "ä"), ("ä%C3%A4", "ää"), ("%41%4", "A%4"), ("%", "%"),
            ("%%41", "%A"), ("%4%41", "%4A"), ("%zz%41", "%zzA"), ("%+5%-0% 5", "%+5%-0% 5"), ("%00", "\0"),
            ("%2525", "%25"), ("%25", "%"),
        ]
    )
    func decoded(text: String, expected: String) {
        #expect(PercentEncoding.decoded(text) == expected)
        #expect(PercentEncoding.decodedBytes(Array(text.utf8)[...]) == Array(expected.utf8))
    }

    @Test("of bytes that are not UTF-8 is undone in bytes, and replaced in text")
    func foreignBytes() {
        #expect(PercentEncoding.decodedBytes(Array("a%FF%fe".utf8)[...]) == [0x61, 0xFF, 0xFE])
        #expect(PercentEncoding.decoded("a%FF") == "a\u{FFFD}")
    }

    @Test("in a part of the bytes ends where the part ends")
    func part() {
        let bytes = Array("%41%42%43".utf8)
        #expect(PercentEncoding.decodedBytes(bytes[3..<6]) == [0x42])
        #expect(PercentEncoding.decodedBytes(bytes[3..<8]) == Array("B%4".utf8))
    }

    @Test(
        "is refused by the strict form where an escape is malformed, or the bytes are not UTF-8",
        arguments: ["%", "%4", "%zz", "a%4", "%%41", "%+5", "%FF", "%C3"]
    )
    func refused(text: String) {
        #expect(PercentEncoding.strictlyDecoded(text) == nil)
    }

    @Test("is undone by the strict form", arguments: [("", ""), ("ä", "ä"), ("/a%20b%2Fc", "/a b/c"), ("%c3%a4", "ä")])
    func strict(text: String, expected: String) {
        #expect(PercentEncoding.strictlyDecoded(text) == expected)
    }
}
