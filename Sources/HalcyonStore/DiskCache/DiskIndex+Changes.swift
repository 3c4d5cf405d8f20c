internal import FoundationEssentials

/// What a change took out of the index.
struct RemovedRows {
    var count = 0
    /// How many entries were met that had been used since their place in the order was written down, and have another
    /// place now.
    var correctedCount = 0
    /// Files to remove once the transaction is committed: no entry uses them any more.
    var files: [Int64] = []
    /// The keys of the entries, if they were asked for.
    var keys: [String] = []
}

/// The statements that change the index. Each runs in a transaction of the caller.
extension SQLiteConnection {
    /// Puts an entry in the place of the one that has its number. Returns the file of that one.
    func store(
        _ entry: NewDiskEntry,
        for key: DiskKey,
        inlineBody: UnsafeRawBufferPointer?,
        file: Int64?
    ) throws -> [Int64] {
        let earlier = try place(of: key)
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

    private struct Place {
        let file: Int64?
        let body: Int64?
        let hasKey: Bool
        let byteCount: Int
    }

    /// Where the body of an entry lies, and whether it has the key; nil if there is no such entry.
    private func place(of key: DiskKey) throws -> Place? {
        let find = try statement(
            "SELECT file, body_id, key, size + length(key) + length(metadata) FROM entry WHERE id = ?1"
        )
        find.bind(key.id, at: 1)
        defer { find.reset() }
        guard try find.step() else { return nil }
        return Place(
            file: find.isNull(0) ? nil : find.integer(0),
            body: find.isNull(1) ? nil : find.integer(1),
            hasKey: find.withBytes(2) { key.hasBytes($0) },
            byteCount: find.count(3)
        )
    }

    /// Puts a body into the table of bodies, in the place of an earlier one. Returns its number there.
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

    /// The files of bodies with this hash and length: most likely the same bytes, which the caller compares. Not of entries
    /// whose time is over, which go at any moment.
    func files(hash: UInt64, size: Int, at now: DiskTime) throws -> [Int64] {
        // Not DISTINCT, which takes a table of its own, and walks over all entries of one image.
        let find = try statement(
            """
            SELECT file FROM entry WHERE body_hash = ?1 AND size = ?2 AND file IS NOT NULL AND expires_at > ?3 LIMIT 4
            """
        )
        find.bind(Int64(bitPattern: hash), at: 1)
        find.bind(size, at: 2)
        find.bind(now.microseconds, at: 3)
        defer { find.reset() }
        var files: [Int64] = []
        while try find.step() {
            let file = find.integer(0)
            if !files.contains(file) { files.append(file) }
        }
        return files
    }

    /// Writes down other metadata, and another lifetime if one is given, for an entry that is not over.
    ///
    /// - Parameter version: what the entry must still be; nil for whatever it is.
    /// - Returns: what it is now; nil if it is not there, or another.
    func updateMetadata(
        _ metadata: Data,
        for key: DiskKey,
        _ lifetime: DiskLifetime?,
        replacing version: DiskCache.Version?,
        at now: DiskTime
    ) throws -> DiskCache.Version? {
        let find = try statement(
            "SELECT key, body_hash, expires_at, length(metadata), stored_at, checksum FROM entry WHERE id = ?1"
        )
        find.bind(key.id, at: 1)
        let (storedAt, checksum): (DiskTime, Int64)
        var difference = DiskTotals()
        do {
            defer { find.reset() }
            guard try find.step(), find.withBytes(0, { key.hasBytes($0) }), find.integer(2) > now.microseconds else {
                return nil
            }
            storedAt = DiskTime(microseconds: find.integer(4))
            let found = DiskCache.Version(storedAt: storedAt, checksum: find.integer(5))
            guard version == nil || version == found else { return nil }
            checksum = Checksum.entry(body: UInt64(bitPattern: find.integer(1)), metadata: metadata)
            difference.bytes = metadata.count - Int(find.integer(3))
        }
        let update = try statement(
            lifetime == nil
                ? "UPDATE entry SET metadata = ?2, checksum = ?3 WHERE id = ?1"
                : """
                UPDATE entry SET metadata = ?2, checksum = ?3, expires_at = ?4, due_at = ?4, lifetime = ?5 WHERE id = ?1
                """
        )
        try metadata.withUnsafeBytes { bytes in
            update.bind(key.id, at: 1)
            update.bind(borrowing: bytes, at: 2)
            update.bind(checksum, at: 3)
            if let lifetime {
                update.bind(lifetime.expiresAt.microseconds, at: 4)
                update.bind(lifetime.duration, at: 5)
            }
            try update.run()
        }
        try add(difference)
        return DiskCache.Version(storedAt: storedAt, checksum: checksum)
    }

    /// Writes down the uses of an entry, unless it was replaced or got other metadata since.
    ///
    /// - Parameter now: a use or a place in the order that is later was noted by a clock that was wrong. It moves back.
    func touch(_ id: Int64, _ touch: DiskTouch, at now: DiskTime) throws {
        try run(
            statement(
                """
                UPDATE entry SET last_access = max(last_access, ?2), expires_at = coalesce(?3, expires_at)
                WHERE id = ?1 AND stored_at = ?4 AND checksum = ?5 AND last_access <= ?6
                    AND (?3 IS NULL OR due_at <= ?3)
                """
            ),
            id,
            touch,
            at: now
        )
        guard changeCount == 0 else { return }
        // Replaced since, made to expire earlier, which the index over what is due must know, or used in the future.
        try run(
            statement(
                """
                UPDATE entry SET last_access = iif(last_access <= ?6, max(last_access, ?2), ?2),
                    queued_at = iif(last_access <= ?6, queued_at, min(queued_at, ?2)),
                    expires_at = coalesce(?3, expires_at), due_at = min(due_at, coalesce(?3, due_at))
                WHERE id = ?1 AND stored_at = ?4 AND checksum = ?5
                """
            ),
            id,
            touch,
            at: now
        )
    }

    private func run(_ update: SQLiteStatement, _ id: Int64, _ touch: DiskTouch, at now: DiskTime) throws {
        update.bind(id, at: 1)
        update.bind(min(touch.lastAccess, now).microseconds, at: 2)
        update.bind(touch.expiresAt?.microseconds, at: 3)
        update.bind(touch.version.storedAt.microseconds, at: 4)
        update.bind(touch.version.checksum, at: 5)
        update.bind(now.microseconds, at: 6)
        try update.run()
    }

    /// Whether there is an entry with this number.
    func hasRow(_ id: Int64) throws -> Bool {
        let find = try statement("SELECT 1 FROM entry WHERE id = ?1")
        find.bind(id, at: 1)
        defer { find.reset() }
        return try find.step()
    }

    /// Whether an entry's body is in this file.
    func usesFile(_ file: Int64) throws -> Bool {
        let find = try statement("SELECT 1 FROM entry WHERE file = ?1")
        find.bind(file, at: 1)
        defer { find.reset() }
        return try find.step()
    }

    /// Those of the files that no entry uses any more. Entries with equal bodies share one.
    func unused(_ files: [Int64]) throws -> [Int64] {
        try files.filter { try !usesFile($0) }
    }
}

/// What is stored with a body, apart from key and place.
struct NewDiskEntry {
    let metadata: Data
    let size: Int
    let bodyHash: UInt64
    let storedAt: DiskTime
    let lifetime: DiskLifetime

    /// Of body and metadata.
    var checksum: Int64 { Checksum.entry(body: bodyHash, metadata: metadata) }

    var version: DiskCache.Version { DiskCache.Version(storedAt: storedAt, checksum: checksum) }
}
