internal import FoundationEssentials
internal import HalcyonRaster

/// Collects what the application segments of a JPEG file say.
struct JPEGMetadata {
    /// The bytes that the segments of each kind begin with.
    enum Prefix {
        static let exif: StaticString = "Exif\0"
        static let xmp: StaticString = "http://ns.adobe.com/xap/1.0/\0"
        static let profile: StaticString = "ICC_PROFILE\0"
        static let adobe: StaticString = "Adobe"
    }

    /// The first EXIF block, from its TIFF header on.
    private(set) var exif: Data?
    /// The first XMP packet. One longer than a segment has further parts, which are not read (XMP part 3, 1.1.3.1).
    private(set) var xmp: Data?
    private(set) var adobeTransform: Int?
    private var profileChunkCount = 0
    private var profileChunks: [Int: Data] = [:]

    mutating func read(_ segment: JPEGSegments.Segment) {
        let reader = ByteReader(segment.payload)
        switch segment.marker {
        case JPEGSegments.Marker.application1 where reader.hasText(Prefix.exif, at: 0):
            // The prefix ends with two zeros, the second of which is padding (CIPA DC-008 4.7.2).
            exif = exif ?? segment.payload.dropFirst(6)
        case JPEGSegments.Marker.application1 where reader.hasText(Prefix.xmp, at: 0):
            xmp = xmp ?? segment.payload.dropFirst(Prefix.xmp.utf8CodeUnitCount)
        case JPEGSegments.Marker.application2 where reader.hasText(Prefix.profile, at: 0):
            readProfileChunk(reader)
        case JPEGSegments.Marker.application14 where reader.hasText(Prefix.adobe, at: 0):
            adobeTransform = adobeTransform ?? reader.uint8(at: 11)
        default:
            break
        }
    }

    var orientation: Orientation? {
        exif.flatMap(EXIF.orientation)
    }

    /// The profile, if every one of its chunks is there (ICC.1:2022 annex B.4), and if they are not more than can be of
    /// use.
    ///
    /// - Throws: ``CodecError/bitmap(_:)`` where the memory cannot be allocated.
    func profile() throws(CodecError) -> Data? {
        let chunks = (1...max(1, profileChunkCount)).compactMap { profileChunks[$0] }
        let byteCount = chunks.reduce(0) { $0 + $1.count }
        guard profileChunkCount > 0, chunks.count == profileChunkCount, byteCount <= ICCProfile.maximumByteCount else {
            return nil
        }
        return try .written(capacity: byteCount) { profile in
            var offset = 0
            for chunk in chunks {
                UnsafeMutableRawBufferPointer(rebasing: profile[offset...]).copyBytes(from: chunk)
                offset += chunk.count
            }
            return offset
        }
    }

    private mutating func readProfileChunk(_ reader: ByteReader) {
        guard let number = reader.uint8(at: 12), let count = reader.uint8(at: 13),
            let chunk = reader.bytes(at: 14, count: reader.count - 14), profileChunks[number] == nil
        else {
            return
        }
        profileChunkCount = count
        profileChunks[number] = chunk
    }
}
