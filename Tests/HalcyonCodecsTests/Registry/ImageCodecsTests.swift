import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import HalcyonTesting
import Testing

@Suite("The set of codecs")
struct ImageCodecsTests {
    @Test("no bytes are empty, foreign bytes are named, known formats without a decoder are unsupported")
    func errors() {
        let codecs = ImageCodecs.all
        #expect(throws: CodecError.empty) { try codecs.info(of: Data()) }
        #expect(throws: CodecError.unknownFormat(detected: "HTML")) { try codecs.info(of: Data("<html>".utf8)) }
        #expect(throws: CodecError.unknownFormat(detected: nil)) { try codecs.decode(Data([0, 1, 2])) }
        let qoi = CodecError.unsupported(.qoi, reason: "there is no decoder for this format")
        #expect(throws: qoi) { try ImageCodecs(decoders: [PNGDecoder()]).decode(Data("qoif and more".utf8)) }
        #expect(throws: CodecError.unsupported(.heic, reason: "there is no encoder for this format")) {
            try codecs.encode(Bitmap.sample(PixelSize(2, 2)), as: .heic)
        }
    }

    @Test(
        "what is encoded is recognized by its bytes and decoded again",
        arguments: [ImageFormat.jpeg, .webp, .bmp, .qoi]
    )
    func roundTrip(_ format: ImageFormat) throws {
        let codecs = ImageCodecs.all
        #expect(codecs.canEncode(format) && codecs.canDecode(format))
        let data = try codecs.encode(Bitmap.sample(PixelSize(40, 30)), as: format)
        #expect(try codecs.info(of: data).format == format)
        #expect(try codecs.decode(data).size == PixelSize(40, 30))
    }

    @Test("the codec registered last is asked first, and the set it was added to stays as it was")
    func registration() throws {
        let standard = ImageCodecs.all
        let codecs = standard.registering(decoder: OneColor()).registering(encoder: OneColor())
        let data = try codecs.encode(Bitmap.sample(PixelSize(4, 4)), as: .jpeg)
        #expect(firstDifference(data, OneColor.file) == nil)
        #expect(try codecs.info(of: data).size == PixelSize(7, 7))
        #expect(try standard.encode(Bitmap.sample(PixelSize(4, 4)), as: .jpeg) != OneColor.file)
        #expect(codecs.decoders.count == standard.decoders.count + 1)
    }

    @Test("a decoder for a new format needs no change elsewhere")
    func newFormat() throws {
        let format = ImageFormat(rawValue: "one-color")
        let file = Data("1color".utf8)
        let codec = OneColor(format: format, file: file)
        let codecs = ImageCodecs.all.registering(decoder: codec).registering(encoder: codec)
        #expect(codecs.canDecode(format) && codecs.canEncode(format))
        #expect(try codecs.info(of: file).format == format)
        let image = try codecs.decode(file)
        #expect(image.size == PixelSize(7, 7) && image.info.format == format)
        #expect(try codecs.encode(image.bitmap, as: format) == file)
        let frames = try codecs.frames(of: file)
        #expect(frames.frameCount == 1)
        #expect(try frames.next()?.bitmap.size == PixelSize(7, 7))
        #expect(throws: CodecError.unknownFormat(detected: "text")) { try ImageCodecs.all.info(of: file) }
    }
}

/// A codec whose files are all the same.
private struct OneColor: ImageDecoder, ImageEncoder {
    static let file = Data([0xff, 0xd8, 0xff, 0x21])

    var format = ImageFormat.jpeg
    var file = Self.file

    func recognizes(_ prefix: Data) -> Bool { prefix == file }

    func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        ImageInfo(format: format, size: PixelSize(7, 7))
    }

    func decode(_ data: Data, options: DecodeOptions, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        DecodedImage(bitmap: try Bitmap(size: PixelSize(7, 7)), info: try info(of: data, limits: options.limits))
    }

    func encode(_ bitmap: Bitmap, options: EncodeOptions) throws(CodecError) -> Data { file }

    @Test(
        "colours of a profile become sRGB in formats that have no place for it",
        arguments: ImageCodecs.all.encoders.map(\.format)
    )
    func profilesWithoutPlace(format: ImageFormat) throws {
        let profile = ColorProfile.icc(
            TestProfile.matrix(TestProfile.displayP3, curve: TestProfile.gamma(2.2), name: "Wide")
        )
        var bitmap = try Bitmap(size: PixelSize(16, 16), isOpaque: true)
        bitmap.fill(PixelRect(x: 0, y: 0, width: 16, height: 16), with: Color(red: 0.7, green: 0.4, blue: 0.5))
        var converted = bitmap
        try converted.convertToSRGB(from: profile)
        let data = try ImageCodecs.all.encode(
            bitmap,
            as: format,
            options: EncodeOptions(quality: nil, colorProfile: profile)
        )
        guard (try? ImageCodecs.all.decoder(for: data)) != nil else { return }
        let (shown, expected) = (try ImageCodecs.all.decode(data).bitmap.pixel(8, 8), converted.pixel(8, 8))
        #expect(abs(shown.red - expected.red) <= 3 && abs(shown.green - expected.green) <= 3, "\(shown)")
        #expect(abs(shown.blue - expected.blue) <= 3)
    }
}
