import FoundationEssentials
import HalcyonRaster
import HalcyonTesting
import Testing

@testable import HalcyonCodecs

@Suite("JPEG metadata")
struct JPEGMetadataTests {
    private let bitmap: Bitmap

    init() throws {
        bitmap = try Bitmap.sample(PixelSize(20, 10))
    }

    private func encode(_ metadata: ImageMetadata) throws -> Data {
        let options = EncodeOptions(metadata: metadata, colorProfile: metadata.iccProfile.map { .icc($0) })
        return try JPEGEncoder().encode(bitmap, options: options)
    }

    @Test("what is written is read again, with the orientation as upright")
    func roundTrip() throws {
        let xmp = Data("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"/>".utf8)
        let profile = ICCProfileBytes.version2("Wide")
        let written = ImageMetadata(exif: EXIFBlock(orientation: 6).data, xmp: xmp, iccProfile: profile)
        let file = try encode(written)
        let read = try JPEGDecoder().metadata(of: file)
        #expect(read.exif == EXIFBlock(orientation: 1).data)
        #expect(read.xmp == xmp)
        #expect(read.iccProfile == profile)
        let image = try JPEGDecoder().decode(file, options: DecodeOptions(), isCancelled: { false })
        #expect(image.info.orientation == .up)
        #expect(image.size == bitmap.size)
        #expect(try JPEGDecoder().metadata(of: encode(ImageMetadata())) == ImageMetadata())
        #expect(
            try firstDifference(encode(ImageMetadata()), JPEGEncoder().encode(bitmap, options: EncodeOptions())) == nil
        )
    }

    @Test("a profile takes as many segments as it needs", arguments: [1, 65_519, 65_520, 200_000])
    func longProfiles(_ count: Int) throws {
        var random = SeededRandom(seed: UInt64(count))
        let profile = Data((0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) })
        let file = try encode(ImageMetadata(iccProfile: profile))
        #expect(try JPEGDecoder().metadata(of: file).iccProfile == profile)
    }

    @Test("what a segment cannot hold is refused")
    func tooLong() throws {
        func expectRefusal(_ metadata: ImageMetadata, _ reason: String) {
            #expect(throws: CodecError.cannotEncode(.jpeg, reason: reason)) { try encode(metadata) }
        }
        _ = try encode(ImageMetadata(exif: Data(count: 65_527), xmp: Data(count: 65_504)))
        expectRefusal(
            ImageMetadata(exif: Data(count: 65_528)),
            "an EXIF block that takes 65534 bytes; a segment can have 65533"
        )
        expectRefusal(
            ImageMetadata(xmp: Data(count: 65_505)),
            "an XMP packet that takes 65534 bytes; a segment can have 65533"
        )
        expectRefusal(
            ImageMetadata(iccProfile: Data(count: 255 * 65_519 + 1)),
            "an ICC profile of 16707346 bytes; 16707345 are possible"
        )
    }

    @Test("a profile of which a part is missing is left out")
    func missingPart() throws {
        var file = JPEGBytes()
        file.segments = JPEGBytes.profileChunk(2, of: 2, Data(count: 10))
        #expect(try JPEGDecoder().metadata(of: file.data).iccProfile == nil)
        file.segments += JPEGBytes.profileChunk(1, of: 2, Data([1, 2]))
        #expect(try JPEGDecoder().metadata(of: file.data).iccProfile == Data([1, 2]) + Data(count: 10))
    }
}
