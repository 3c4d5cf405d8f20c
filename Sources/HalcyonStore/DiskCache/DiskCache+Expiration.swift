internal import FoundationEssentials

extension DiskCache {
    /// Returns whether the entry has expired, uses that are not yet written to the index included.
    func isOver(_ row: DiskIndexRow, at now: DiskTime) -> Bool {
        touches.withLock { $0.expiresAt(of: row) ?? row.expiresAt } <= now
    }

    /// Records the use of an entry, unless it has expired, and returns it.
    func used(
        _ row: DiskIndexRow,
        _ body: Data,
        _ hash: UInt64,
        _ extending: ExpirationExtension,
        at date: Date
    ) -> (entry: Entry, isOver: Bool) {
        var touch = DiskTouch(version: row.version, lastAccess: DiskTime(date))
        let now = touch.lastAccess
        if configuration.isReadOnly {
            return (Entry(row, body, hash, expiresAt: row.expiresAt), isOver(row, at: now))
        }
        touch.expiresAt = extending.expiry(
            restarted: row.lifetime > 0 ? now.advanced(by: row.lifetime) : nil,
            given: { DiskLifetime($0, at: date).expiresAt }
        )
        touch.isSlight = row.isSlight(touch)
        let limit = configuration.touchLimit
        let (expiresAt, isDue) = touches.withLock { buffer in
            let expiresAt = buffer.add(touch, to: row)
            if buffer.count < limit { return (expiresAt, buffer.isOld(at: now)) }
            buffer.forgetSlight()
            return (expiresAt, buffer.count >= limit || buffer.isOld(at: now))
        }
        if isDue { flushWithoutWaiting() }
        return (Entry(row, body, hash, expiresAt: expiresAt ?? row.expiresAt), expiresAt == nil)
    }
}
