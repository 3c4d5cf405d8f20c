import FoundationEssentials
import HalcyonRaster
import HalcyonTesting
import Testing

@testable import HalcyonCodecs
@testable import HalcyonTIFF

@Suite("TIFF encoding")
struct TIFFEncoderTests {
    private func decode(_ data: Data) throws -> DecodedImage {
        try TIFFDecoder().decode(data, options: DecodeOptions(), isCancelled: { false })
    }

    @Test("pixels come back as they were, premultiplied", arguments: [false, true])
    func roundTrip(_ hasAlpha: Bool) throws {
        // Larger than one strip of 64 kB.
        let original = try Bitmap.sample(PixelSize(301, 120), hasAlpha: hasAlpha)
        let data = try ImageCodecs.all.encode(original, as: .tiff)
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

    @Test("pages of different sizes and depths come back one by one")
    func pages() throws {
        let pages = [
            try Bitmap.sample(PixelSize(31, 12)), try Bitmap.sample(PixelSize(7, 90)).converted(to: .sixteen),
            try Bitmap.sample(PixelSize(64, 64)),
        ]
        let data = try ImageCodecs.all.encode(pages: pages, as: .tiff)
        #expect(try TIFFDecoder().info(of: data, limits: .standard).frameCount == 3)
        for (number, page) in pages.enumerated() {
            let options = DecodeOptions(frame: number, keepsSixteenBits: true)
            let image = try TIFFDecoder().decode(data, options: options, isCancelled: { false })
            #expect(image.bitmap.depth == page.depth && image.bitmap.greatestDifference(from: page) == 0)
        }
        let none = CodecError.cannotEncode(.tiff, reason: "0 pages; a file has 1 to 65535")
        #expect(throws: none) { try ImageCodecs.all.encode(pages: [], as: .tiff) }
        let error = CodecError.unsupported(.png, reason: "its encoder writes files of one image only")
        #expect(throws: error) { try ImageCodecs.all.encode(pages: pages, as: .png) }
    }

    @Test("the tags of EXIF are kept on request, in either byte order, and pixels stay", arguments: [false, true])
    func exif(_ isLittleEndian: Bool) throws {
        let block = Self.block(isLittleEndian)
        let original = try Bitmap.sample(PixelSize(40, 30))
        let options = EncodeOptions(metadata: ImageMetadata(exif: block), orientation: .right)
        let data = try TIFFEncoder().encode(original, options: options)
        let image = try decode(data)
        #expect(image.info.orientation == .right && image.info.size == PixelSize(40, 30))
        let read = try #require(try TIFFDecoder().metadata(of: data).exif)
        // What is read is little endian, with its tags in order, so that it stays as it is from then on.
        let again = try #require(try TIFFDecoder().metadata(of: reencoded(read)).exif)
        #expect(firstDifference(read, again) == nil)
        let tags = try #require(EXIF.tiffReader(of: read))
        let main = Self.entries(tags, at: try #require(tags.uint32(at: 4)))
        #expect(main.keys.sorted() == [271, 34_665])
        #expect(tags.bytes(at: try #require(main[271]?.offset), count: 8) == Data("Halcyon\0".utf8))
        let exif = Self.entries(tags, at: try #require(main[34_665]?.offset))
        #expect(exif.keys.sorted() == [33_434, 36_864])
        let exposure = try #require(exif[33_434]?.offset)
        #expect(tags.uint32(at: exposure) == 1 && tags.uint32(at: exposure + 4) == 250)
    }

    @Test("a block of EXIF that cannot be read adds nothing, and one that is damaged its sound tags alone")
    func damagedEXIF() throws {
        let block = Self.block(true)
        for length in 0..<block.count {
            let options = EncodeOptions(metadata: ImageMetadata(exif: block.prefix(length)))
            let data = try TIFFEncoder().encode(Bitmap.sample(PixelSize(5, 4)), options: options)
            #expect(try decode(data).bitmap.size == PixelSize(5, 4))
        }
    }

    private func reencoded(_ exif: Data) throws -> Data {
        let options = EncodeOptions(metadata: ImageMetadata(exif: exif))
        return try TIFFEncoder().encode(Bitmap.sample(PixelSize(5, 4)), options: options)
    }

    /// A maker in the first directory, and in that of EXIF an exposure of 1/250 s and the version; with a width in the
    /// first directory that is none of the file's.
    private static func block(_ isLittleEndian: Bool) -> Data {
        func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
            let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return isLittleEndian ? bytes : bytes.reversed()
        }
        func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
            number(tag, 2) + number(type, 2) + number(count, 4) + value
        }
        var bytes = Array((isLittleEndian ? "II" : "MM").utf8) + number(42, 2) + number(8, 4)
        bytes += number(3, 2) + entry(256, 4, 1, number(9, 4)) + entry(271, 2, 8, number(80, 4))
        bytes += entry(34_665, 4, 1, number(50, 4)) + number(0, 4)
        bytes +=
            number(2, 2) + entry(33_434, 5, 1, number(88, 4)) + entry(36_864, 7, 4, Array("0232".utf8)) + number(0, 4)
        bytes += Array("Halcyon\0".utf8) + number(1, 4) + number(250, 4)
        return Data(bytes)
    }

    private static func entries(_ reader: ByteReader, at place: Int) -> [Int: (count: Int, offset: Int)] {
        let count = reader.uint16(at: place) ?? 0
        let entries = (0..<count).compactMap { index -> (Int, (count: Int, offset: Int))? in
            let entry = place + 2 + 12 * index
            guard let tag = reader.uint16(at: entry), let count = reader.uint32(at: entry + 4),
                let offset = reader.uint32(at: entry + 8)
            else {
                return nil
            }
            return (tag, (count, offset))
        }
        return Dictionary(entries) { first, _ in first }
    }

    @Test("equal pixels make equal bytes")
    func determinism() throws {
        let bitmap = try Bitmap.sample(PixelSize(40, 30), hasAlpha: true)
        let files = try (0..<2).map { _ in try TIFFEncoder().encode(bitmap, options: EncodeOptions()) }
        #expect(firstDifference(files[0], files[1]) == nil)
    }
}
