import FoundationEssentials
import HalcyonRaster
import HalcyonTesting
import Testing

@testable import HalcyonCodecs

@Suite("A type hint")
struct TypeHintTests {
    private let codecs = ImageCodecs.all

    @Test("counts for bytes that tell no format")
    func unknown() throws {
        let bytes = Data([7, 7, 7, 7])
        #expect(try codecs.decoder(for: bytes, hint: .qoi).format == .qoi)
        #expect(throws: CodecError.unknownFormat(detected: nil)) { try codecs.decoder(for: bytes) }
        #expect(try codecs.decoder(for: Data("junk <svg>".utf8), hint: .qoi).format == .qoi)
    }

    @Test("takes no precedence over a signature, be it one of an image or of something else")
    func certain() throws {
        let png = try codecs.encode(Bitmap.sample(PixelSize(4, 3)), as: .png)
        #expect(try codecs.decoder(for: png, hint: .jpeg).format == .png)
        #expect(try codecs.decode(png, options: DecodeOptions(typeHint: .jpeg)).size == PixelSize(4, 3))
        for (text, name) in [("%PDF-1.7", "PDF"), ("<!DOCTYPE html><p>", "HTML"), ("<html>", "HTML")] {
            #expect(throws: CodecError.unknownFormat(detected: name)) {
                try codecs.info(of: Data(text.utf8), hint: .qoi)
            }
        }
        let without = ImageCodecs(decoders: [QOIDecoder()])
        let unsupported = CodecError.unsupported(.png, reason: "there is no decoder for this format")
        #expect(throws: unsupported) { try without.info(of: png, hint: .qoi) }
    }

    @Test("names the format that there is no decoder for")
    func noDecoder() {
        let raw = ImageFormat(rawValue: "raw")
        let error = CodecError.unsupported(raw, reason: "there is no decoder for this format")
        #expect(throws: error) { try codecs.info(of: Data([7, 7, 7, 7]), hint: raw) }
        #expect(throws: CodecError.empty) { try codecs.info(of: Data(), hint: .png) }
    }

    @Test("counts for the frames of an animation")
    func frames() {
        let raw = ImageFormat(rawValue: "raw")
        let error = CodecError.unsupported(raw, reason: "there is no decoder for this format")
        #expect(throws: error) { try codecs.frames(of: Data([7, 7, 7, 7]), options: DecodeOptions(typeHint: raw)) }
    }

    @Test("is not needed for a drawing behind a long comment")
    func drawing() throws {
        let comment = "<!-- \(String(repeating: "c", count: 40_000)) -->"
        let text = "\(comment)<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"20\" height=\"10\"/>"
        let options = DecodeOptions(typeHint: .svg)
        #expect(try codecs.decode(Data(text.utf8)).size == PixelSize(20, 10))
        #expect(try codecs.decode(Data(text.utf8), options: options).size == PixelSize(20, 10))
    }
}
