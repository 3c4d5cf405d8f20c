internal import FoundationEssentials

/// The statements that change entries. Each runs in a transaction of the caller.
extension SQLiteConnection {
    /// Replaces the metadata, and the lifetime if one is given, of an entry that has not expired.
    ///
    /// - Parameter version: the version that the entry must still have; nil for any.
    /// - Returns: the new version; nil if the entry is not there, or has another version.
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

    /// Writes the uses of an entry, unless the entry or its metadata was replaced since.
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
}
