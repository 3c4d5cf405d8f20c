/// The byte strings that begin with a prefix, as a range that an index can be searched for.
struct DiskKeyRange {
    /// The prefix: the first string of the range.
    let lower: [UInt8]
    /// The first string after the range; nil if there is none.
    let upper: [UInt8]?
    /// The family that all keys of the range are in; nil if they are not in one.
    let family: Int64?

    init(prefix: String) {
        let bytes = Array(prefix.utf8)
        lower = bytes
        // Text has no byte 0xff, so the last one can be counted up; nothing precedes the empty string.
        upper = bytes.last.map { bytes.dropLast() + [$0 + 1] }
        family = bytes.withUnsafeBytes { Self.family(of: $0) }
    }

    /// The family of a key: the hash of what precedes its first NUL; nil if it has none.
    ///
    /// A NUL separates the name of an original from those of its variants. So variants are found by eight bytes, where
    /// an index over whole keys would take as much room as the entries, and as long to change.
    static func family(of key: UnsafeRawBufferPointer) -> Int64? {
        guard let end = key.firstIndex(of: 0) else { return nil }
        return Int64(bitPattern: Checksum.hash(of: UnsafeRawBufferPointer(rebasing: key[..<end])))
    }

    /// Returns whether a key lies in the range.
    func contains(_ key: String) -> Bool {
        key.utf8.starts(with: lower)
    }

    /// Binds the bounds and the family, as numbers 1, 2 and 3 of a statement, for as long as `body` runs.
    func withBounds<Result>(of statement: SQLiteStatement, _ body: () throws -> Result) rethrows -> Result {
        try lower.withUnsafeBytes { lower in
            statement.bind(borrowing: lower, at: 1)
            statement.bind(family, at: 3)
            guard let upper else {
                statement.bind(nil, at: 2)
                return try body()
            }
            return try upper.withUnsafeBytes { upper in
                statement.bind(borrowing: upper, at: 2)
                return try body()
            }
        }
    }
}
