/// The sums over the entries of an index.
struct DiskTotals: Equatable {
    /// The number of bytes of bodies, metadata and keys, which the size limit limits.
    var bytes = 0
    var inlineCount = 0
    var fileCount = 0

    var count: Int { inlineCount + fileCount }

    /// Adds an entry, or takes one out.
    ///
    /// - Parameter entryBytes: at most 2^40, so that no sum of a batch is beyond the type.
    mutating func count(_ entryBytes: Int, isFile: Bool, times: Int) {
        bytes += times * entryBytes
        if isFile { fileCount += times } else { inlineCount += times }
    }
}

extension SQLiteStatement {
    /// A number of bytes or entries of a column, 0…`limit`: a damaged index may say anything.
    ///
    /// - Parameter limit: default 2^40, more than any entry has.
    func count(_ column: Int32, limit: Int64 = 1 << 40) -> Int {
        Int(min(max(0, integer(column)), limit))
    }
}

/// The sums are kept by the statements that change entries, in the same transaction. Not by triggers: those take a
/// quarter of an eviction, since they run once for each entry.
extension SQLiteConnection {
    func totals() throws -> DiskTotals {
        let find = try statement("SELECT bytes, inline_count, file_count FROM total")
        defer { find.reset() }
        guard try find.step() else { return DiskTotals() }
        return DiskTotals(
            bytes: find.count(0, limit: 1 << 60),
            inlineCount: find.count(1),
            fileCount: find.count(2)
        )
    }

    /// Adds a difference to the sums.
    func add(_ difference: DiskTotals) throws {
        if difference == DiskTotals() { return }
        let update = try statement(
            "UPDATE total SET bytes = bytes + ?1, inline_count = inline_count + ?2, file_count = file_count + ?3"
        )
        update.bind(difference.bytes, at: 1)
        update.bind(difference.inlineCount, at: 2)
        update.bind(difference.fileCount, at: 3)
        try update.run()
    }
}
