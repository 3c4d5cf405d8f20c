/// One entry of a memory cache.
@usableFromInline
struct MemoryEntry<Key: Hashable & Sendable, Value: Sendable> {
    // What a hit reads comes first, so that it lies in few lines of the processor's cache.
    /// `nil` once the entry was evicted and only `weak` may still find it.
    @usableFromInline var value: Value?
    /// The time at which it expires, in nanoseconds of the monotonic clock; `Int64.max` is never.
    @usableFromInline var expiresAt = Int64.max
    /// The time at which it expires whatever extends its lifetime.
    @usableFromInline var latest = Int64.max
    /// The lifetime that an access restarts, in nanoseconds; 0 if an access restarts nothing.
    @usableFromInline var lifetime: Int64 = 0
    /// Set by a hit, cleared by the eviction hand when it passes: the second chance.
    @usableFromInline var isUsed = false
    /// `nil` at a free place of a shard.
    @usableFromInline var key: HashedKey<Key>?
    /// Made when the value is stored, so that no code of the user runs while it is evicted.
    @usableFromInline var weak: WeakValue<Value>?
    @usableFromInline var cost = 0
    /// The number of its store: it distinguishes an evicted entry from a later one with its key.
    @usableFromInline var serial = 0

    @inlinable
    init() {}

    /// The time at which it expires after an access that restarts its lifetime.
    @inlinable
    func extended(at now: Int64) -> Int64 {
        guard lifetime > 0 else { return expiresAt }
        let (sum, overflows) = now.addingReportingOverflow(lifetime)
        return min(overflows ? .max : sum, latest)
    }

    /// The time at which it expires after an access.
    ///
    /// - Parameter end: the new expiry where `extending` gives one.
    @inlinable
    @inline(__always)
    func extended(at now: Int64, _ extending: ExpirationExtension, end: Int64) -> Int64 {
        let latest = latest
        return extending.expiry(restarted: extended(at: now), given: { _ in min(end, latest) }) ?? expiresAt
    }
}

/// A key with its hash, which chooses the shard and the place there: hashing it anew for each takes as long as the rest of a
/// look-up.
@usableFromInline
struct HashedKey<Key: Hashable & Sendable>: Hashable, Sendable {
    @usableFromInline let key: Key
    @usableFromInline let hash: Int

    @inlinable
    init(_ key: Key) {
        self.key = key
        hash = key.hashValue
    }

    @inlinable
    static func == (left: HashedKey, right: HashedKey) -> Bool { left.hash == right.hash && left.key == right.key }

    @inlinable
    func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    /// What a dictionary calls, by default with a hasher of its own.
    @inlinable
    func _rawHashValue(seed: Int) -> Int { hash }
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
