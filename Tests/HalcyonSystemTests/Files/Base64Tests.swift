import HalcyonSystem
import Testing

@Suite("Base64")
struct Base64Tests {
    private func text(_ base64: String, isURLSafe: Bool = false) throws(Base64Error) -> String {
        String(decoding: try Base64.data(of: Array(base64.utf8), isURLSafe: isURLSafe), as: UTF8.self)
    }

    @Test(
        "is read with and without padding, whatever whitespace is in it",
        arguments: [
            ("", ""), ("Zg==", "f"), ("Zg", "f"), ("Zm8=", "fo"), ("Zm8", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"),
            ("Zm9vYmE=", "fooba"), ("Zm9vYmFy", "foobar"), (" Z m\t9\nv\r\u{C}", "foo"), ("Zg = =", "f"), (" ", ""),
        ]
    )
    func valid(base64: String, expected: String) throws {
        #expect(try text(base64) == expected)
    }

    @Test(
        "that is malformed is an error that tells where",
        arguments: [
            ("Zm9v!", Base64Error.invalidCharacter(offset: 4)), (" Z\nm9 -", .invalidCharacter(offset: 6)),
            ("Z", .incomplete(1)), ("Zm9vY", .incomplete(5)), ("Zg=", .invalidCharacter(offset: 2)),
            ("Zm=9", .invalidCharacter(offset: 2)), ("====", .invalidCharacter(offset: 0)),
            ("Zm9v==", .invalidCharacter(offset: 4)), ("Zm8é", .invalidCharacter(offset: 3)),
            ("Zm8\u{B}", .invalidCharacter(offset: 3)), ("Zm8_", .invalidCharacter(offset: 3)),
        ]
    )
    func malformed(base64: String, expected: Base64Error) {
        #expect(throws: expected) { try text(base64) }
    }

    @Test("for URLs has two digits more, which stand for the same")
    func urlSafe() throws {
        let bytes = try Base64.data(of: Array("-_+/".utf8), isURLSafe: true)
        #expect(Array(bytes) == [0xFB, 0xFF, 0xBF])
    }
}
