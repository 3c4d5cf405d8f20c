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
    }

    private let reader: ByteReader
    /// Behind the last segment, counted from the first byte of the file.
    private(set) var offset = 2

    init(_ data: Data) {
        reader = ByteReader(data)
    }

    var hasStartOfImage: Bool { reader.uint16(at: 0) == 0xff00 | Marker.startOfImage }

    /// The next segment, or `nil` where the bytes end before it does.
    ///
    /// - Throws: ``CodecError/corrupt(_:reason:)`` at the end of the image or an impossible length.
    mutating func next() throws(CodecError) -> Segment? {
        while let marker = nextMarker() {
            if Marker.standalone.contains(marker) {
                continue
            }
            if marker == Marker.endOfImage {
                throw .corrupt(.jpeg, reason: "the image ends before its data")
            }
            guard let length = reader.uint16(at: offset) else {
                return nil
            }
            guard length >= 2 else {
                throw .corrupt(.jpeg, reason: "a segment of \(length) bytes at byte \(offset)")
            }
            guard let payload = reader.bytes(at: offset + 2, count: length - 2) else {
                return nil
            }
            offset += length
            return Segment(marker: marker, payload: payload)
        }
        return nil
    }

    /// Steps over the next marker. Any number of fill bytes 0xFF may precede it (T.81 B.1.1.2); stray bytes before it,
    /// which some cameras leave, are passed over as libjpeg does.
    private mutating func nextMarker() -> Int? {
        while let byte = reader.uint8(at: offset) {
            offset += 1
            guard byte == 0xff else {
                continue
            }
            while reader.uint8(at: offset) == 0xff {
                offset += 1
            }
            guard let marker = reader.uint8(at: offset) else {
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
