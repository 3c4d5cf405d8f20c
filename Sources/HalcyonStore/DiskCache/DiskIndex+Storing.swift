internal import FoundationEssentials

/// The statements that store entries. Each runs in a transaction of the caller.
extension SQLiteConnection {
    /// Stores an entry, replacing the one with the same number. Returns the file of that one.
    func store(
        _ entry: NewDiskEntry,
        for key: DiskKey,
        inlineBody: UnsafeRawBufferPointer?,
        file: Int64?
    ) throws -> [Int64] {
        let earlier = try earlierRow(of: key)
        let body = try replaceBody(earlier?.body, by: inlineBody)
        // An earlier row is changed in place: taking it out and putting it in would write more pages. Its key is left
        // alone if it is the same, because naming it would write its index as well.
        let change: SQLiteStatement
        if let earlier {
            change = try statement(
                earlier.hasKey
                    ? """
                    UPDATE entry SET metadata = ?3, size = ?4, checksum = ?5, file = ?6, body_id = ?7,
                        stored_at = ?8, expires_at = ?9, lifetime = ?10, last_access = ?8, body_hash = ?11,
                        queued_at = ?8, due_at = ?9 WHERE id = ?1
                    """
                    : """
                    UPDATE entry SET key = ?2, metadata = ?3, size = ?4, checksum = ?5, file = ?6, body_id = ?7,
                        stored_at = ?8, expires_at = ?9, lifetime = ?10, last_access = ?8, body_hash = ?11,
                        queued_at = ?8, due_at = ?9, family = ?12 WHERE id = ?1
                    """
            )
        } else {
            change = try statement(
                "INSERT INTO entry VALUES (?1, ?2, ?3, ?4, ?11, ?5, ?6, ?7, ?8, ?9, ?10, ?8, ?8, ?9, ?12)"
            )
        }
        var difference = DiskTotals()
        difference.count(entry.size + key.bytes.count + entry.metadata.count, isFile: file != nil, times: 1)
        if let earlier { difference.count(earlier.byteCount, isFile: earlier.file != nil, times: -1) }
        try add(difference)
        try entry.metadata.withUnsafeBytes { metadata in
            change.bind(key.id, at: 1)
            change.bind(borrowing: key.bytes, at: 2)
            change.bind(borrowing: metadata, at: 3)
            change.bind(entry.size, at: 4)
            change.bind(entry.checksum, at: 5)
            change.bind(file, at: 6)
            change.bind(body, at: 7)
            change.bind(entry.storedAt.microseconds, at: 8)
            change.bind(entry.lifetime.expiresAt.microseconds, at: 9)
            change.bind(entry.lifetime.duration, at: 10)
            change.bind(Int64(bitPattern: entry.bodyHash), at: 11)
            if earlier?.hasKey != true { change.bind(DiskKeyRange.family(of: key.bytes), at: 12) }
            try change.run()
        }
        return try unused(earlier?.file.map { [$0] } ?? [])
    }

    /// The row that a store replaces.
    private struct EarlierRow {
        let file: Int64?
        let body: Int64?
        let hasKey: Bool
        let byteCount: Int
    }

    /// Returns the row with the number of a key; nil if there is none.
    private func earlierRow(of key: DiskKey) throws -> EarlierRow? {
        let find = try statement(
            "SELECT file, body_id, key, size + length(key) + length(metadata) FROM entry WHERE id = ?1"
        )
        find.bind(key.id, at: 1)
        defer { find.reset() }
        guard try find.step() else { return nil }
        return EarlierRow(
            file: find.isNull(0) ? nil : find.integer(0),
            body: find.isNull(1) ? nil : find.integer(1),
            hasKey: find.withBytes(2) { key.hasBytes($0) },
            byteCount: find.count(3)
        )
    }

    /// Stores a body in the table of bodies, replacing an earlier one. Returns its number there.
    private func replaceBody(_ earlier: Int64?, by bytes: UnsafeRawBufferPointer?) throws -> Int64? {
        if let earlier {
            let change = try statement(
                bytes == nil ? "DELETE FROM body WHERE id = ?1" : "UPDATE body SET bytes = ?2 WHERE id = ?1"
            )
            change.bind(earlier, at: 1)
            if let bytes { change.bind(borrowing: bytes, at: 2) }
            try change.run()
            // None is changed if a damaged index has lost it.
            if bytes != nil, changeCount > 0 { return earlier }
        }
        guard let bytes else { return nil }
        let insert = try statement("INSERT INTO body (bytes) VALUES (?1)")
        insert.bind(borrowing: bytes, at: 1)
        try insert.run()
        return lastInsertedRow
    }

}

/// The values that are stored with a body, apart from key and location.
struct NewDiskEntry {
    let metadata: Data
    let size: Int
    let bodyHash: UInt64
    let storedAt: DiskTime
    let lifetime: DiskLifetime
    /// The body that it was made of, until it is written; nil if that is not compared.
    var basis: DiskCache.OriginalReference?

    /// The checksum of body and metadata.
    var checksum: Int64 { Checksum.entry(body: bodyHash, metadata: metadata) }

    var version: DiskCache.Version { DiskCache.Version(storedAt: storedAt, checksum: checksum) }
}
