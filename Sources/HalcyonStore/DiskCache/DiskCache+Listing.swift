package import FoundationEssentials

extension DiskCache {
    /// Returns the entries, the most recently used first.
    ///
    /// Expired ones that were not removed yet are among them. Complexity: O(n log n) in the number of entries.
    ///
    /// - Parameter limit: the most entries that are listed; default all.
    /// - Throws: ``DiskCacheError`` if the index cannot be read.
    public func entries(limit: Int = .max) throws(DiskCacheError) -> [Listing] {
        try failing(.maintain) {
            try flush()
            return try withIndex { index in
                try index.read { connection in
                    let find = try connection.statement(
                        """
                        SELECT id, key, size, length(metadata), file IS NULL, stored_at, expires_at, last_access
                        FROM entry ORDER BY last_access DESC, id LIMIT ?1
                        """
                    )
                    find.bind(limit, at: 1)
                    return try DiskListedRow.all(foundBy: find).map(\.listing)
                }
            }
        }
    }

    /// Returns the next entries in the order of the index's numbers, for walks over all of them that block no other
    /// call.
    ///
    /// - Parameter range: only those whose keys lie in it; default all.
    func listedRows(
        after id: Int64?,
        in range: DiskKeyRange = DiskKeyRange(prefix: ""),
        count: Int
    ) throws -> [DiskListedRow] {
        try withIndex { index in
            try index.read { connection in
                let find = try connection.statement(
                    """
                    SELECT id, key, size, length(metadata), file IS NULL, stored_at, expires_at, last_access
                    FROM entry WHERE (?4 IS NULL OR id > ?4) AND key >= ?1 AND (?2 IS NULL OR key < ?2) AND ?3 IS NULL
                    ORDER BY id LIMIT ?5
                    """
                )
                return try range.withBounds(of: find) {
                    find.bind(id, at: 4)
                    find.bind(count, at: 5)
                    return try DiskListedRow.all(foundBy: find)
                }
            }
        }
    }

    /// Returns the path of the file that holds the body of `key`; nil if there is no such entry, if it has expired, or
    /// if its body is so small that it lies in the index.
    ///
    /// The file is the body, byte by byte. It must not be changed, and may be removed at any time.
    public func fileLocation(for key: String) throws(DiskCacheError) -> String? {
        try failing(.read) {
            try flush()
            return try withKey(key) { key in
                let row = try withIndex { index in try index.read { try DiskIndexRow.find(key, in: $0) } }
                guard let row, !isOver(row, at: now), let file = row.file else { return nil }
                return layout.body(file)
            }
        }
    }
}

extension DiskCache {
    /// An entry without its body.
    package struct Row: Sendable {
        package let key: String
        package let metadata: Data
        /// XXH3 of the body, 64 bits.
        package let bodyHash: UInt64
        package let version: Version

        /// The time of arrival.
        package var storedAt: Date { version.storedAt.date ?? .distantFuture }
    }

    /// Returns the entry of a key, and those whose key begins with it and a byte 0, whether they are written already or
    /// wait for that. Complexity: O(log n + k) in the number of entries, and O(m) in those that wait.
    package func rows(under name: String) throws(DiskCacheError) -> [Row] {
        try failing(.read) {
            let range = DiskKeyRange(prefix: name + "\0")
            var rows: [String: Row] = [:]
            let staged = staging.isEmpty ? [] : staging.withLock { $0.entries { $0 == name || range.contains($0) } }
            try withIndex { index in
                try index.read { connection in
                    let find = try connection.statement(
                        """
                        SELECT key, metadata, body_hash, stored_at, checksum FROM entry INDEXED BY entry_family
                        WHERE family = ?3 AND key >= ?1 AND key < ?2
                        """
                    )
                    try range.withBounds(of: find) { try Row.add(foundBy: find, to: &rows) }
                    let findName = try connection.statement(
                        "SELECT key, metadata, body_hash, stored_at, checksum FROM entry WHERE id = ?1 AND key = ?2"
                    )
                    try withKey(name) { key in
                        findName.bind(key.id, at: 1)
                        findName.bind(borrowing: key.bytes, at: 2)
                        try Row.add(foundBy: findName, to: &rows)
                    }
                }
            }
            // What waits takes the place of what is written.
            for entry in staged {
                rows[entry.key] =
                    entry.isWithdrawn
                    ? nil
                    : Row(
                        key: entry.key,
                        metadata: entry.entry.metadata,
                        bodyHash: entry.entry.bodyHash,
                        version: entry.entry.version
                    )
            }
            return Array(rows.values)
        }
    }
}

extension DiskCache.Row {
    fileprivate static func add(foundBy find: SQLiteStatement, to rows: inout [String: Self]) throws {
        defer { find.reset() }
        while try find.step() {
            let key = find.withBytes(0) { String(decoding: $0, as: UTF8.self) }
            let storedAt = DiskTime(microseconds: find.integer(3))
            rows[key] = Self(
                key: key,
                metadata: find.data(1) ?? Data(),
                bodyHash: UInt64(bitPattern: find.integer(2)),
                version: DiskCache.Version(storedAt: storedAt, checksum: find.integer(4))
            )
        }
    }
}

/// An entry of a listing, with the time that distinguishes it from a later one.
struct DiskListedRow {
    let id: Int64
    let storedAt: DiskTime
    let listing: DiskCache.Listing

    /// Returns the rows of a statement that selects number, key, sizes, location and times.
    static func all(foundBy find: SQLiteStatement) throws -> [DiskListedRow] {
        defer { find.reset() }
        var rows: [DiskListedRow] = []
        while try find.step() {
            let storedAt = DiskTime(microseconds: find.integer(5))
            let listing = DiskCache.Listing(
                key: find.withBytes(1) { String(decoding: $0, as: UTF8.self) },
                bodySize: find.count(2),
                metadataSize: find.count(3),
                isInline: find.integer(4) != 0,
                storedAt: storedAt.date ?? .distantFuture,
                expiresAt: DiskTime(microseconds: find.integer(6)).date,
                lastAccess: DiskTime(microseconds: find.integer(7)).date ?? .distantFuture
            )
            rows.append(DiskListedRow(id: find.integer(0), storedAt: storedAt, listing: listing))
        }
        return rows
    }
}
