import FoundationEssentials
import HalcyonSystem
import Testing

@Suite("A reader of data URLs")
struct DataURLReaderTests {
    private func text(_ url: String, _ reader: DataURLReader) throws(DataURLError) -> String {
        String(decoding: try reader.body(of: Array(url.utf8)), as: UTF8.self)
    }

    @Test(
        "reads what both sets of rules have in common",
        arguments: [DataURLReader.standard, .permissive],
        [
            ("data:,a%20b", "a b"), ("data:text/plain,%41%4", "A%4"), ("DaTa:;base64,QUJD", "ABC"),
            ("data:image/png; base64 ,QUI=", "AB"), ("data:;BASE64,QUI", "AB"), ("data:;base64,Q%55 JD", "ABC"),
            ("data:base64,QUJD", "QUJD"), ("data:;base64x,QUJD", "QUJD"), ("data:,", ""), ("data:;base64,", ""),
            ("data:,a,b", "a,b"), ("data:,%+5", "%+5"),
        ]
    )
    func common(reader: DataURLReader, pair: (url: String, expected: String)) throws {
        #expect(try text(pair.url, reader) == pair.expected)
    }

    @Test(
        "tells what is no data URL",
        arguments: [DataURLReader.standard, .permissive],
        [
            ("", DataURLError.notADataURL), ("dat", .notADataURL), ("data:", .missingComma),
            ("data\u{1A},x", .notADataURL),
            ("http://a,b", .notADataURL), ("data:x", .missingComma), ("data:;base64,A", .invalidBase64),
            ("data:;base64,QUJDR", .invalidBase64),
        ]
    )
    func malformed(reader: DataURLReader, pair: (url: String, expected: DataURLError)) {
        #expect(throws: pair.expected) { try text(pair.url, reader) }
    }

    @Test("drops a fragment, and takes Base64 from the last parameter only, as browsers do")
    func standard() throws {
        #expect(try text("data:,x#fragment", .standard) == "x")
        #expect(throws: DataURLError.missingComma) { try text("data:image/png#,x", .standard) }
        #expect(try text("data:;base64;x,QUJD", .standard) == "QUJD")
        for url in [" data:,x", "\ndata:,x"] {
            #expect(throws: DataURLError.notADataURL) { try text(url, .standard) }
        }
        for body in ["A=B=", "QUJ*", "QUI==", "QUJD=", "QUJD===="] {
            #expect(throws: DataURLError.invalidBase64) { try text("data:;base64,\(body)", .standard) }
        }
    }

    @Test("reads, by permissive rules, what some other reader may take for a data URL")
    func permissive() throws {
        #expect(try text(" \n\u{1}data:,x", .permissive) == "x")
        #expect(try text("data:,x#fragment", .permissive) == "x#fragment")
        #expect(try text("data:image/png;base64;x,QUJD", .permissive) == "ABC")
        #expect(try text("data:;\u{A0}base64\t,QUJD", .permissive) == "ABC")
        for body in ["QUJ*D", "QU=JD", "QUJD====", "Q\u{E4}UJD", "#QUJD"] {
            #expect(try text("data:;base64,\(body)", .permissive) == "ABC", "\(body)")
        }
    }

    @Test("finds the end of the scheme")
    func endOfScheme() {
        let bytes = Array(" DATA:,x".utf8)
        #expect(DataURLReader.permissive.endOfScheme(in: bytes) == 6)
        #expect(DataURLReader.standard.endOfScheme(in: bytes) == nil)
        #expect(DataURLReader.standard.endOfScheme(in: bytes[1...]) == 6)
        #expect(DataURLReader.permissive.endOfScheme(in: Data("data".utf8)) == nil)
    }
}
