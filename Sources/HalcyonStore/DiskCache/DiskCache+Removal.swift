internal import HalcyonConcurrency

extension DiskCache {
    /// Removes the entry of `key`. It is no error if there is none.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    public func remove(_ key: String) throws(DiskCacheError) -> Bool {
        try failing(.remove) { try removeEntry(key) }
    }

    @discardableResult
    func removeEntry(_ key: String) throws -> Bool {
        let removed = try withKey(key) { key in
            try withIndex { index in
                try index.write { try $0.removeRow(key) }
            }
        }
        removeFiles(removed.files)
        return removed.count > 0
    }

    /// Removes every entry, and every file that no process is writing.
    public func removeAll() throws(DiskCacheError) {
        try failing(.remove) {
            touches.withLock { _ = $0.take() }
            try withIndex { index in
                try index.write { try $0.removeEverything() }
                try? index.withWriter { try $0.execute("PRAGMA incremental_vacuum") }
            }
            _ = try removeOrphans()
        }
    }

    /// Removes the entries whose time is over, and what dead processes left behind.
    ///
    /// - Returns: the number of entries removed.
    @discardableResult
    public func removeExpired() throws(DiskCacheError) -> Int {
        try failing(.remove) {
            try flush()
            let now = now
            var count = 0
            while true {
                let removed = try withIndex { index in
                    try index.write { try $0.removeExpired(at: now, count: Self.batchSize) }
                }
                removeFiles(removed.files)
                count += removed.count
                if removed.count < Self.batchSize { break }
            }
            _ = try removeOrphans()
            return count
        }
    }

    /// How many entries one transaction removes: enough that its own cost does not count, few enough that other
    /// writers do not wait for long.
    static var batchSize: Int { 128 }
}
