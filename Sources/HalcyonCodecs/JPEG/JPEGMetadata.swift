internal import FoundationEssentials
internal import HalcyonRaster

/// Collects what the application segments of a JPEG file say.
struct JPEGMetadata {
    private(set) var orientation: Orientation?
    private(set) var adobeTransform: Int?
    private var profileChunkCount = 0
    private var profileChunks: [Int: Data] = [:]

    mutating func read(_ segment: JPEGSegments.Segment) {
        let reader = ByteReader(segment.payload)
        switch segment.marker {
        case JPEGSegments.Marker.application1 where reader.hasText("Exif\0", at: 0):
            orientation = orientation ?? EXIF.orientation(in: segment.payload)
        case JPEGSegments.Marker.application2 where reader.hasText("ICC_PROFILE\0", at: 0):
            readProfileChunk(reader)
        case JPEGSegments.Marker.application14 where reader.hasText("Adobe", at: 0):
            adobeTransform = adobeTransform ?? reader.uint8(at: 11)
        default:
            break
        }
    }

    /// The profile, if every one of its chunks is there (ICC.1:2022 annex B.4).
    var profile: Data? {
        guard profileChunkCount > 0 else {
            return nil
        }
        var profile = Data()
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
