import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs
@testable import HalcyonSVG

@Suite("The encodings of SVG")
struct SVGEncodingTests {
    private let red = "<rect width='10' height='10' fill='red'/>"

    private func svg(_ content: String, encoding: String?) -> String {
        let declaration = encoding.map { "<?xml version='1.0' encoding='\($0)'?>" } ?? ""
        let namespaces = "xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'"
        return "\(declaration)<svg \(namespaces) width='10' height='10'>\(content)</svg>"
    }

    private func decode(_ data: Data) throws -> Bitmap {
        try SVGDecoder().decode(data, options: DecodeOptions(), isCancelled: { false }).bitmap
    }

    private func utf16(_ text: String, isBigEndian: Bool) -> Data {
        Data(text.utf16.flatMap { withUnsafeBytes(of: isBigEndian ? $0.bigEndian : $0.littleEndian, Array.init) })
    }

    private func utf32(_ text: String, isBigEndian: Bool) -> Data {
        Data(
            text.unicodeScalars.flatMap {
                withUnsafeBytes(of: isBigEndian ? $0.value.bigEndian : $0.value.littleEndian, Array.init)
            }
        )
    }

    @Test("documents in encodings that agree with ASCII, and in UTF-16, are drawn")
    func accepted() throws {
        // A title in each: é, 表 in three ways, where a byte of Shift_JIS is that of "\", and и.
        let titles: [(encoding: String, title: [UInt8])] = [
            ("UTF-8", [0xc3, 0xa9]), ("utf-8", [0xe8, 0xa1, 0xa8]), ("US-ASCII", []), ("ISO-8859-1", [0xe9]),
            ("iso-8859-15", [0xe9]), ("windows-1252", [0xe9]), ("Windows-1251", [0xe8]), ("KOI8-R", [0xc9]),
            ("Shift_JIS", [0x95, 0x5c]), ("EUC-JP", [0xc9, 0xbd]), ("GB18030", [0xb1, 0xed]),
        ]
        for (encoding, title) in titles {
            let parts = svg("<title>|</title>\(red)", encoding: encoding).split(separator: "|").map { Data($0.utf8) }
            let document = parts[0] + Data(title) + parts[1]
            #expect(try decode(document)[5, 5] == [255, 0, 0, 255], "\(encoding)")
            #expect(try decode(GzipBytes.stored(document))[5, 5] == [255, 0, 0, 255], "\(encoding), compressed")
        }
        for text in [svg(red, encoding: nil), svg(red, encoding: "UTF-8")] {
            #expect(try decode(Data([0xef, 0xbb, 0xbf]) + Data(text.utf8))[5, 5] == [255, 0, 0, 255])
        }
        for (mark, isBigEndian) in [([0xfe, 0xff] as [UInt8], true), ([0xff, 0xfe], false)] {
            let text = svg("<title>é表и</title>\(red)", encoding: "UTF-16")
            #expect(try decode(Data(mark) + utf16(text, isBigEndian: isBigEndian))[5, 5] == [255, 0, 0, 255])
        }
    }

    @Test("a reference that only another encoding shows is not followed: the encoding is refused")
    func hiddenReferences() throws {
        let image = try PNGEncoder().encode(.sample(PixelSize(2, 2)), options: EncodeOptions())
        // "href" and "+" in UTF-7.
        let hidden =
            "+AGgAcgBlAGY-='data:image/png;base64,"
            + image.base64EncodedString().split(separator: "+", omittingEmptySubsequences: false).joined(
                separator: "+-"
            )
        let content = "<image width='10' height='10' \(hidden)'/>"
        let names = ["UTF-7", "utf-7", "UNICODE-1-1-UTF-7", "IBM037", "ISO-2022-JP", "HZ", "UTF-16", "x+y", ""]
        for name in names {
            let document = Data(svg(content, encoding: name).utf8)
            let isName = name.utf8.allSatisfy { $0 != UInt8(ascii: "+") } && !name.isEmpty
            let refused: CodecError =
                isName
                ? .unsupported(.svg, reason: "the encoding \(name)")
                : .corrupt(.svg, reason: "the declaration of its encoding")
            let embedded =
                "<image width='9' height='9' href='data:image/svg+xml;base64,\(document.base64EncodedString())'/>"
            let documents = [
                document, GzipBytes.stored(document), Data([0xef, 0xbb, 0xbf]) + document,
                Data(svg(embedded, encoding: nil).utf8),
            ]
            for (index, document) in documents.enumerated() {
                // A damaged drawing in another one is left out.
                if index == 3, !isName {
                    #expect(try decode(document)[5, 5] == [0, 0, 0, 0], "\(name)")
                } else {
                    #expect(throws: refused, "\(name) \(index)") { try decode(document) }
                }
            }
        }
    }

    @Test("a declaration is found however it is written, and behind the one that a text in UTF-16 loses")
    func declarations() throws {
        let refused = CodecError.unsupported(.svg, reason: "the encoding UTF-7")
        let text = svg(red, encoding: nil)
        for declaration in [
            "<?xml version=\"1.0\" encoding=\"UTF-7\"?>",
            "<?xml\tversion='1.0'\nencoding\r=\n'UTF-7' standalone='yes' ?>",
            "<?xml encoding='UTF-8' encoding='UTF-7'?>",
        ] {
            #expect(throws: refused) { try decode(Data((declaration + text).utf8)) }
            let twice = "<?xml version='1.0' encoding='UTF-16'?>" + declaration + text
            #expect(throws: refused) { try decode(Data([0xff, 0xfe]) + utf16(twice, isBigEndian: false)) }
        }
        // No declaration, though it looks like one.
        let sheet = "<?xml-model encoding='UTF-7'?>"
        #expect(try decode(Data((sheet + text).utf8))[5, 5] == [255, 0, 0, 255])
    }

    @Test("UTF-32, UTF-16 without a mark, EBCDIC, and what is compressed twice are refused")
    func otherBeginnings() throws {
        let zero = CodecError.corrupt(.svg, reason: "a zero byte")
        let text = svg(red, encoding: "UTF-32")
        // The marks of UTF-16 and UTF-32 begin alike.
        #expect(throws: zero) {
            try SVGDocument.text(of: Data([0xff, 0xfe, 0, 0]) + utf32(text, isBigEndian: false), limits: .standard)
        }
        for isBigEndian in [true, false] {
            #expect(throws: zero) {
                try SVGDocument.text(of: utf32(text, isBigEndian: isBigEndian), limits: .standard)
            }
            #expect(throws: zero) {
                try SVGDocument.text(of: utf16(text, isBigEndian: isBigEndian), limits: .standard)
            }
        }
        // "<?xml" in EBCDIC.
        let ebcdic = Data([0x4c, 0x6f, 0xa7, 0x94, 0x93, 0x40]) + Data("<svg width='10' height='10'>".utf8)
        #expect(throws: CodecError.corrupt(.svg, reason: "it does not begin with markup")) {
            try decode(ebcdic)
        }
        let twice = GzipBytes.stored(GzipBytes.stored(Data(svg(red, encoding: nil).utf8)))
        #expect(throws: CodecError.self) { try decode(twice) }
    }
}
