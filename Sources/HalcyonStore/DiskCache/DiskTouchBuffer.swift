/// A use of an entry that is not yet written to the index.
struct DiskTouch {
    /// The version of the entry that was used.
    let version: DiskCache.Version
    var lastAccess: DiskTime
    /// The time to which the use moved the expiry; nil if it did not.
    var expiresAt: DiskTime?
    /// A Boolean value that indicates whether the index has nearly the same times: see ``DiskIndexRow/isSlight(_:)``.
    var isSlight = false
}

extension DiskIndexRow {
    /// Returns whether a use changes so little that it need not be written while many others wait: less than a minute
    /// of recency, and less than a sixty-fourth of the lifetime.
    ///
    /// Writing a use takes several times as long as a look-up, since it moves the entry in two indices. Without this, a
    /// program that looks up more entries than the buffer holds, again and again, does little else.
    func isSlight(_ touch: DiskTouch) -> Bool {
        let minute: Int64 = 60_000_000
        guard touch.lastAccess < lastAccess.advanced(by: minute), touch.lastAccess >= lastAccess else { return false }
        guard let end = touch.expiresAt else { return true }
        let (gain, overflows) = end.microseconds.subtractingReportingOverflow(expiresAt.microseconds)
        return !overflows && gain >= 0 && gain <= min(minute, lifetime / 64)
    }
}

/// The uses of entries that are not yet written to the index, at most one an entry and 32,768 entries. A crash loses
/// them, which makes an entry look less recently used than it was, and nothing else.
struct DiskTouchBuffer {
    private(set) var touches: [Int64: DiskTouch] = [:]
    /// The time of the first of them.
    private var began = DiskTime.never
    /// The number of the last entry of the last batch.
    private var lastTaken = Int64.min

    /// The expiry to which an earlier use moved that of the entry.
    func expiresAt(of row: DiskIndexRow) -> DiskTime? {
        touches[row.id].flatMap { $0.version == row.version ? $0.expiresAt : nil }
    }

    /// The number of entries.
    var count: Int { touches.count }

    /// Adds the use of an entry. Returns when the entry expires now, earlier uses included; nil if it has expired, and
    /// was not used.
    mutating func add(_ touch: DiskTouch, to row: DiskIndexRow) -> DiskTime? {
        add(touch, id: row.id, expiringAt: row.expiresAt)
    }

    /// Puts back a use that could not be written down.
    mutating func putBack(_ touch: DiskTouch, id: Int64) {
        _ = add(touch, id: id, expiringAt: .never)
    }

    private mutating func add(_ touch: DiskTouch, id: Int64, expiringAt end: DiskTime) -> DiskTime? {
        let isFull = touches.count >= 32_768
        if touches.isEmpty { began = touch.lastAccess }
        // One access to the dictionary, which takes as long as all else here.
        return Self.merge(touch, into: &touches[id], isFull: isFull, expiringAt: end)
    }

    private static func merge(
        _ touch: DiskTouch,
        into place: inout DiskTouch?,
        isFull: Bool,
        expiringAt end: DiskTime
    ) -> DiskTime? {
        var touch = touch
        let earlier = place.flatMap { $0.version == touch.version ? $0 : nil }
        let end = earlier?.expiresAt ?? end
        if end <= touch.lastAccess { return nil }
        if let earlier {
            touch.lastAccess = max(touch.lastAccess, earlier.lastAccess)
            touch.expiresAt = touch.expiresAt ?? earlier.expiresAt
            touch.isSlight = touch.isSlight && earlier.isSlight
        }
        if place != nil || !isFull { place = touch }
        return touch.expiresAt ?? end
    }

    /// Returns whether the first of them was made more than a minute ago, or the clock was set back: other processes
    /// evict and expire by the written times.
    func isOld(at now: DiskTime) -> Bool {
        !touches.isEmpty && (now > began.advanced(by: 60_000_000) || began > now.advanced(by: 60_000_000))
    }

    /// Hands over everything, in the order of the index's rows: neighbours then share pages.
    mutating func take() -> [(id: Int64, touch: DiskTouch)] {
        defer { touches = [:] }
        return touches.map { (id: $0.key, touch: $0.value) }.sorted { $0.id < $1.id }
    }

    /// Forgets the slight ones, so that only what matters is written down now.
    mutating func forgetSlight() {
        touches = touches.filter { !$0.value.isSlight }
    }

    /// Hands over a few, so that writing them does not take long: neighbours in the index, which share
    /// pages, each time those after the last.
    mutating func takeBatch() -> [(id: Int64, touch: DiskTouch)] {
        guard touches.count > 256 else { return take() }
        let ids = touches.keys.sorted()
        let start = ids.firstIndex { $0 > lastTaken } ?? 0
        let batch = ids[start..<min(ids.count, start + 256)].compactMap { id in
            touches.removeValue(forKey: id).map { (id: id, touch: $0) }
        }
        lastTaken = batch.last?.id ?? .min
        return batch
    }
}
