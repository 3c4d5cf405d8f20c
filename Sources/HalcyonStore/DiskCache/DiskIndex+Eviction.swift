/// The statements that remove expired and least recently used entries. Each runs in a transaction of the caller.
extension SQLiteConnection {
    /// Returns whether there may be entries that have expired.
    func hasExpired(at now: DiskTime) throws -> Bool {
        let find = try statement("SELECT 1 FROM entry WHERE due_at <= ?1 AND due_at < 9223372036854775807 LIMIT 1")
        find.bind(now.microseconds, at: 1)
        defer { find.reset() }
        return try find.step()
    }

    /// Removes expired entries, at most `count`.
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

    /// Removes the least recently used entries, at most `count`, until `bytes` are freed.
    ///
    /// They lie in the order of `queued_at`. One that was used since it was queued is queued anew, by its last use;
    /// those after that time wait for the next batch, so that the order is exactly that of the uses.
    ///
    /// Entries queued in the future were queued before the clock was set back, so they are removed before those queued
    /// since: by their times alone, the newest entries would be removed first until the clock has caught up. Uses in
    /// the future count for nothing. Ten seconds are none: the caller read the clock before it waited for its turn, and
    /// others have stored since.
    func removeLeastRecentlyUsed(
        bytes: Int,
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
            bytes: bytes,
            count: count,
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
            bytes: bytes,
            count: count,
            latest: latest,
            listsKeys: listsKeys
        )
    }

    private func removeLeastRecentlyUsed(
        foundBy find: SQLiteStatement,
        bytes: Int,
        count: Int,
        latest: DiskTime,
        listsKeys: Bool
    ) throws -> RemovedRows {
        find.bind(count, at: 1)
        find.bind(latest.microseconds, at: 2)
        var used: [(id: Int64, time: Int64)] = []
        var firstUse = Int64.max
        var bytesLeft = bytes
        var removed = try removeAll(foundBy: find, listsKeys: listsKeys) {
            let (queuedAt, lastAccess) = (find.integer(5), find.integer(6))
            if queuedAt > firstUse { return false }
            if lastAccess > queuedAt, lastAccess <= latest.microseconds || queuedAt > latest.microseconds {
                firstUse = min(firstUse, lastAccess)
                used.append((find.integer(0), lastAccess))
                return false
            }
            guard bytesLeft > 0 else { return false }
            bytesLeft -= find.count(3)
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
}
