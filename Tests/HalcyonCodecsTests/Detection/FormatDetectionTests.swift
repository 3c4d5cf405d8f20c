import FoundationEssentials
import Testing

@testable import HalcyonCodecs

@Suite("Formats are told by their first bytes")
struct FormatDetectionTests {
    @Test(
        "each signature is recognised, and none of its proper beginnings",
        arguments: [
            ([0xff, 0xd8, 0xff], .jpeg),
            ([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], .png),
            (Array("GIF87a".utf8), .gif),
            (Array("GIF89a".utf8), .gif),
            (Array("RIFF\u{10}\0\0\0WEBP".utf8), .webp),
            ([0xff, 0x0a], .jxl),
            ([0, 0, 0, 12, 0x4a, 0x58, 0x4c, 0x20, 0x0d, 0x0a, 0x87, 0x0a], .jxl),
            ([0x49, 0x49, 42, 0], .tiff),
            ([0x4d, 0x4d, 0, 42], .tiff),
            ([0x49, 0x49, 43, 0], .tiff),
            ([0x4d, 0x4d, 0, 43], .tiff),
            (Array("qoif".utf8), .qoi),
            (Array("P7\n".utf8), .pam),
            (Array("\0\0\0\u{1c}ftypavif".utf8), .avif),
            (Array("\0\0\0\u{1c}ftypavis".utf8), .avif),
            (Array("\0\0\0\u{1c}ftypheic".utf8), .heic),
            (Array("\0\0\0\u{18}ftypmif1\0\0\0\0mif1avif".utf8), .avif),
            (Array("\0\0\0\u{18}ftypmif1\0\0\0\0mif1heic".utf8), .heic),
            (Array("BM\0\0\0\0\0\0\0\0\0\0\0\0\u{28}\0\0\0".utf8), .bmp),
            ([0, 0, 1, 0, 1, 0, 16, 16, 0, 0, 1, 0, 32, 0, 0, 0, 0, 0, 22, 0, 0, 0], .ico),
            ([0, 0, 2, 0, 1, 0, 16, 16, 0, 0, 1, 0, 32, 0, 0, 0, 0, 0, 22, 0, 0, 0], .cur),
            (Array("<svg".utf8), .svg),
        ] as [([UInt8], ImageFormat)]
    )
    func signatures(_ signature: [UInt8], format: ImageFormat) {
        #expect(ImageFormat.detect(Data(signature)) == format)
        #expect(ImageFormat.detect(Data(signature + [0, 1, 2, 3])) == format)
        #expect(ImageFormat.detect((Data([1, 2, 3]) + Data(signature)).dropFirst(3)) == format)
        for length in 0..<signature.count where format != .heic && format != .avif {
            #expect(ImageFormat.detect(Data(signature.prefix(length))) == nil)
        }
    }

    @Test(
        "SVG is found behind what may precede its first element",
        arguments: [
            "\u{feff}  \n<svg xmlns=\"http://www.w3.org/2000/svg\"/>",
            "<?xml version=\"1.0\"?>\n<!-- a > comment --><svg/>",
            "<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"svg11.dtd\" [ <!ENTITY a \"b\"> ]>\n<svg/>",
            "<?xml version=\"1.0\"?><s:svg xmlns:s=\"http://www.w3.org/2000/svg\">",
        ]
    )
    func scalableGraphics(_ text: String) {
        #expect(ImageFormat.detect(Data(text.utf8)) == .svg)
    }

    @Test(
        "SVG is found behind comments and document types of any usual length",
        arguments: [
            "<?xml version=\"1.0\"?><!-- \(String(repeating: "x > ", count: 10_000)) -->",
            "\u{feff}\n<!DOCTYPE svg [<!ENTITY a \"]>\(String(repeating: "y", count: 20_000))\">]>",
        ]
    )
    func longPrologues(_ prologue: String) throws {
        let text = prologue + "<svg xmlns=\"http://www.w3.org/2000/svg\"/>"
        let utf16 = Data([0xff, 0xfe]) + text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        for data in [Data(text.utf8), utf16] {
            #expect(ImageFormat.detectBehindComments(data, from: 4_096) == .svg)
            #expect(ImageFormat.detectBehindComments(data.dropLast(40), from: 4_096) != .png)
        }
        let other = prologue.replacing("DOCTYPE svg", with: "DOCTYPE other") + "<other/>"
        #expect(ImageFormat.detectBehindComments(Data(other.utf8), from: 4_096) == nil)
        #expect(ImageFormat.detectBehindComments(Data("<other/>".utf8), from: 4_096) == nil)
    }

    @Test(
        "text that starts like an image is none",
        arguments: ["BMW builds cars and motorbikes.", "GIF is a format", "II* pages", "RIFF raff, said the fox", "P7"]
    )
    func similarText(_ text: String) {
        #expect(ImageFormat.detect(Data(text.utf8)) == nil)
        #expect(ForeignContent.name(of: Data(text.utf8)) == "text")
    }

    @Test(
        "what is no image is named",
        arguments: [
            ("<!DOCTYPE html><html>", "HTML"), ("\n <HTML><head>", "HTML"), ("<p>Not found</p>", "HTML"),
            ("<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code></Error>", "XML"),
            ("{\"error\": 404}", "JSON"), ("[ {\"a\": 1} ]", "JSON"), ("{}", "JSON"), ("%PDF-1.7", "PDF"),
            ("404 page not found", "text"), ("nicht gefunden: für Bär", "text"), ("\u{1f}\u{8b}", nil),
            ("a\0b", nil),
        ] as [(String, String?)]
    )
    func foreignContent(_ text: String, name: String?) {
        #expect(ForeignContent.name(of: Data(text.utf8)) == name)
    }

    @Test("archives, videos and damaged bytes are told apart")
    func foreignBytes() {
        #expect(ForeignContent.name(of: Data([0x1f, 0x8b, 8, 0])) == "gzip")
        #expect(ForeignContent.name(of: Data([0x50, 0x4b, 3, 4])) == "ZIP")
        #expect(ForeignContent.name(of: Data("\0\0\0\u{18}ftypisom\0\0\0\0isomavif".utf8)) == "MP4 or other ISO media")
        #expect(ForeignContent.name(of: Data([0x80, 0x81, 0xfe, 0xff])) == nil)
        #expect(ForeignContent.name(of: Data("für".utf8).prefix(2)) == "text")
    }
}

@Suite("Formats of the public corpora", .enabled(if: PixelCorpus.isPresent, "the corpora are not there"))
struct FormatCorpusTests {
    @Test(
        "every image is recognized by its first bytes",
        arguments: [
            "avif", "bmp", "cur", "gif", "heic", "heif", "ico", "jpeg", "jxl", "png", "qoi", "svg", "tiff", "webp",
            "unknown", "svgz",
        ]
    )
    func everyImage(_ name: String) throws {
        // The manifest calls every file of the HEIF family "heif" whose major brand is general.
        let accepted: Set<ImageFormat?> =
            switch name {
            case "heif": [.heif, .heic, .avif]
            case "heic": [.heic, .heif]
            case "svgz": [.svg]
            case "unknown": [nil]
            default: [ImageFormat(rawValue: name)]
            }
        for row in try PixelCorpus.rows(format: name) {
            let beginning = try PixelCorpus.data(row.path).prefix(4_096)
            let format = ImageFormat.detect(beginning)
            // Damaged files may have lost their signature, but must not be taken for another format.
            let isRight = accepted.contains(format) || (row.expectation != "decodes" && format == nil)
            #expect(isRight, "\(row.path): \(format?.rawValue ?? "nothing")")
        }
    }
}
