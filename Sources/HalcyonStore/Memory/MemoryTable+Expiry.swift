extension MemoryTable {
    /// The value at `place`, marked as used and extended, or nil if it is not held or its time is over.
    @inlinable
    func use(
        _ place: Int,
        at now: Int64,
        extending: ExpirationExtension,
        clock: StoreClock
    ) -> Value? {
        let state = states + place
        let entry = entries + place
        let expiresAt = state.pointee.expiresAt
        guard now < expiresAt, let value = entry.pointee.value else { return nil }
        switch extending {
        case .originalLifetime:
            let lifetime = entry.pointee.lifetime
            if lifetime > 0 {
                let (sum, overflows) = now.addingReportingOverflow(lifetime)
                let end = min(overflows ? .max : sum, entry.pointee.latest)
                // Written only if it changes, as the mark below: else threads that read take the line from each other.
                if expiresAt != end { state.pointee.expiresAt = end }
            }
        case .none:
            break
        case .to(let expiration):
            let end = min(MemoryLifetime(expiration, clock: clock, at: now).expiresAt, entry.pointee.latest)
            state.pointee.expiresAt = end
        }
        if !state.pointee.isReferenced {
            state.pointee.isReferenced = true
        }
        return value
    }
}

/// The time at which an entry expires, in nanoseconds of the monotonic clock.
@usableFromInline
struct MemoryLifetime {
    /// `Int64.max` is never.
    @usableFromInline let expiresAt: Int64
    /// The lifetime that an access restarts; 0 if it restarts nothing.
    @usableFromInline let duration: Int64

    @usableFromInline
    init(_ expiration: Expiration, clock: StoreClock, at now: Int64) {
        if case .never = expiration {
            (expiresAt, duration) = (.max, 0)
            return
        }
        let seconds = expiration.interval(since: expiration.isRelative ? .distantPast : clock.now())
        // Clamped to what Int64 holds; 2^63 nanoseconds are 292 years.
        guard seconds > 0, seconds < 9e9 else {
            (expiresAt, duration) = (seconds > 0 ? .max : .min, 0)
            return
        }
        let nanoseconds = Int64(seconds * 1e9)
        let (sum, overflows) = now.addingReportingOverflow(nanoseconds)
        (expiresAt, duration) = (overflows ? .max : sum, expiration.isRelative ? nanoseconds : 0)
    }
}
