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
    var profile: Data? {
        let byteCount = profileChunks.values.reduce(0) { $0 + $1.count }
        guard profileChunkCount > 0, byteCount <= ICCProfile.maximumByteCount else {
            return nil
        }
        var profile = Data(capacity: byteCount)
        for number in 1...profileChunkCount {
            guard let chunk = profileChunks[number] else {
                return nil
            }
            profile += chunk
        }
        return profile
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
