/// The statements that remove entries. Each runs in a transaction of the caller.
///
/// Each takes whether somebody wants to know the keys: reading them takes a fifth of an eviction.
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

    /// Whether there may be entries whose time is over.
    func hasExpired(at now: DiskTime) throws -> Bool {
        let find = try statement("SELECT 1 FROM entry WHERE due_at <= ?1 AND due_at < 9223372036854775807 LIMIT 1")
        find.bind(now.microseconds, at: 1)
        defer { find.reset() }
        return try find.step()
    }

    /// Removes entries whose time is over, at most `count`.
    func removeExpired(at now: DiskTime, count: Int, listsKeys: Bool) throws -> RemovedRows {
        let find = try statement(
            """
            SELECT id, file, body_id, size + length(key) + length(metadata), key, expires_at FROM entry
            WHERE due_at <= ?1 AND due_at < 9223372036854775807 ORDER BY due_at LIMIT ?2
            """
        )
        find.bind(now.microseconds, at: 1)
        find.bind(count, at: 2)
        var extended: [(id: Int64, time: Int64)] = []
        var removed = try removeAll(foundBy: find, listsKeys: listsKeys) {
            let end = find.integer(5)
            if end > now.microseconds { extended.append((find.integer(0), end)) }
            return end <= now.microseconds
        }
        try correct(statement("UPDATE entry SET due_at = ?2 WHERE id = ?1"), extended)
        removed.correctedCount = extended.count
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

    /// Removes the least recently used entries, at most `count`, until `bytes` and `entries` are freed.
    ///
    /// They lie in the order of `queued_at`. One that was used since it was queued is queued anew, by its last use;
    /// whatever lies behind that time waits for the next batch, so that the order is exactly that of the uses.
    ///
    /// What lies in the future was queued before the clock was set back, so it goes before what was queued since: by their
    /// times alone, the newest entries would go first until the clock has caught up. Uses in the future count for nothing.
    /// Ten seconds are none: the caller read the clock before it waited for its turn, and others have stored since.
    func removeLeastRecentlyUsed(
        bytes: Int,
        entries: Int,
        count: Int,
        at now: DiskTime,
        listsKeys: Bool
    ) throws -> RemovedRows {
        let latest = now.advanced(by: 10_000_000)
        let removed = try removeLeastRecentlyUsed(
            foundBy: statement(
                """
                SELECT id, file, body_id, size + length(key) + length(metadata), key, queued_at, last_access
                FROM entry WHERE queued_at > ?2 ORDER BY queued_at, id LIMIT ?1
                """
            ),
            (bytes, entries, count),
            latest: latest,
            listsKeys: listsKeys
        )
        if removed.count + removed.correctedCount > 0 { return removed }
        return try removeLeastRecentlyUsed(
            foundBy: statement(
                """
                SELECT id, file, body_id, size + length(key) + length(metadata), key, queued_at, last_access
                FROM entry WHERE queued_at <= ?2 ORDER BY queued_at, id LIMIT ?1
                """
            ),
            (bytes, entries, count),
            latest: latest,
            listsKeys: listsKeys
        )
    }

    private func removeLeastRecentlyUsed(
        foundBy find: SQLiteStatement,
        _ target: (bytes: Int, entries: Int, count: Int),
        latest: DiskTime,
        listsKeys: Bool
    ) throws -> RemovedRows {
        find.bind(target.count, at: 1)
        find.bind(latest.microseconds, at: 2)
        var used: [(id: Int64, time: Int64)] = []
        var firstUse = Int64.max
        var (bytesLeft, entriesLeft) = (target.bytes, target.entries)
        var removed = try removeAll(foundBy: find, listsKeys: listsKeys) {
            let (queuedAt, lastAccess) = (find.integer(5), find.integer(6))
            if queuedAt > firstUse { return false }
            if lastAccess > queuedAt, lastAccess <= latest.microseconds || queuedAt > latest.microseconds {
                firstUse = min(firstUse, lastAccess)
                used.append((find.integer(0), lastAccess))
                return false
            }
            guard bytesLeft > 0 || entriesLeft > 0 else { return false }
            bytesLeft -= find.count(3)
            entriesLeft -= 1
            return true
        }
        try correct(statement("UPDATE entry SET queued_at = ?2 WHERE id = ?1"), used)
        removed.correctedCount = used.count
        return removed
    }

    private func correct(_ update: SQLiteStatement, _ times: [(id: Int64, time: Int64)]) throws {
        for (id, time) in times {
            update.bind(id, at: 1)
            update.bind(time, at: 2)
            try update.run()
        }
    }

    /// Removes those of the found entries that are wanted.
    ///
    /// - Parameter find: selects number, file, body, bytes and key first.
    private func removeAll(
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
