extension MemoryTable {
    /// The value at `place`, marked as used and extended, or nil if it is not held or its time is over.
    @inlinable
    func use(
        _ place: Int,
        at now: Int64,
        extending: ExpirationExtension,
        clock: StoreClock
    ) -> Value? {
        let entry = entries + place
        guard now < entry.pointee.expiresAt, let value = entry.pointee.value else { return nil }
        switch extending {
        case .originalLifetime:
            let lifetime = entry.pointee.lifetime
            if lifetime > 0 {
                let (sum, overflows) = now.addingReportingOverflow(lifetime)
                let end = overflows ? .max : sum
                // Written only if it changes, as the mark below: else threads that read take the line from each other.
                if entry.pointee.expiresAt != end { entry.pointee.expiresAt = end }
            }
        case .none:
            break
        case .to(let expiration):
            entry.pointee.expiresAt = Self.deadline(expiration, clock: clock, at: now).expiresAt
        }
        if !entry.pointee.isReferenced { entry.pointee.isReferenced = true }
        return value
    }

    /// The moment an entry expires on the monotonic clock and the nanoseconds that an access restarts, 0 for none.
    @usableFromInline
    static func deadline(
        _ expiration: Expiration,
        clock: StoreClock,
        at now: Int64
    ) -> (expiresAt: Int64, lifetime: Int64) {
        if expiration == .never { return (.max, 0) }
        let seconds = expiration.isRelative ? expiration.interval(since: .distantPast) : remaining(expiration, clock)
        guard seconds > 0 else { return (.min, 0) }
        // Clamped to what Int64 holds; 2^63 nanoseconds are 292 years.
        guard seconds < 9e9 else { return (.max, 0) }
        let nanoseconds = Int64(seconds * 1e9)
        let (sum, overflows) = now.addingReportingOverflow(nanoseconds)
        return (overflows ? .max : sum, expiration.isRelative ? nanoseconds : 0)
    }

    private static func remaining(_ expiration: Expiration, _ clock: StoreClock) -> Double {
        expiration.interval(since: clock.now())
    }
}
