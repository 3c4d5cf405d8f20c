import FoundationEssentials
import HalcyonRaster
import HalcyonTesting
import Testing

@testable import HalcyonCodecs
@testable import HalcyonJPEGXL

@Suite("JPEG files as JPEG XL")
struct JPEGXLTranscodingTests {
    private let codecs = ImageCodecs.all

    private func jpeg(_ options: EncodeOptions) throws -> Data {
        try JPEGEncoder().encode(TestImages.photo(160, 120), options: options)
    }

    @Test(
        "a repacked JPEG file is smaller, and is restored byte for byte",
        arguments: [
            EncodeOptions(), EncodeOptions(quality: 95), EncodeOptions(isProgressive: true),
            EncodeOptions(metadata: ImageMetadata(exif: EXIFBlock(orientation: 1).data, xmp: Data("<x/>".utf8))),
        ]
    )
    func restored(_ options: EncodeOptions) throws {
        let jpeg = try jpeg(options)
        let repacked = try codecs.transcode(jpeg)
        #expect(ImageFormat.detect(repacked) == .jxl && repacked.count < jpeg.count)
        let restored = try #require(try codecs.restoredJPEG(of: repacked))
        #expect(firstDifference(restored, jpeg) == nil)
        #expect(try codecs.info(of: repacked).file.isLossless == false)
        let (before, after) = (try codecs.decode(jpeg).bitmap, try codecs.decode(repacked).bitmap)
        // libjxl reconstructs samples with more precision than libjpeg does.
        #expect(try #require(after.greatestDifference(from: before)) < 24)
    }

    @Test("an image that was never a JPEG file restores to none")
    func others() throws {
        let bitmap = try Bitmap.sample(PixelSize(20, 10))
        let image = try JPEGXLEncoder().encode(bitmap, options: EncodeOptions())
        #expect(try codecs.restoredJPEG(of: image) == nil)
        #expect(try codecs.restoredJPEG(of: PNGEncoder().encode(bitmap, options: EncodeOptions())) == nil)
    }

    @Test("what is no whole JPEG file is refused, and so is a target that cannot hold one")
    func refusals() throws {
        let jpeg = try jpeg(EncodeOptions())
        #expect(throws: CodecError.self) { try codecs.transcode(Data("no image".utf8)) }
        #expect(throws: CodecError.self) { try codecs.transcode(jpeg.prefix(100)) }
        let error = CodecError.unsupported(.png, reason: "its encoder does not repack JPEG files")
        #expect(throws: error) { try codecs.transcode(jpeg, to: .png) }
    }

    @Test("every part of a repacked file is refused, not restored wrongly")
    func parts() throws {
        let jpeg = try jpeg(EncodeOptions())
        let repacked = try codecs.transcode(jpeg)
        for length in stride(from: 0, to: repacked.count - 1, by: 97) {
            let restored = try? codecs.restoredJPEG(of: repacked.prefix(length))
            #expect(restored.flatMap { $0 } == nil)
        }
    }
}
