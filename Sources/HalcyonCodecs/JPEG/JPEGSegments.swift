internal import FoundationEssentials

/// Walks the marker segments of a JPEG file (T.81 B.1) from one to the next.
///
/// Segments are skipped by their length, never searched for, because images contain other images: a thumbnail has
/// the same markers.
struct JPEGSegments {
    struct Segment {
        /// The byte after 0xFF.
        var marker: Int
        /// The bytes after the length.
        var payload: Data
    }

    enum Marker {
        static let startOfImage = 0xd8
        static let endOfImage = 0xd9
        static let startOfScan = 0xda
        static let baselineFrame = 0xc0
        static let extendedFrame = 0xc1
        static let huffmanTables = 0xc4
        static let quantizationTables = 0xdb
        static let restartInterval = 0xdd
        static let application0 = 0xe0
        static let application1 = 0xe1
        static let application2 = 0xe2
        static let application14 = 0xee
        /// TEM and RST0 to RST7, which have no length. SOI belongs to them.
        static let standalone: Set<Int> = Set(0xd0...0xd8).union([0x01])
        /// Application segments, comments, and those that state the height.
        static let skippable: Set<Int> = Set(0xe0...0xef).union([0xfe, 0xdc])
    }

    /// The segments that are walked at most, and the stray bytes between them: forged files have millions.
    private static let greatestCount = 1 << 16
    private static let greatestStrayByteCount = 1 << 20

    private let reader: ByteReader
    private var count = 0
    private var strayByteCount = 0
    /// Behind the last segment, counted from the first byte of the file.
    private(set) var offset = 2

    init(_ data: Data) {
        reader = ByteReader(data)
    }

    var hasStartOfImage: Bool { reader.uint16(at: 0) == 0xff00 | Marker.startOfImage }

    /// The next segment, or `nil` where the bytes end before it does.
    ///
    /// A length below 2 of an application segment or a comment stands for an empty one, as for libjpeg.
    ///
    /// - Throws: ``CodecError/corrupt(_:reason:)`` at the end of the image, an impossible length, and where there is more
    ///   before the image than images have.
    mutating func next() throws(CodecError) -> Segment? {
        while let marker = nextMarker() {
            count += 1
            guard count <= Self.greatestCount else {
                throw .corrupt(.jpeg, reason: "more than \(Self.greatestCount) segments before the image data")
            }
            if Marker.standalone.contains(marker) {
                continue
            }
            if marker == Marker.endOfImage {
                throw .corrupt(.jpeg, reason: "the image ends before its data")
            }
            guard let length = reader.uint16(at: offset) else {
                return nil
            }
            guard length >= 2 || Marker.skippable.contains(marker) else {
                throw .corrupt(.jpeg, reason: "a segment of \(length) bytes at byte \(offset)")
            }
            guard let payload = reader.bytes(at: offset + 2, count: max(0, length - 2)) else {
                return nil
            }
            offset += max(2, length)
            return Segment(marker: marker, payload: payload)
        }
        guard strayByteCount <= Self.greatestStrayByteCount else {
            throw .corrupt(.jpeg, reason: "more than \(Self.greatestStrayByteCount) bytes between segments")
        }
        return nil
    }

    /// Steps over the next marker. Any number of fill bytes 0xFF may precede it (T.81 B.1.1.2); stray bytes before it,
    /// which some cameras leave, are passed over as libjpeg does.
    private mutating func nextMarker() -> Int? {
        while let byte = reader.uint8(at: offset) {
            offset += 1
            guard byte == 0xff else {
                strayByteCount += 1
                guard strayByteCount <= Self.greatestStrayByteCount else {
                    return nil
                }
                continue
            }
            while strayByteCount <= Self.greatestStrayByteCount, reader.uint8(at: offset) == 0xff {
                strayByteCount += 1
                offset += 1
            }
            guard strayByteCount <= Self.greatestStrayByteCount, let marker = reader.uint8(at: offset) else {
                return nil
            }
            offset += 1
            if marker != 0 {
                return marker
            }
        }
        return nil
    }
}
