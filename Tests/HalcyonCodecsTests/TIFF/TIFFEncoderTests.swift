#if TIFF
import HalcyonTesting
import FoundationEssentials
import HalcyonCodecs
import HalcyonRaster
import Testing

@Suite("TIFF encoding")
struct TIFFEncoderTests {
    private func decode(_ data: Data) throws -> DecodedImage {
        try TIFFDecoder().decode(data, options: DecodeOptions(), isCancelled: { false })
    }

    @Test("pixels come back as they were, premultiplied", arguments: [false, true])
    func roundTrip(_ hasAlpha: Bool) throws {
        // Larger than one strip of 64 kB.
        let original = try Bitmap.sample(PixelSize(301, 120), hasAlpha: hasAlpha)
        let data = try ImageCodecs.standard.encode(original, as: .tiff)
        #expect(ImageFormat.detect(data) == .tiff)
        let image = try decode(data)
        // Straight colours of small alpha are few, so that premultiplying them again may differ by a level.
        let difference = try #require(image.bitmap.greatestDifference(from: original))
        #expect(difference <= (hasAlpha ? 1 : 0))
        #expect(image.info.hasAlpha == hasAlpha && image.bitmap.isOpaque == !hasAlpha)
        #expect(data.count < original.byteCount / 2)
    }

    @Test("16 bits a sample stay", arguments: [false, true])
    func sixteenBits(_ hasAlpha: Bool) throws {
        let original = try Bitmap.sample(PixelSize(31, 12), hasAlpha: hasAlpha).converted(to: .sixteen)
        let data = try TIFFEncoder().encode(original, options: EncodeOptions())
        let options = DecodeOptions(keepsSixteenBits: true)
        let image = try TIFFDecoder().decode(data, options: options, isCancelled: { false })
        #expect(image.bitmap.depth == .sixteen && image.info.bitDepth == 16)
        #expect(
            zip(image.bitmap.straightRGBA16(), original.straightRGBA16()).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
        )
    }

    @Test("a colour profile and an XMP packet are kept on request")
    func metadata() throws {
        let profile = ICCProfileBytes.version4([("en", "Display P3")])
        let xmp = Data("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)
        let options = EncodeOptions(metadata: ImageMetadata(xmp: xmp, iccProfile: profile), colorProfile: .icc(profile))
        let data = try TIFFEncoder().encode(Bitmap.sample(PixelSize(4, 4)), options: options)
        #expect(try decode(data).info.colorSpace == .icc(description: "Display P3"))
        let bare = try TIFFEncoder().encode(Bitmap.sample(PixelSize(4, 4)), options: EncodeOptions())
        #expect(try TIFFDecoder().metadata(of: data) == options.metadata)
        #expect(try TIFFDecoder().metadata(of: bare) == ImageMetadata())
        #expect(try decode(bare).info.colorSpace == .sRGB)
    }

    @Test("equal pixels make equal bytes")
    func determinism() throws {
        let bitmap = try Bitmap.sample(PixelSize(40, 30), hasAlpha: true)
        let files = try (0..<2).map { _ in try TIFFEncoder().encode(bitmap, options: EncodeOptions()) }
        #expect(firstDifference(files[0], files[1]) == nil)
    }
}
#endif
