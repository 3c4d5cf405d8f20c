import FoundationEssentials
import HalcyonRaster
import Testing

@testable import HalcyonCodecs

@Suite("Metadata in PNG and WebP")
struct EmbeddedMetadataTests {
    private static let metadata = ImageMetadata(
        exif: EXIFBlock(orientation: 6).data,
        xmp: Data("<x:xmpmeta xmlns:x='adobe:ns:meta/'>ü</x:xmpmeta>".utf8),
        iccProfile: ICCProfileBytes.version4([("en", "Display P3")])
    )

    private let codecs = ImageCodecs.all

    @Test(
        "what is embedded comes back, with an orientation of 1",
        arguments: [ImageFormat.png, .webp],
        [true, false]
    )
    func roundTrip(_ format: ImageFormat, isAnimated: Bool) throws {
        let bitmap = try TestImages.photo(20, 10)
        let options = EncodeOptions(metadata: Self.metadata, colorProfile: Self.metadata.iccProfile.map { .icc($0) })
        let frames = try [bitmap, TestImages.translucent(20, 10)].map { AnimationFrame(bitmap: $0, duration: 50) }
        let data =
            isAnimated
            ? try codecs.encode(frames, as: format, options: options)
            : try codecs.encode(bitmap, as: format, options: options)
        var expected = Self.metadata
        expected.exif = EXIFBlock(orientation: 1).data
        #expect(try codecs.metadata(of: data) == expected)
        let info = try codecs.info(of: data)
        #expect(info.orientation == .up && info.frameCount == (isAnimated ? 2 : 1))
        #expect(info.colorSpace == .icc(description: "Display P3"))
        #expect(try codecs.decode(data, options: DecodeOptions(color: .asStored)).size == bitmap.size)
    }

    @Test("the thumbnail of the image as it was goes, with all of its bytes, and so does the orientation in XMP")
    func outdatedMetadata() throws {
        let thumbnail = Data([0xff, 0xd8, 7, 7, 7, 0xff, 0xd9])
        var exif = Data([0x4d, 0x4d, 0, 42, 0, 0, 0, 8])
        exif += [0, 1, 1, 18, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 26 - 4 + 4]
        exif += [0, 2] + [2, 1, 0, 4, 0, 0, 0, 1, 0, 0, 0, 56] + [2, 2, 0, 4, 0, 0, 0, 1, 0, 0, 0, 7] + [0, 0, 0, 0]
        exif += thumbnail
        let texts = ["tiff:Orientation=\"6\"", "<tiff:Orientation>3</tiff:Orientation>", "tiff:Orientation='x'"]
        let xmp = Data("<x:xmpmeta xmlns:x='adobe:ns:meta/'>\(texts.joined())</x:xmpmeta>".utf8)
        try #require(exif[56...] == thumbnail)
        let options = EncodeOptions(metadata: ImageMetadata(exif: exif, xmp: xmp))
        for format in [ImageFormat.jpeg, .png, .webp] {
            let file = try codecs.encode(TestImages.photo(20, 10), as: format, options: options)
            let metadata = try codecs.metadata(of: file)
            let (block, packet) = (try #require(metadata.exif), try #require(metadata.xmp))
            #expect(block.count == exif.count && block.firstRange(of: thumbnail) == nil)
            #expect(EXIF.orientation(in: block) == .up && block[26..<56].allSatisfy { $0 == 0 })
            let text = String(decoding: packet, as: UTF8.self)
            #expect(text.contains("tiff:Orientation=\"1\"<tiff:Orientation>1</tiff:Orientation>tiff:Orientation='x'"))
        }
    }

    @Test("the sizes that XMP states are those of the pixels")
    func outdatedSizes() throws {
        let stated = "exif:PixelXDimension='4000' exif:PixelYDimension = \"3\"><tiff:ImageWidth>4000</tiff:ImageWidth"
        let texts = [stated, "<tiff:ImageLength></tiff:ImageLength>", "tiff:ImageWidthOf='9'"]
        let options = EncodeOptions(metadata: ImageMetadata(xmp: Data(texts.joined().utf8)))
        let file = try codecs.encode(TestImages.photo(20, 10), as: .png, options: options)
        let expected = stated.replacing("4000", with: "20").replacing("\"3\"", with: "\"10\"")
        let packet = try #require(try codecs.metadata(of: file).xmp)
        #expect(String(decoding: packet, as: UTF8.self) == ([expected] + texts.dropFirst()).joined())
    }

    @Test("the strips of a plain thumbnail go as well, and nothing else", arguments: [false, true])
    func plainThumbnail(isBigEndian: Bool) throws {
        func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
            let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return isBigEndian ? bytes.reversed() : bytes
        }
        func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
            number(tag, 2) + number(type, 2) + number(count, 4) + value + [UInt8](repeating: 0, count: 4 - value.count)
        }
        // The header, a directory with an orientation, and one with two strips whose lengths are SHORT.
        var exif = Array((isBigEndian ? "MM" : "II").utf8) + number(42, 2) + number(8, 4)
        exif += number(1, 2) + entry(274, 3, 1, number(1, 2)) + number(26, 4)
        exif += number(2, 2) + entry(273, 4, 2, number(56, 4))
        exif += entry(279, 3, 2, number(3, 2) + number(4, 2)) + number(0, 4)
        exif += number(64, 4) + number(67, 4) + [9, 9, 9] + [8, 8, 8, 8] + Array("kept".utf8)
        let result = EXIF.withoutThumbnail(Data(exif))
        #expect(result.count == exif.count && result.suffix(4) == Data("kept".utf8))
        #expect(result[64..<71].allSatisfy { $0 == 0 } && result.prefix(22) == Data(exif.prefix(22)))
        #expect(EXIF.orientation(in: result) == .up)
    }

    @Test("blocks begin at the index 0 and keep no file", arguments: [ImageFormat.jpeg, .png, .webp, .avif])
    func copies(_ format: ImageFormat) throws {
        let options = EncodeOptions(metadata: Self.metadata)
        let metadata = try codecs.metadata(of: codecs.encode(TestImages.photo(20, 10), as: format, options: options))
        #expect(metadata.exif?.startIndex == 0 && metadata.xmp?.startIndex == 0)
        #expect(metadata.exif?.first == Self.metadata.exif?.first)
    }

    @Test(
        "pixels that were kept as stored keep their orientation",
        arguments: [ImageFormat.jpeg, .png, .webp, .avif, .jxl, .tiff].filter(ImageCodecs.all.canEncode)
    )
    func storedOrientation(_ format: ImageFormat) throws {
        let bitmap = try TestImages.photo(20, 10)
        for orientation in Orientation.allCases {
            let file = try codecs.encode(bitmap, as: format, options: EncodeOptions(orientation: orientation))
            let stored = try codecs.decode(file, options: DecodeOptions(appliesOrientation: false))
            #expect(stored.info.orientation == orientation && stored.size == PixelSize(20, 10))
            #expect(stored.fullSize == stored.size)
            let metadata = try codecs.metadata(of: file)
            #expect(format == .tiff || metadata.exif.flatMap(EXIF.orientation) ?? .up == orientation)
            let options = EncodeOptions(metadata: metadata, orientation: stored.info.orientation)
            let copy = try codecs.decode(codecs.encode(stored.bitmap, as: format, options: options))
            #expect(copy.size == orientation.displaySize(of: PixelSize(20, 10)))
        }
    }

    @Test("nothing is embedded unless asked for", arguments: [ImageFormat.png, .webp, .gif])
    func nothing(_ format: ImageFormat) throws {
        let data = try codecs.encode(TestImages.photo(20, 10), as: format)
        #expect(try codecs.metadata(of: data) == ImageMetadata())
    }

    @Test("each part stands alone", arguments: [ImageFormat.png, .webp])
    func parts(_ format: ImageFormat) throws {
        for metadata in [
            ImageMetadata(exif: EXIFBlock(orientation: 1).data), ImageMetadata(xmp: Self.metadata.xmp),
            ImageMetadata(iccProfile: Self.metadata.iccProfile),
        ] {
            let options = EncodeOptions(metadata: metadata, colorProfile: metadata.iccProfile.map { .icc($0) })
            let data = try codecs.encode(TestImages.translucent(20, 10), as: format, options: options)
            #expect(try codecs.metadata(of: data) == metadata)
        }
    }

    @Test("the prefix that belongs to JPEG is left out, on the way in and out", arguments: [ImageFormat.png, .webp])
    func prefix(_ format: ImageFormat) throws {
        let block = EXIFBlock(orientation: 1).data
        let options = EncodeOptions(metadata: ImageMetadata(exif: Data("Exif\0\0".utf8) + block))
        let data = try codecs.encode(TestImages.photo(20, 10), as: format, options: options)
        #expect(try codecs.metadata(of: data).exif == block)
    }

    @Test("compressed XMP in PNG is read")
    func compressed() throws {
        let xmp = Array("<x/>".utf8)
        let data = PNGBytes.file([
            PNGBytes.header(1, 1, colorType: 0),
            PNGBytes.chunk("iTXt", Array("XML:com.adobe.xmp".utf8) + [0, 1, 0, 0, 0] + PNGBytes.stored(xmp)),
            PNGBytes.chunk("IDAT", PNGBytes.stored([0, 0])), PNGBytes.end,
        ])
        #expect(try codecs.metadata(of: data).xmp == Data(xmp))
    }

    @Test("damaged and cut files give what is intact, or a typed error", arguments: [ImageFormat.png, .webp])
    func damage(_ format: ImageFormat) throws {
        let options = EncodeOptions(metadata: Self.metadata, colorProfile: Self.metadata.iccProfile.map { .icc($0) })
        let data = try codecs.encode(TestImages.photo(20, 10), as: format, options: options)
        for length in 0..<data.count {
            _ = try? codecs.metadata(of: data.prefix(length))
        }
        var random = SeededRandom(seed: 3)
        for _ in 0..<500 {
            do {
                _ = try codecs.metadata(of: random.damage(data))
            } catch {
                #expect(error as Any is CodecError)
            }
        }
    }
}
