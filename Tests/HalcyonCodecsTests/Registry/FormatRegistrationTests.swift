import FoundationEssentials
import HalcyonFormats
import HalcyonRaster
import Testing

@testable import HalcyonCodecs

/// No test of this process registers one of the products' formats, so that they are unregistered here.
@Suite("Formats of products of their own")
struct FormatRegistrationTests {
    private static let stream = Data([0xFF, 0x0A, 0, 0, 0, 0])

    @Test("that nobody registered are an error that names the product and the call")
    func unregistered() {
        #expect(throws: CodecError.unregistered(.jxl)) { try ImageCodecs.standard.info(of: Self.stream) }
        #expect(throws: CodecError.unregistered(.jxl)) {
            try ImageCodecs.standard.encode(Bitmap.sample(PixelSize(2, 2)), as: .jxl)
        }
        let calls: [(ImageFormat, product: String, codecs: String)] = [
            (.heic, "HalcyonHEIC", "heic"), (.heif, "HalcyonHEIC", "heic"), (.jxl, "HalcyonJPEGXL", "jpegXL"),
            (.tiff, "HalcyonTIFF", "tiff"),
            (.svg, "HalcyonSVG", "svg"), (.mp4, "HalcyonVideo", "video"), (.webm, "HalcyonVideo", "video"),
        ]
        for (format, product, codecs) in calls {
            let text = "\(CodecError.unregistered(format))"
            #expect(text.contains("the product \(product),") && text.contains("ImageCodecs.register(.\(codecs))"))
        }
    }

    @Test("that are never written, or not asked for, are unsupported")
    func unsupported() {
        let encoder = CodecError.unsupported(.heic, reason: "there is no encoder for this format")
        #expect(throws: encoder) { try ImageCodecs.standard.encode(Bitmap.sample(PixelSize(2, 2)), as: .heic) }
        let decoder = CodecError.unsupported(.jxl, reason: "there is no decoder for this format")
        #expect(throws: decoder) { try ImageCodecs(decoders: [PNGDecoder()]).info(of: Self.stream) }
    }

    @Test("are read by codecs that they are added to, and by no others")
    func added() throws {
        let codecs = ImageCodecs.standard + [.jpegXL, .svg]
        #expect(codecs.canDecode(.jxl) && codecs.canEncode(.jxl) && codecs.canDecode(.svg) && !codecs.canDecode(.tiff))
        #expect(codecs.canDecode(.png) && !ImageCodecs.standard.canDecode(.jxl))
        #expect((codecs + [.svg, .all]).decoders.filter { $0.format == .svg }.count == 1)
        #expect(codecs.registering(decoder: TIFFDecoder()).decoders.first?.format == .tiff)
    }

    @Test("are read from their registration on, also by codecs that were there before")
    func registered() throws {
        let format = ImageFormat(rawValue: "registered")
        let file = Data("registered".utf8)
        let decoder = CustomImageDecoder(
            format: format,
            recognizes: { $0.starts(with: file) },
            info: { _, _ in ImageInfo(format: format, size: PixelSize(3, 2)) },
            decode: { _, _, _ in throw CodecError.empty }
        )
        let (before, added) = (ImageCodecs.standard, ImageCodecs.standard.registering(encoder: QOIEncoder()))
        #expect(!before.canDecode(format))
        ImageCodecs.register(FormatCodecs(decoders: [decoder]))
        ImageCodecs.register(FormatCodecs(decoders: [decoder]))
        for codecs in [before, added, .standard, .standard + [.svg]] {
            #expect(try codecs.info(of: file).size == PixelSize(3, 2))
            #expect(codecs.decoders.filter { $0.format == format }.count == 1)
        }
        #expect(!ImageCodecs.core.canDecode(format) && !ImageCodecs(decoders: [PNGDecoder()]).canDecode(format))
    }

    @Test("of videos come after those of images")
    func videos() {
        let decoders = FormatCodecs().replacing(with: [.video, .heic, .video]).decoders
        #expect(decoders.first?.format == .heic)
        #expect(decoders.count == FormatCodecs.video.decoders.count + 1)
    }
}
