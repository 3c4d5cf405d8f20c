/// A use of an entry that is not yet written to the index.
struct DiskTouch {
    let storedAt: DiskTime
    var lastAccess: DiskTime
    /// Where the use moved the expiry to; nil if it did not.
    var expiresAt: DiskTime?
}

/// The uses of entries that are not yet written to the index, at most one an entry and 4,096 entries. A crash loses
/// them, which makes an entry look less recently used than it was, and nothing else.
struct DiskTouchBuffer {
    private(set) var touches: [Int64: DiskTouch] = [:]

    /// The expiry to which an earlier use moved that of the entry.
    func expiresAt(of row: DiskIndexRow) -> DiskTime? {
        touches[row.id].flatMap { $0.storedAt == row.storedAt ? $0.expiresAt : nil }
    }

    mutating func add(_ touch: DiskTouch, id: Int64) {
        var touch = touch
        if let earlier = touches[id], earlier.storedAt == touch.storedAt {
            touch.lastAccess = max(touch.lastAccess, earlier.lastAccess)
            touch.expiresAt = touch.expiresAt ?? earlier.expiresAt
        } else if touches.count >= 4_096, touches[id] == nil {
            return
        }
        touches[id] = touch
    }

    mutating func forget(_ id: Int64) {
        touches[id] = nil
    }

    /// Hands over everything.
    mutating func take() -> [Int64: DiskTouch] {
        defer { touches = [:] }
        return touches
    }
}
