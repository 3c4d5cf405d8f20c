internal import FoundationEssentials

/// Metadata as the application segments of a JPEG file.
struct JPEGMetadataSegments {
    /// In the order in which they are written.
    private(set) var all: [JPEGSegments.Segment] = []

    /// The bytes that a length of 16 bits, which counts itself, leaves to a segment.
    private static let maximumByteCount = 65_533
    /// Of a profile in one segment, beside "ICC_PROFILE", a zero, the segment's number and the number of segments.
    private static let profileChunkByteCount = 65_519

    /// - Throws: ``CodecError/cannotEncode(_:reason:)`` for what is too long.
    init(_ metadata: ImageMetadata) throws(CodecError) {
        if let exif = metadata.exif {
            // The prefix of reading is one zero shorter: the second is padding.
            try append(JPEGSegments.Marker.application1, Self.exifPrefix + exif, "an EXIF block")
        }
        if let xmp = metadata.xmp {
            try append(JPEGSegments.Marker.application1, Data(JPEGMetadata.Prefix.xmp) + xmp, "an XMP packet")
        }
        if let profile = metadata.iccProfile {
            try append(profile: profile)
        }
    }

    private static let exifPrefix = Data(JPEGMetadata.Prefix.exif) + [0]

    private mutating func append(_ marker: Int, _ payload: Data, _ name: String) throws(CodecError) {
        guard payload.count <= Self.maximumByteCount else {
            throw .cannotEncode(
                .jpeg,
                reason: "\(name) that takes \(payload.count) bytes; a segment can have \(Self.maximumByteCount)"
            )
        }
        all.append(JPEGSegments.Segment(marker: marker, payload: payload))
    }

    /// ICC.1:2022 annex B.4.
    private mutating func append(profile: Data) throws(CodecError) {
        let count = (profile.count + Self.profileChunkByteCount - 1) / Self.profileChunkByteCount
        guard count <= 255 else {
            throw .cannotEncode(
                .jpeg,
                reason: "an ICC profile of \(profile.count) bytes; \(255 * Self.profileChunkByteCount) are possible"
            )
        }
        var rest = profile
        for number in 0..<count {
            let header = Data(JPEGMetadata.Prefix.profile) + [UInt8(number + 1), UInt8(count)]
            try append(
                JPEGSegments.Marker.application2,
                header + rest.prefix(Self.profileChunkByteCount),
                "an ICC profile"
            )
            rest = rest.dropFirst(Self.profileChunkByteCount)
        }
    }
}

extension Data {
    fileprivate init(_ text: StaticString) {
        self = text.withUTF8Buffer { Data($0) }
    }
}
