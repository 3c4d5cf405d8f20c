/// The byte strings that begin with a prefix, as a range that an index can be searched for.
struct DiskKeyRange {
    /// The prefix: the first string of the range.
    let lower: [UInt8]
    /// The first string behind the range; nil if there is none.
    let upper: [UInt8]?

    init(prefix: String) {
        let bytes = Array(prefix.utf8)
        lower = bytes
        // Text has no byte 0xff, so the last one can be counted up; nothing precedes the empty string.
        upper = bytes.last.map { bytes.dropLast() + [$0 + 1] }
    }

    func withBounds<Result>(
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer?) throws -> Result
    ) rethrows -> Result {
        try lower.withUnsafeBytes { lower in
            guard let upper else { return try body(lower, nil) }
            return try upper.withUnsafeBytes { try body(lower, $0) }
        }
    }
}
