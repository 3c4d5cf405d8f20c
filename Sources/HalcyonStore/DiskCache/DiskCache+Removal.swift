internal import CSQLite
package import FoundationEssentials
internal import HalcyonSystem

extension DiskCache {
    /// Removes the entry of `key`. It is no error if there is none. No store of the key that was in progress in this
    /// cache object when this was called leaves an entry.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    public func remove(for key: String) throws(DiskCacheError) -> Bool {
        try removing { try removeEntry(for: key) }
    }

    /// Removes the entry of `key` if it is still the version that a look-up found. Stores in progress are not affected.
    ///
    /// - Returns: whether it was.
    @discardableResult
    public func remove(for key: String, ifStill version: Version) throws(DiskCacheError) -> Bool {
        try removing {
            keepLimit(try flushStaged())
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

    /// Notes that the entry of a key, or every entry, was to be removed at a time, with what was made of it: answers to
    /// requests that were sent before are not stored any more, by other processes either.
    package func noteRemoval(of key: String?, at date: Date) throws(DiskCacheError) {
        try failing(.remove) {
            try requireWritable(.remove)
            // What waits is removed like the rest, and counts.
            keepLimit(try flushStaged())
            try withIndex { index in
                try index.write { connection in
                    guard let key else { return try connection.noteRemoval(of: nil, at: DiskTime(date)) }
                    try withKey(key) { try connection.noteRemoval(of: $0, at: DiskTime(date)) }
                }
            }
        }
    }

    /// Runs a removal, and turns its errors into one that says so. Where the device has no space for the change of the
    /// index, some bodies make way, and the removal is tried once more.
    func removing<Result>(_ body: () throws -> Result) throws(DiskCacheError) -> Result {
        try failing(.remove) {
            try requireWritable(.remove)
            do {
                return try body()
            } catch  where error.meansFailingDevice {
                guard makeSpace() else { throw error }
                return try body()
            }
        }
    }

    /// Removes the files of any bodies, as far as it takes to write the index. Their entries count as damaged.
    ///
    /// - Returns: whether there was one.
    private func makeSpace() -> Bool {
        var walk = DiskFileWalk(layout)
        var freedBytes = 0
        while freedBytes < Self.spaceForRemoval, let file = try? walk.next(fileSystem) {
            let size = (try? fileSystem.status(at: file.path(in: layout)).size) ?? 0
            if (try? isOrphan(file, removes: true) { _ in false }) == true { freedBytes += size }
        }
        return freedBytes > 0
    }

    /// The bytes that the log of the index and the index of the log may take for one removal.
    private static var spaceForRemoval: Int { 1 << 18 }

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
                // An entry that is only in memory is removed even so, and does not give place to the one it had
                // replaced.
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
}

extension Error {
    /// A Boolean value that indicates whether the device has no space, or fails to read or write.
    var meansFailingDevice: Bool {
        switch self {
        case let error as SQLiteError: [SQLITE_FULL, SQLITE_IOERR].contains(error.primaryCode)
        case let error as DiskCacheError:
            [SQLITE_FULL, SQLITE_IOERR].contains(Int32(truncatingIfNeeded: error.indexCode & 0xff))
        default: false
        }
    }
}
