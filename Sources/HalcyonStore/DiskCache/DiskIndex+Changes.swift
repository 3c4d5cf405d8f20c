internal import FoundationEssentials

/// What an eviction took out of the index.
struct RemovedRows {
    var count = 0
    /// Files to remove once the transaction is committed.
    var files: [Int64] = []
}

/// The statements that change the index. Each runs in a transaction of the caller.
extension SQLiteConnection {
    /// Puts an entry in the place of the one that has its number. Returns the file of that one.
    func store(
        _ entry: NewDiskEntry,
        _ key: DiskKey,
        inlineBody: UnsafeRawBufferPointer?,
        file: Int64?
    ) throws -> [Int64] {
        let earlier = try place(of: key.id)
        let body = try replaceBody(earlier?.body, by: inlineBody)
        // An earlier row is changed in place: taking it out and putting it in would write more pages.
        let change = try statement(
            earlier == nil
                ? "INSERT INTO entry VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?8)"
                : """
                UPDATE entry SET key = ?2, metadata = ?3, size = ?4, checksum = ?5, file = ?6, body_id = ?7,
                    stored_at = ?8, expires_at = ?9, lifetime = ?10, last_access = ?8 WHERE id = ?1
                """
        )
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
            try change.run()
        }
        return earlier?.file.map { [$0] } ?? []
    }

    /// Where the body of an entry lies; nil if there is no such entry.
    private func place(of id: Int64) throws -> (file: Int64?, body: Int64?)? {
        let find = try statement("SELECT file, body_id FROM entry WHERE id = ?1")
        find.bind(id, at: 1)
        defer { find.reset() }
        guard try find.step() else { return nil }
        return (find.isNull(0) ? nil : find.integer(0), find.isNull(1) ? nil : find.integer(1))
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

    /// Removes the entry with a number, whatever its key.
    func removeRow(id: Int64) throws -> RemovedRows {
        let find = try statement("SELECT file FROM entry WHERE id = ?1")
        find.bind(id, at: 1)
        var removed = RemovedRows()
        do {
            defer { find.reset() }
            guard try find.step() else { return removed }
            if !find.isNull(0) { removed.files.append(find.integer(0)) }
        }
        let remove = try statement("DELETE FROM entry WHERE id = ?1")
        remove.bind(id, at: 1)
        try remove.run()
        removed.count = 1
        return removed
    }

    /// Removes the entry that has both number and key.
    func removeRow(_ key: DiskKey) throws -> RemovedRows {
        let find = try statement("SELECT key FROM entry WHERE id = ?1")
        find.bind(key.id, at: 1)
        do {
            defer { find.reset() }
            guard try find.step(), find.withBytes(0, { key.hasBytes($0) }) else { return RemovedRows() }
        }
        return try removeRow(id: key.id)
    }

    /// Removes an entry found damaged, unless it was replaced meanwhile.
    func removeRow(like row: DiskIndexRow) throws -> RemovedRows {
        let find = try statement(
            "SELECT 1 FROM entry WHERE id = ?1 AND checksum = ?2 AND stored_at = ?3 AND file IS ?4"
        )
        find.bind(row.id, at: 1)
        find.bind(row.checksum, at: 2)
        find.bind(row.storedAt.microseconds, at: 3)
        find.bind(row.file, at: 4)
        do {
            defer { find.reset() }
            guard try find.step() else { return RemovedRows() }
        }
        return try removeRow(id: row.id)
    }

    /// Removes entries whose time is over, at most `count`.
    func removeExpired(at now: DiskTime, count: Int) throws -> RemovedRows {
        let find = try statement("SELECT id, file FROM entry WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2")
        find.bind(now.microseconds, at: 1)
        find.bind(count, at: 2)
        return try removeAll(foundBy: find) { true }
    }

    /// Removes the least recently used entries, at most `count`, until `bytes` are freed.
    func removeLeastRecentlyUsed(bytes: Int, count: Int) throws -> RemovedRows {
        let find = try statement(
            """
            SELECT id, file, size + length(key) + length(metadata) FROM entry ORDER BY last_access, id LIMIT ?1
            """
        )
        find.bind(count, at: 1)
        var left = bytes
        return try removeAll(foundBy: find) {
            defer { left -= Int(find.integer(2)) }
            return left > 0
        }
    }

    private func removeAll(foundBy find: SQLiteStatement, while isWanted: () -> Bool) throws -> RemovedRows {
        var removed = RemovedRows()
        var ids: [Int64] = []
        do {
            defer { find.reset() }
            while try find.step(), isWanted() {
                ids.append(find.integer(0))
                if !find.isNull(1) { removed.files.append(find.integer(1)) }
            }
        }
        let remove = try statement("DELETE FROM entry WHERE id = ?1")
        for id in ids {
            remove.bind(id, at: 1)
            try remove.run()
        }
        removed.count = ids.count
        return removed
    }

    /// Removes every entry. The triggers are left out: row by row, a million entries would take 20 seconds.
    func removeEverything() throws {
        try execute(DiskIndexSchema.dropTriggers)
        try execute("DELETE FROM entry; DELETE FROM body; UPDATE total SET bytes = 0, inline_count = 0, file_count = 0")
        try execute(DiskIndexSchema.triggers)
    }

    /// Writes down the uses of an entry, unless it was replaced since.
    func touch(_ id: Int64, _ touch: DiskTouch) throws {
        let update = try statement(
            """
            UPDATE entry SET last_access = max(last_access, ?2), expires_at = coalesce(?3, expires_at)
            WHERE id = ?1 AND stored_at = ?4
            """
        )
        update.bind(id, at: 1)
        update.bind(touch.lastAccess.microseconds, at: 2)
        update.bind(touch.expiresAt?.microseconds, at: 3)
        update.bind(touch.storedAt.microseconds, at: 4)
        try update.run()
    }

    /// The bytes that count against the limit.
    func totalBytes() throws -> Int {
        let find = try statement("SELECT bytes FROM total")
        defer { find.reset() }
        return try find.step() ? Int(find.integer(0)) : 0
    }

    /// Whether an entry's body is in this file.
    func usesFile(_ file: Int64) throws -> Bool {
        let find = try statement("SELECT 1 FROM entry WHERE file = ?1")
        find.bind(file, at: 1)
        defer { find.reset() }
        return try find.step()
    }
}

/// What is stored with a body, apart from key and place.
struct NewDiskEntry {
    let metadata: Data
    let size: Int
    let checksum: Int64
    let storedAt: DiskTime
    let lifetime: DiskLifetime
}
