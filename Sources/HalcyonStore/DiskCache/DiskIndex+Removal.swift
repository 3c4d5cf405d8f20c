/// The statements that remove entries. Each runs in a transaction of the caller.
///
/// Each takes whether the keys are to be returned: reading them takes a fifth of an eviction.
extension SQLiteConnection {
    /// Removes the entry that has both number and key.
    func removeRow(_ key: DiskKey, listsKeys: Bool) throws -> RemovedRows {
        let find = try statement(
            "SELECT id, file, body_id, size + length(key) + length(metadata), key FROM entry WHERE id = ?1"
        )
        find.bind(key.id, at: 1)
        return try removeAll(foundBy: find, listsKeys: listsKeys) { find.withBytes(4) { key.hasBytes($0) } }
    }

    /// Removes the entry that has number, key and version.
    func removeRow(_ key: DiskKey, version: DiskCache.Version, listsKeys: Bool) throws -> RemovedRows {
        let find = try statement(
            """
            SELECT id, file, body_id, size + length(key) + length(metadata), key FROM entry
            WHERE id = ?1 AND stored_at = ?2 AND checksum = ?3
            """
        )
        find.bind(key.id, at: 1)
        find.bind(version.storedAt.microseconds, at: 2)
        find.bind(version.checksum, at: 3)
        return try removeAll(foundBy: find, listsKeys: listsKeys) { find.withBytes(4) { key.hasBytes($0) } }
    }

    /// Removes the entry that has number and key, and was not stored after a time.
    func removeRow(_ key: DiskKey, notAfter time: DiskTime, listsKeys: Bool) throws -> RemovedRows {
        let find = try statement(
            """
            SELECT id, file, body_id, size + length(key) + length(metadata), key FROM entry
            WHERE id = ?1 AND stored_at <= ?2
            """
        )
        find.bind(key.id, at: 1)
        find.bind(time.microseconds, at: 2)
        return try removeAll(foundBy: find, listsKeys: listsKeys) { find.withBytes(4) { key.hasBytes($0) } }
    }

    /// Removes an entry found damaged, unless it was replaced meanwhile.
    func removeRow(like row: DiskIndexRow) throws -> RemovedRows {
        let find = try statement(
            """
            SELECT id, file, body_id, size + length(key) + length(metadata), key FROM entry
            WHERE id = ?1 AND checksum = ?2 AND stored_at = ?3 AND file IS ?4
            """
        )
        find.bind(row.id, at: 1)
        find.bind(row.checksum, at: 2)
        find.bind(row.storedAt.microseconds, at: 3)
        find.bind(row.file, at: 4)
        return try removeAll(foundBy: find, listsKeys: true) { true }
    }

    /// Removes entries a listing has shown, unless they were replaced since.
    func removeRows(_ rows: [DiskListedRow], listsKeys: Bool) throws -> RemovedRows {
        let find = try statement(
            """
            SELECT id, file, body_id, size + length(key) + length(metadata), key FROM entry
            WHERE id = ?1 AND stored_at = ?2
            """
        )
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

    /// Removes entries whose keys lie in a range of byte strings that has a family, at most `count`.
    func removeRows(inFamilyOf range: DiskKeyRange, count: Int, listsKeys: Bool) throws -> RemovedRows {
        let find = try statement(
            """
            SELECT id, file, body_id, size + length(key) + length(metadata), key FROM entry INDEXED BY entry_family
            WHERE family = ?3 AND key >= ?1 AND key < ?2 LIMIT ?4
            """
        )
        return try range.withBounds(of: find) {
            find.bind(count, at: 4)
            return try removeAll(foundBy: find, listsKeys: listsKeys) { true }
        }
    }

    /// Removes those of the found entries that are wanted.
    ///
    /// - Parameter find: selects number, file, body, bytes and key first.
    func removeAll(
        foundBy find: SQLiteStatement,
        listsKeys: Bool,
        isWanted: () -> Bool
    ) throws -> RemovedRows {
        var removed = RemovedRows()
        var rows: [(id: Int64, body: Int64?)] = []
        var difference = DiskTotals()
        do {
            defer { find.reset() }
            while try find.step() {
                guard isWanted() else { continue }
                rows.append((find.integer(0), find.isNull(2) ? nil : find.integer(2)))
                let isFile = !find.isNull(1)
                if isFile { removed.files.append(find.integer(1)) }
                difference.count(find.count(3), isFile: isFile, times: -1)
                if listsKeys { removed.keys.append(find.withBytes(4) { String(decoding: $0, as: UTF8.self) }) }
            }
        }
        let remove = try statement("DELETE FROM entry WHERE id = ?1")
        let removeBody = try statement("DELETE FROM body WHERE id = ?1")
        for row in rows {
            remove.bind(row.id, at: 1)
            try remove.run()
            guard let body = row.body else { continue }
            removeBody.bind(body, at: 1)
            try removeBody.run()
        }
        try add(difference)
        removed.count = rows.count
        removed.files = try unused(removed.files)
        return removed
    }

    /// Notes that the entry of a key was to be removed at a time, with what was made of it; nil for all keys. Forgets with some
    /// what was noted a day before, as that reads the whole table.
    func noteRemoval(of key: DiskKey?, at time: DiskTime) throws {
        if (key?.id ?? 0) & 63 == 0 {
            let forget = try statement("DELETE FROM removal WHERE at < ?1")
            forget.bind(time.advanced(by: -86_400_000_000).microseconds, at: 1)
            try forget.run()
        }
        let note = try statement("INSERT OR REPLACE INTO removal VALUES (?1, ?2)")
        note.bind(key?.id ?? 0, at: 1)
        // The times of requests are read in milliseconds, and one that was sent right after is later.
        note.bind(time.microseconds / 1_000 * 1_000, at: 2)
        try note.run()
    }

    /// Returns the time of the last removal of a key that was noted up to a time; nil without any, as in an index of before
    /// there was a table for them, on a device that has no space for it.
    func lastRemoval(of key: DiskKey, until latest: DiskTime) throws -> DiskTime? {
        guard let find = try? statement("SELECT max(at) FROM removal WHERE id IN (0, ?1) AND at <= ?2") else {
            return nil
        }
        find.bind(key.id, at: 1)
        find.bind(latest.microseconds, at: 2)
        defer { find.reset() }
        return try find.step() && !find.isNull(0) ? DiskTime(microseconds: find.integer(0)) : nil
    }

    /// Removes every entry.
    func removeEverything(listsKeys: Bool) throws -> [String] {
        var keys: [String] = []
        if listsKeys {
            let find = try statement("SELECT key FROM entry")
            defer { find.reset() }
            while try find.step() { keys.append(find.withBytes(0) { String(decoding: $0, as: UTF8.self) }) }
        }
        try execute("DELETE FROM entry; DELETE FROM body; UPDATE total SET bytes = 0, inline_count = 0, file_count = 0")
        return keys
    }
}

/// The entries that a change removed from the index.
struct RemovedRows {
    var count = 0
    /// The number of entries that had been used since their place in the order was written, and have another place now.
    var correctedCount = 0
    /// Files to remove once the transaction is committed: no entry uses them any more.
    var files: [Int64] = []
    /// The keys of the entries, if they were requested.
    var keys: [String] = []
}
