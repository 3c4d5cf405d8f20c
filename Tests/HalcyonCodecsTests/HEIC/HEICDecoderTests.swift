import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs
@testable import HalcyonHEIC

@Suite("HEIC decoding")
struct HEICDecoderTests {
    private let decoder = HEICDecoder()

    private func decode(_ data: Data, options: DecodeOptions = DecodeOptions()) throws -> DecodedImage {
        try decoder.decode(data, options: options, isCancelled: { false })
    }

    @Test("an image without alpha")
    func opaque() throws {
        let image = try decode(HEICBytes.plain)
        #expect(image.info == ImageInfo(format: .heic, size: PixelSize(32, 24)))
        #expect(image.bitmap.isOpaque && image.size == PixelSize(32, 24))
        let difference = try image.bitmap.greatestDifference(from: .sample(PixelSize(32, 24)))
        #expect(try #require(difference) < 12)
        #expect(try decoder.info(of: HEICBytes.plain, limits: .standard) == image.info)
    }

    @Test("alpha is premultiplied; EXIF orientation does not count")
    func alpha() throws {
        let image = try decode(HEICBytes.rich)
        #expect(image.info == ImageInfo(format: .heic, size: PixelSize(64, 48), hasAlpha: true))
        #expect(image.bitmap[4, 4] == [0, 0, 0, 0])
        #expect(image.bitmap[60, 24][3] == 255 && image.bitmap[60, 24][0] > 190)
        #expect(!image.bitmap.isOpaque)
    }

    @Test("metadata is read")
    func metadata() throws {
        let metadata = try decoder.metadata(of: HEICBytes.rich)
        #expect(metadata.exif == EXIFBlock(orientation: 6).data)
        #expect(metadata.xmp == Data("<x:xmpmeta/>".utf8))
        #expect(metadata.iccProfile == nil)
        #expect(try decoder.metadata(of: HEICBytes.plain) == ImageMetadata())
    }

    @Test("an embedded thumbnail stands in on request, where it is large enough")
    func thumbnail() throws {
        func size(_ target: PixelSize?, _ isWanted: Bool = true) throws -> PixelSize {
            let options = DecodeOptions(targetSize: target, usesEmbeddedThumbnail: isWanted)
            let image = try decode(HEICBytes.rich, options: options)
            #expect(image.info.size == PixelSize(64, 48) && image.fullSize == PixelSize(64, 48))
            return image.size
        }
        #expect(try size(nil) == PixelSize(16, 12))
        #expect(try size(PixelSize(16, 12)) == PixelSize(16, 12))
        #expect(try size(PixelSize(17, 12)) == PixelSize(64, 48))
        #expect(try size(PixelSize(8, 6), false) == PixelSize(64, 48))
    }

    @Test("irot and imir are applied once, by libheif", arguments: [(0, 32, 24), (1, 24, 32)])
    func rotation(_ quarters: Int, _ width: Int, _ height: Int) throws {
        var bytes = AVIFBytes(HEICBytes.plain)
        // The second item, a grid, has the size and this as its properties.
        let property = try bytes.start(ofBox: "meta", "iprp", "ipco", "pixi")
        bytes.set(Array("irot".utf8) + [UInt8(quarters)], at: property + 4)
        let image = try decode(bytes.data)
        #expect(image.info.size == PixelSize(width, height) && image.size == image.info.size)
        #expect(image.info.orientation == .up)
        let expected = try Bitmap.sample(PixelSize(32, 24)).oriented(quarters == 1 ? .left : .up)
        #expect(try #require(image.bitmap.greatestDifference(from: expected)) < 12)
    }

    @Test("the registry finds the decoder by the brands, and never for AVIF")
    func detection() throws {
        #expect(try ImageCodecs.all.decoder(for: HEICBytes.plain) is HEICDecoder)
        #expect(try ImageCodecs.all.info(of: HEICBytes.rich).format == .heic)
        var general = AVIFBytes(HEICBytes.plain)
        for offset in [8, 20] { general.set(Array("mif1".utf8), at: offset) }
        #expect(ImageFormat.detect(general.data) == .heif)
        #expect(try ImageCodecs.all.info(of: general.data).format == .heic)
        let avif = try QuickAVIFEncoder().encode(.sample(PixelSize(8, 8)), options: EncodeOptions())
        #expect(!decoder.recognizes(avif.prefix(64)))
    }

    @Test("AV1 in a file of general brands is found by its item")
    func generalAVIF() throws {
        let original = try Bitmap.sample(PixelSize(24, 16))
        let file = try QuickAVIFEncoder(chromaSampling: .yuv444).encode(
            original,
            options: EncodeOptions(quality: 95)
        )
        let bytes = AVIFBytes(file).withBrand("mif1")
        #expect(ImageFormat.detect(bytes.data) == .heif)
        let image = try ImageCodecs.all.decode(bytes.data)
        #expect(image.info.format == .avif && image.size == original.size)
        #expect(try #require(image.bitmap.greatestDifference(from: original)) < 12)
    }

    @Test("other codings are unsupported by name, and sequences as such")
    func unsupported() throws {
        var bytes = AVIFBytes(HEICBytes.plain)
        while let type = bytes.data.firstRange(of: Data("grid".utf8)) {
            bytes.set(Array("unci".utf8), at: type.lowerBound)
        }
        #expect(throws: CodecError.unsupported(.heic, reason: "its image is coded as unci")) {
            try decode(bytes.data)
        }
        let sequence =
            Data([0, 0, 0, 20] + Array("ftypmsf1".utf8) + [0, 0, 0, 0] + Array("hevc".utf8))
            + Data([0, 0, 0, 8] + Array("moov".utf8))
        #expect(throws: CodecError.unsupported(.heic, reason: "it is an image sequence")) {
            try decode(sequence)
        }
    }
}
