/// The statements that remove entries. Each runs in a transaction of the caller.
///
/// Each takes whether somebody wants to know the keys: reading them takes a fifth of an eviction.
extension SQLiteConnection {
    /// Removes the entry with a number, whatever its key.
    private func removeRow(id: Int64, key: String?) throws -> RemovedRows {
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
        removed.files = try unused(removed.files)
        if let key { removed.keys = [key] }
        return removed
    }

    /// Removes the entry that has both number and key.
    func removeRow(_ key: DiskKey, listsKeys: Bool) throws -> RemovedRows {
        let find = try statement("SELECT key FROM entry WHERE id = ?1")
        find.bind(key.id, at: 1)
        do {
            defer { find.reset() }
            guard try find.step(), find.withBytes(0, { key.hasBytes($0) }) else { return RemovedRows() }
        }
        return try removeRow(id: key.id, key: listsKeys ? key.text : nil)
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
        return try removeRow(id: row.id, key: row.key)
    }

    /// Removes entries a listing has shown, unless they were replaced since.
    func removeRows(_ rows: [DiskListedRow], listsKeys: Bool) throws -> RemovedRows {
        let find = try statement("SELECT id, file, 0, key FROM entry WHERE id = ?1 AND stored_at = ?2")
        var removed = RemovedRows()
        for row in rows {
            find.bind(row.id, at: 1)
            find.bind(row.storedAt.microseconds, at: 2)
            let one = try removeAll(foundBy: find, listsKeys: listsKeys) { true }
            removed.count += one.count
            removed.files += one.files
            removed.keys += one.keys
        }
        return removed
    }

    /// Removes entries whose time is over, at most `count`.
    func removeExpired(at now: DiskTime, count: Int, listsKeys: Bool) throws -> RemovedRows {
        let find = try statement(
            "SELECT id, file, 0, key FROM entry WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2"
        )
        find.bind(now.microseconds, at: 1)
        find.bind(count, at: 2)
        return try removeAll(foundBy: find, listsKeys: listsKeys) { true }
    }

    /// Removes entries whose keys lie in a range of byte strings, at most `count`.
    func removeRows(in range: DiskKeyRange, count: Int, listsKeys: Bool) throws -> RemovedRows {
        let find = try statement(
            """
            SELECT id, file, 0, key FROM entry INDEXED BY entry_key
            WHERE key >= ?1 AND (?2 IS NULL OR key < ?2) LIMIT ?3
            """
        )
        return try range.withBounds { lower, upper in
            find.bind(borrowing: lower, at: 1)
            if let upper { find.bind(borrowing: upper, at: 2) } else { find.bind(nil, at: 2) }
            find.bind(count, at: 3)
            return try removeAll(foundBy: find, listsKeys: listsKeys) { true }
        }
    }

    /// Removes the least recently used entries, at most `count`, until `bytes` are freed.
    func removeLeastRecentlyUsed(bytes: Int, count: Int, listsKeys: Bool) throws -> RemovedRows {
        let find = try statement(
            """
            SELECT id, file, size + length(key) + length(metadata), key FROM entry ORDER BY last_access, id LIMIT ?1
            """
        )
        find.bind(count, at: 1)
        var left = bytes
        return try removeAll(foundBy: find, listsKeys: listsKeys) {
            defer { left -= Int(find.integer(2)) }
            return left > 0
        }
    }

    private func removeAll(
        foundBy find: SQLiteStatement,
        listsKeys: Bool,
        while isWanted: () -> Bool
    ) throws -> RemovedRows {
        var removed = RemovedRows()
        var ids: [Int64] = []
        do {
            defer { find.reset() }
            while try find.step(), isWanted() {
                ids.append(find.integer(0))
                if !find.isNull(1) { removed.files.append(find.integer(1)) }
                if listsKeys { removed.keys.append(find.withBytes(3) { String(decoding: $0, as: UTF8.self) }) }
            }
        }
        let remove = try statement("DELETE FROM entry WHERE id = ?1")
        for id in ids {
            remove.bind(id, at: 1)
            try remove.run()
        }
        removed.count = ids.count
        removed.files = try unused(removed.files)
        return removed
    }

    /// Removes every entry. The triggers are left out: row by row, a million entries would take 20 seconds.
    func removeEverything(listsKeys: Bool) throws -> [String] {
        var keys: [String] = []
        if listsKeys {
            let find = try statement("SELECT key FROM entry")
            defer { find.reset() }
            while try find.step() { keys.append(find.withBytes(0) { String(decoding: $0, as: UTF8.self) }) }
        }
        try execute(DiskIndexSchema.dropTriggers)
        try execute("DELETE FROM entry; DELETE FROM body; UPDATE total SET bytes = 0, inline_count = 0, file_count = 0")
        try execute(DiskIndexSchema.triggers)
        return keys
    }
}
