internal import HalcyonConcurrency

extension DiskCache {
    /// Removes the entry of `key`. It is no error if there is none. What this cache object was storing under the key when
    /// this was called is not there afterwards.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    public func remove(for key: String) throws(DiskCacheError) -> Bool {
        try failing(.remove) {
            try requireWritable(.remove)
            return try removeEntry(for: key)
        }
    }

    /// Removes the entry of `key` if it is still the one that a look-up found. What is being stored is not affected.
    ///
    /// - Returns: whether it was.
    @discardableResult
    public func remove(for key: String, ifStill version: Version) throws(DiskCacheError) -> Bool {
        try failing(.remove) {
            try requireWritable(.remove)
            try flushStaged()
            let listsKeys = !listeners.isEmpty
            let removed = try withKey(key) { key in
                try withIndex { index in
                    try index.write { try $0.removeRow(key, version: version, listsKeys: listsKeys) }
                }
            }
            finish(removed, .removed)
            return removed.count > 0
        }
    }

    /// Removes the entry of a key, and overtakes the stores of the key that are under way.
    ///
    /// - Parameter store: the store that the entry makes way for: later ones are not affected. Default: there is none.
    @discardableResult
    func removeEntry(for key: String, replacedBy store: DiskStore? = nil) throws -> Bool {
        keepSharedFiles()
        let listsKeys = !listeners.isEmpty
        var staged: StagedEntry?
        defer { withExtendedLifetime(staged) {} }
        let removed = try withKey(key) { key in
            var last = store?.number ?? .max
            do {
                return try withIndex { index in
                    var removed = RemovedRows()
                    try index.write { connection in
                        // Stores are completed while they hold the connection that writes, as this does.
                        let isValid = staging.withLock { staging in
                            last = store?.number ?? staging.stores.lastNumber
                            let isValid = store.map { staging.stores.isValid($0) } ?? true
                            if isValid { staging.stores.revoke(key, before: store?.number ?? .max) }
                            return isValid
                        }
                        removed = isValid ? try connection.removeRow(key, listsKeys: listsKeys) : RemovedRows()
                    } whenCommitted: {
                        // Not before: until then a look-up would find what the staged entry was to replace.
                        staged = staging.withLock { $0.remove(for: key, notAfter: last) }
                    }
                    return removed
                }
            } catch {
                // What is only in memory goes even so, and does not give place to what it had replaced.
                staged = staging.withLock { staging in
                    staging.stores.revoke(key, before: store?.number ?? .max)
                    return staging.withdraw(for: key, notAfter: last)
                }
                throw error
            }
        }
        var told = removed
        if let staged, !staged.isWithdrawn, removed.count == 0 {
            told.count = 1
            if listsKeys { told.keys = [key] }
        }
        finish(told, .removed)
        return told.count > 0
    }

    /// Removes the entries whose keys begin with `prefix`, compared byte by byte.
    ///
    /// What this cache object was storing under such a key when this was called is not there afterwards.
    ///
    /// Complexity: O(n) in the number of all entries; if the prefix has a NUL, as those of an image's variants have,
    /// O(m log n) in the number m of entries with the same bytes before the NUL. Other calls go on meanwhile.
    ///
    /// - Returns: the number of entries removed.
    @discardableResult
    public func removeEntries(prefix: String) throws(DiskCacheError) -> Int {
        try failing(.remove) {
            try requireWritable(.remove)
            let range = DiskKeyRange(prefix: prefix)
            // While nothing is being committed, so that the walk below meets whatever was.
            try withIndex { index in
                try index.withWriter { _ in staging.withLock { $0.stores.revoke(in: range) } }
            }
            try flush()
            guard range.family != nil else { return try removeListed(in: range) { _ in true } }
            return try removeBatches(.removed) {
                try $0.removeRows(inFamilyOf: range, count: Self.batchSize, listsKeys: $1)
            }
        }
    }

    /// Removes the entries that `isUnwanted` picks, expired ones included.
    ///
    /// Complexity: O(n) in the number of all entries. Other calls go on meanwhile; what is being stored, or is stored during
    /// the call, may or may not be asked about, and what is replaced after it was asked about stays.
    ///
    /// - Parameter isUnwanted: called with no lock held.
    /// - Returns: the number of entries removed.
    @discardableResult
    public func removeEntries(where isUnwanted: (Listing) -> Bool) throws(DiskCacheError) -> Int {
        try failing(.remove) {
            try requireWritable(.remove)
            try flush()
            return try removeListed(in: DiskKeyRange(prefix: ""), where: isUnwanted)
        }
    }

    /// Walks over the entries of a range, and removes those that are unwanted.
    private func removeListed(in range: DiskKeyRange, where isUnwanted: (Listing) -> Bool) throws -> Int {
        var count = 0
        var last: Int64?
        while true {
            let rows = try listedRows(after: last, in: range, count: Self.batchSize)
            guard let end = rows.last else { return count }
            last = end.id
            let unwanted = rows.filter { isUnwanted($0.listing) }
            if unwanted.isEmpty { continue }
            keepSharedFiles()
            let listsKeys = !listeners.isEmpty
            let removed = try withIndex { index in
                try index.write { try $0.removeRows(unwanted, listsKeys: listsKeys) }
            }
            finish(removed, .removed)
            count += removed.count
        }
    }

    /// Removes every entry, and every file that no process is writing. What this cache object was storing when this was
    /// called is not there afterwards.
    public func removeAll() throws(DiskCacheError) {
        try failing(.remove) {
            try requireWritable(.remove)
            touches.withLock { _ = $0.take() }
            let listsKeys = !listeners.isEmpty
            var staged: [StagedEntry] = []
            var last = UInt64.max
            var keys: [String] = []
            do {
                try withIndex { index in
                    try index.write { connection in
                        last = staging.withLock { staging in
                            staging.stores.revokeAll()
                            return staging.stores.lastNumber
                        }
                        keys = try connection.removeEverything(listsKeys: listsKeys)
                    } whenCommitted: {
                        staged = staging.withLock { $0.removeAll(notAfter: last) }
                    }
                    try? index.withWriter { try $0.execute("PRAGMA incremental_vacuum") }
                }
            } catch {
                // What is only in memory goes even so, and does not give place to what it had replaced.
                staged = staging.withLock { staging in
                    staging.stores.revokeAll()
                    return staging.withdrawAll(notAfter: last)
                }
                throw error
            }
            if listsKeys { keys += Set(staged.filter { !$0.isWithdrawn }.map(\.key)).subtracting(keys) }
            listeners.tell(keys, .cleared)
            _ = try removeOrphans()
        }
    }

    /// Removes the entries whose time is over, and what dead processes left behind.
    ///
    /// - Returns: the number of entries removed.
    @discardableResult
    public func removeExpired() throws(DiskCacheError) -> Int {
        try failing(.remove) {
            try requireWritable(.remove)
            try flush()
            let now = now
            let count = try removeBatches(.expired) {
                try $0.removeExpired(at: now, count: Self.batchSize, listsKeys: $1)
            }
            _ = try removeOrphans()
            removeEarlierLayouts()
            return count
        }
    }

    /// Removes what earlier versions of the layout left beside this one, which nobody would ever look at again. What
    /// cannot be removed stays: it is only space.
    private func removeEarlierLayouts() {
        for version in 1..<DiskLayout.version {
            try? removeTree("\(folder)/v\(version)")
        }
    }

    /// Removes a folder with all it holds. Links in it are removed and not followed.
    private func removeTree(_ path: String) throws(FileSystemError) {
        guard try fileSystem.status(at: path).kind == .folder else { return try fileSystem.removeFile(path) }
        for name in try fileSystem.names(inFolder: path) { try removeTree("\(path)/\(name)") }
        try fileSystem.removeFolder(path)
    }

    /// Removes in transactions of at most ``batchSize`` entries until one finds fewer.
    private func removeBatches(
        _ reason: CacheRemoval<String>.Reason,
        _ removeBatch: (SQLiteConnection, _ listsKeys: Bool) throws -> RemovedRows
    ) throws -> Int {
        var count = 0
        while true {
            keepSharedFiles()
            let listsKeys = !listeners.isEmpty
            let removed = try withIndex { index in
                try index.write { try removeBatch($0, listsKeys) }
            }
            finish(removed, reason)
            count += removed.count
            if removed.count + removed.correctedCount < Self.batchSize { return count }
        }
    }

    /// How many entries one transaction removes: enough that its own cost does not count, few enough that other
    /// writers do not wait for long.
    static var batchSize: Int { 128 }
}
