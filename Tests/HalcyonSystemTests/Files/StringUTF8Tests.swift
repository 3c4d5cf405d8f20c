import HalcyonSystem
import Testing

@Suite("Search for bytes in text")
struct StringUTF8Tests {
    @Test("the offset is that of the first byte with the value", arguments: ["a#b#c", "é#", "#", "\u{1F600} \u{0}#"])
    func offset(_ text: String) {
        #expect(text.utf8Offset(of: UInt8(ascii: "#")) == Array(text.utf8).firstIndex(of: UInt8(ascii: "#")))
    }

    @Test("a byte that is not there has no offset", arguments: ["", "abc", "\u{0}", "＃"])
    func absence(_ text: String) {
        #expect(text.utf8Offset(of: UInt8(ascii: "#")) == nil)
        #expect(!text.utf8Contains(UInt8(ascii: "#")))
    }

    @Test("the byte 0 is found like any other")
    func zero() {
        #expect("a\u{0}b".utf8Offset(of: 0) == 1)
        #expect(!"ab".utf8Contains(0))
    }

    @Test("a byte is found before a combining mark, with which it is another character")
    func combiningMark() {
        #expect("a#\u{301}b".utf8Offset(of: UInt8(ascii: "#")) == 1)
    }
}
