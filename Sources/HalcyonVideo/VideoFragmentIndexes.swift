internal import FoundationEssentials
internal import HalcyonCodecs

/// The places to which the indexes of a movie's fragments lead (ISO/IEC 14496-12, 8.8.9 and 8.16.3). libavformat reads
/// a fragment wherever an index says that there is one, also within the bytes of another box.
struct VideoFragmentIndexes {
    /// As many as boxes are examined.
    private static let greatestCount = VideoSampleTables.greatestBoxCount
    /// Places that libavformat moves behind those that stand before them, but come later.
    private static let greatestMoveCount = 1 << 26

    private let bytes: VideoBytes
    private let format: ImageFormat
    /// The offsets of the boxes of the file, from the first.
    private var boxes: [Int] = []
    private var places: Set<Int> = []
    private var greatestPlace = Int.min
    private var moveCount = 0

    init(_ bytes: VideoBytes, _ format: ImageFormat) {
        (self.bytes, self.format) = (bytes, format)
    }

    /// Adds a box that lies in no other. They are added in their order.
    mutating func addBox(at offset: Int) {
        boxes.append(offset)
    }

    /// Adds the places in a segment index (`sidx`), which are counted from its end.
    ///
    /// - Throws: ``CodecError``.
    mutating func addSegments(_ content: Range<Int>) throws(CodecError) {
        let fields = try ByteReader(bytes.bytes(at: content.lowerBound, count: min(32, content.count)))
        guard let version = fields.uint8(at: 0), version <= 1 else { return }
        let (first, header) = version == 0 ? (fields.uint32(at: 16), 24) : (fields.wholeNumber(at: 20), 32)
        guard let first, let count = fields.uint16(at: header - 2) else { return }
        let table = try ByteReader(bytes.bytes(at: content.lowerBound + header, count: 12 * Int(count)))
        var place = content.upperBound &+ first
        for index in 0..<Int(count) {
            try add(place)
            // Where the file ends, or with an index of indexes, libavformat ends as well.
            guard let size = table.uint32(at: 12 * index), size < 1 << 31 else { return }
            place &+= size
        }
    }

    /// Adds the places in the random access box (`mfra`), which is found by the number of its bytes, the last of the
    /// file.
    ///
    /// - Throws: ``CodecError``, `CancellationError`.
    mutating func addRandomAccess(isCancelled: () -> Bool) throws {
        guard bytes.count >= 16, let size = try ByteReader(bytes.bytes(at: bytes.count - 4, count: 4)).uint32(at: 0),
            size >= 16, size <= bytes.count
        else { return }
        let start = bytes.count - size
        let header = try ByteReader(bytes.bytes(at: start, count: 8))
        guard header.uint32(at: 0) == size, header.hasText("mfra", at: 4) else { return }
        var offset = start + 8
        while true {
            if isCancelled() { throw CancellationError() }
            let fields = try ByteReader(bytes.bytes(at: offset, count: 24))
            guard fields.hasText("tfra", at: 4), let size = fields.uint32(at: 0), let version = fields.uint8(at: 8),
                let lengths = fields.uint32(at: 16), let count = fields.uint32(at: 20)
            else { return }
            // One of no size would be read again and again.
            guard size >= 24 else { throw CodecError.corrupt(format, reason: "a table of fragments without a size") }
            try addTable(at: offset + 24, count: count, isLong: version == 1, lengths: lengths)
            offset += size
        }
    }

    /// Adds the places in a table (`tfra`), which libavformat reads to its last entry, whatever its size.
    private mutating func addTable(at offset: Int, count: Int, isLong: Bool, lengths: Int) throws(CodecError) {
        // The numbers of track fragment, run and sample have one to four bytes each.
        let numbers = (lengths >> 4 & 3) + (lengths >> 2 & 3) + (lengths & 3) + 3
        let stride = (isLong ? 16 : 8) + numbers
        guard count <= Self.greatestCount - places.count else { throw tooMany(count) }
        let table = try ByteReader(bytes.bytes(at: offset, count: min(count * stride, max(0, bytes.count - offset))))
        for index in 0..<count {
            let start = index * stride
            guard let place = isLong ? table.wholeNumber(at: start + 8) : table.uint32(at: start + 4) else { return }
            try add(place)
        }
    }

    /// Refuses a movie with a place where no box of the file begins, or with too many: libavformat takes memory for each
    /// track at each place. Beyond the end there is no box to be read.
    ///
    /// - Throws: ``CodecError``.
    func check(trackCount: Int) throws(CodecError) {
        guard places.count <= Self.greatestCount / max(1, trackCount) else { throw tooMany(places.count) }
        var rest = boxes[...]
        for place in places.sorted() where place < bytes.count {
            rest = rest.drop { $0 < place }
            guard rest.first == place else {
                throw .corrupt(format, reason: "an index of fragments leads into a box")
            }
        }
    }

    private mutating func add(_ place: Int) throws(CodecError) {
        guard places.insert(place).inserted else { return }
        if place < greatestPlace { moveCount += places.count }
        greatestPlace = max(greatestPlace, place)
        guard places.count <= Self.greatestCount, moveCount <= Self.greatestMoveCount else {
            throw tooMany(places.count)
        }
    }

    private func tooMany(_ count: Int) -> CodecError {
        .unsupported(format, reason: "\(count) fragments are more than any video has")
    }
}

extension ByteReader {
    /// Returns a number of 64 bits, which may be negative.
    fileprivate func wholeNumber(at offset: Int) -> Int? {
        guard let high = uint32(at: offset), let low = uint32(at: offset + 4) else { return nil }
        return high << 32 | low
    }
}
