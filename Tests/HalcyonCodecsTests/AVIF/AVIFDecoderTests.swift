import FoundationEssentials
import HalcyonRaster
import HalcyonTesting
import Testing

@testable import HalcyonCodecs

@Suite("AVIF decoding")
struct AVIFDecoderTests {
    private let decoder = AVIFDecoder()

    private func decode(_ data: Data, options: DecodeOptions = DecodeOptions()) throws -> DecodedImage {
        try decoder.decode(data, options: options, isCancelled: { false })
    }

    private func file(_ size: PixelSize, hasAlpha: Bool = false, quality: Int? = nil) throws -> Data {
        try QuickAVIFEncoder().encode(
            Bitmap.sample(size, hasAlpha: hasAlpha),
            options: EncodeOptions(quality: quality)
        )
    }

    @Test("images without loss come back as they were, premultiplied", arguments: [false, true])
    func lossless(_ hasAlpha: Bool) throws {
        let original = try Bitmap.sample(PixelSize(61, 40), hasAlpha: hasAlpha)
        let data = try file(original.size, hasAlpha: hasAlpha)
        let image = try decode(data)
        // Straight colours of small alpha are few, so that premultiplying them again may differ by a level.
        let difference = try #require(image.bitmap.greatestDifference(from: original))
        #expect(difference <= (hasAlpha ? 1 : 0))
        #expect(image.info.hasAlpha == hasAlpha && image.bitmap.isOpaque == !hasAlpha)
        #expect(image.info == ImageInfo(format: .avif, size: original.size, hasAlpha: hasAlpha))
        #expect(image.colorProfile == nil)
        #expect(try decoder.info(of: data, limits: .standard) == image.info)
    }

    @Test("straight colours can be had where comparing needs them")
    func straight() throws {
        let data = try file(PixelSize(16, 16), hasAlpha: true)
        var options = DecodeOptions()
        options.premultiplies = false
        let straight = try decode(data, options: options).bitmap
        let premultiplied = try decode(data).bitmap
        let alpha = Int(straight[6, 8][3])
        #expect(1..<255 ~= alpha && straight[6, 8][3] == premultiplied[6, 8][3])
        #expect(abs(Int(straight[6, 8][1]) * alpha / 255 - Int(premultiplied[6, 8][1])) <= 1)
        #expect(straight[6, 8][1] > premultiplied[6, 8][1])
    }

    @Test("the registry finds the decoder by the brands")
    func registered() throws {
        let data = try file(PixelSize(8, 8))
        #expect(try ImageCodecs.all.decoder(for: data).format == .avif)
        #expect(try ImageCodecs.all.info(of: data).size == PixelSize(8, 8))
        #expect(ImageCodecs.all.canEncode(.avif))
    }

    /// Quarters counter-clockwise, then top to bottom (0) or left to right (1).
    @Test(
        "irot and imir turn the image once, unless not wanted",
        arguments: [
            (1, 0, Orientation.leftMirrored), (1, 1, .rightMirrored), (2, 0, .upMirrored), (2, 1, .downMirrored),
            (3, 0, .rightMirrored), (3, 1, .leftMirrored), (0, 1, .upMirrored), (0, 0, .downMirrored),
        ]
    )
    func orientation(_ quarters: Int, _ axis: Int, _ expected: Orientation) throws {
        let original = try Bitmap.sample(PixelSize(30, 20))
        var bytes = AVIFBytes(try file(original.size))
        try bytes.replaceProperty("pixi", by: "irot", value: UInt8(quarters))
        try bytes.replaceProperty("colr", by: "imir", value: UInt8(axis))
        let image = try decode(bytes.data)
        #expect(image.info.orientation == expected && image.info.size == original.size)
        #expect(try image.bitmap.greatestDifference(from: original.oriented(expected)) == 0)
        let stored = try decode(bytes.data, options: DecodeOptions(appliesOrientation: false))
        #expect(stored.bitmap.greatestDifference(from: original) == 0 && stored.info == image.info)
    }

    /// An image of 30 × 20 pixels with further properties.
    private func file(_ properties: [UInt8]...) throws -> Data {
        let file = try file(PixelSize(30, 20))
        let configuration = try ["av1C", "colr"].map { try HEIFFixture.box($0, of: file).box }
        let item = HEIFFixture.Item(
            identifier: 1,
            type: "av01",
            content: try HEIFFixture.box("mdat", of: file).payload,
            properties: configuration + [HEIFFixture.size(30, 20)] + properties
        )
        return HEIFFixture(brand: "avif", items: [item], references: [], primary: 1).data
    }

    /// A clean aperture of fractions: width, height, and the offset of its centre.
    private static func aperture(_ fractions: (Int, Int)...) -> [UInt8] {
        HEIFFixture.box("clap", fractions.flatMap { HEIFFixture.number($0.0, 4) + HEIFFixture.number($0.1, 4) })
    }

    @Test("an image is cropped to a clean aperture in its corner, before it is turned")
    func cleanAperture() throws {
        let original = try Bitmap.sample(PixelSize(30, 20))
        let aperture = Self.aperture((28, 2), (13, 1), (-8, 1), (-7, 2))
        let expected = try original.cropped(to: PixelRect(x: 0, y: 0, width: 14, height: 13))
        let image = try decode(file(aperture))
        #expect(image.info.size == PixelSize(14, 13) && image.fullSize == image.size)
        #expect(image.bitmap.greatestDifference(from: expected) == 0)
        #expect(try decoder.info(of: file(aperture), limits: .standard) == image.info)
        let turned = try decode(file(aperture, HEIFFixture.box("irot", [1]), HEIFFixture.box("imir", [1])))
        #expect(turned.info.size == PixelSize(14, 13) && turned.size == PixelSize(13, 14))
        #expect(try turned.bitmap.greatestDifference(from: expected.oriented(.rightMirrored)) == 0)
    }

    @Test(
        "beside a clean aperture elsewhere, or one that is none, all of the image is shown, as in Chromium",
        arguments: [
            aperture((14, 1), (13, 1), (-10, 2), (3, 2)), aperture((14, 1), (20, 1), (0, 1), (0, 1)),
            aperture((31, 1), (20, 1), (0, 1), (0, 1)), aperture((14, 1), (20, 1), (9, 1), (0, 1)),
            aperture((14, 1), (20, 1), (-9, 1), (0, 1)), aperture((29, 2), (20, 1), (0, 1), (0, 1)),
            aperture((14, 1), (20, 1), (1, 4), (0, 1)), aperture((14, 0), (20, 1), (0, 1), (0, 1)),
            aperture((14, 1), (20, 1), (0, 0), (0, 1)), aperture((0, 1), (20, 1), (0, 1), (0, 1)),
            aperture((0xffff_ffff, 1), (20, 1), (0x7fff_ffff, 1), (0, 1)),
            aperture((14, 1), (20, 1), (-0x8000_0000, 0x7fff_ffff), (0, -1)),
        ] as [[UInt8]]
    )
    func impossibleAperture(_ property: [UInt8]) throws {
        let image = try decode(file(property))
        #expect(image.info.size == PixelSize(30, 20))
        #expect(try image.bitmap.greatestDifference(from: Bitmap.sample(PixelSize(30, 20))) == 0)
    }

    @Test("each quarter turn alone", arguments: zip(0...3, [Orientation.up, .left, .down, .right]))
    func rotation(_ quarters: Int, _ expected: Orientation) throws {
        var bytes = AVIFBytes(try file(PixelSize(30, 20)))
        try bytes.replaceProperty("pixi", by: "irot", value: UInt8(quarters))
        #expect(try decode(bytes.data).info.orientation == expected)
    }

    @Test("EXIF orientation does not count")
    func exifOrientation() throws {
        let metadata = ImageMetadata(exif: EXIFBlock(orientation: 6).data)
        let data = try QuickAVIFEncoder().encode(
            Bitmap.sample(PixelSize(16, 8)),
            options: EncodeOptions(metadata: metadata)
        )
        #expect(try decode(data).info.orientation == .up)
        // The encoder writes it as upright, because its pixels are.
        #expect(try decoder.metadata(of: data).exif == EXIFBlock(orientation: 1).data)
    }

    @Test("a turn that readers may ignore is refused (MIAF)")
    func optionalTransformation() throws {
        var bytes = AVIFBytes(try file(PixelSize(30, 20)))
        try bytes.replaceProperty("pixi", by: "irot", value: 1, isEssential: false)
        #expect(throws: CodecError.self) { try decode(bytes.data) }
    }

    @Test("files whose last box has no size, and whose alpha has its own list of properties, decode")
    func amendments() throws {
        let original = try Bitmap.sample(PixelSize(24, 24), hasAlpha: true)
        let file = try file(original.size, hasAlpha: true)
        let expected = try decode(file).bitmap

        var open = AVIFBytes(file)
        open.set([0, 0, 0, 0], at: try open.start(ofBox: "mdat"))
        #expect(try decode(open.data).bitmap.greatestDifference(from: expected) == 0)

        var split = AVIFBytes(file)
        try split.splitAssociations()
        #expect(AVIFContainer(split.data, frameCount: 1).data != split.data)
        let image = try decode(split.data)
        #expect(image.info.hasAlpha && image.bitmap.greatestDifference(from: expected) == 0)
        // Amended in a copy only.
        #expect(firstDifference(AVIFContainer(file, frameCount: 1).data, file) == nil)
    }

    @Test("metadata and the colour profile come back")
    func metadata() throws {
        let metadata = ImageMetadata(
            exif: EXIFBlock(orientation: 1).data,
            xmp: Data("<x:xmpmeta/>".utf8),
            iccProfile: ICCProfileBytes.version4([("en", "Display P3")])
        )
        let data = try QuickAVIFEncoder().encode(
            Bitmap.sample(PixelSize(16, 8)),
            options: EncodeOptions(metadata: metadata, colorProfile: metadata.iccProfile.map { .icc($0) })
        )
        #expect(try decoder.metadata(of: data) == metadata)
        let image = try decode(data)
        #expect(image.info.colorSpace == .icc(description: "Display P3"))
        #expect(try image.colorProfile == .icc(#require(metadata.iccProfile)))
    }

    @Test("code points other than those of sRGB are handed out")
    func codePoints() throws {
        #expect(ColorProfile(primaries: 9, transfer: 16) == .codePoints(primaries: 9, transfer: 16))
        #expect(ColorProfile(primaries: 12, transfer: 2) == .codePoints(primaries: 12, transfer: 13))
        #expect(ColorProfile(primaries: 2, transfer: 2) == nil)
        #expect(ColorProfile(primaries: 1, transfer: 13) == nil)
        var bytes = AVIFBytes(try file(PixelSize(8, 8), quality: 50))
        // colr: size, type, "nclx", primaries, transfer, matrix, range.
        let colors = try bytes.start(ofBox: "meta", "iprp", "ipco", "colr")
        bytes.set([0, 9, 0, 16], at: colors + 12)
        let image = try decode(bytes.data)
        #expect(image.colorProfile == .codePoints(primaries: 9, transfer: 16))
        #expect(image.info.colorSpace == .codePoints(primaries: 9, transfer: 16))
    }
}
