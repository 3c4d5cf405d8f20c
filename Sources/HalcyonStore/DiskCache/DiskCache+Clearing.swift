internal import HalcyonSystem

extension DiskCache {
    /// Removes every entry, and every file that no process is writing. No store that was in progress in this cache
    /// object when this was called leaves an entry.
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
                // Entries that are only in memory are removed even so, and do not give place to those they had
                // replaced.
                staged = staging.withLock { staging in
                    staging.stores.revokeAll()
                    return staging.withdrawAll(notAfter: last)
                }
                guard error.meansFailingDevice else { throw error }
                try removeIndexAndBodies()
            }
            if listsKeys { keys += Set(staged.filter { !$0.isWithdrawn }.map(\.key)).subtracting(keys) }
            listeners.tell(keys, .cleared)
            _ = try removeOrphans()
        }
    }

    /// Removes the index, and then every file that no process is writing, where the device has no space to write down that
    /// the entries are gone. What other processes store meanwhile may go as well.
    private func removeIndexAndBodies() throws {
        // Closed before its files are removed, unless other calls have it.
        _ = state.withLock { state in
            state.hasOpenedBefore = false
            return state.index.take()
        }
        try opening.withLock { _ in try withFolderLock { try removeIndexFiles() } }
        var walk = DiskFileWalk(layout)
        while let file = try walk.next(fileSystem) { _ = try isOrphan(file, removes: true) { _ in false } }
    }

    /// Removes expired entries, and the files that dead processes left.
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

    /// Removes the folders of earlier versions of the layout, which are never read again. A folder that cannot be
    /// removed stays: it only takes space.
    private func removeEarlierLayouts() {
        for version in 1..<DiskLayout.version {
            try? removeTree("\(folder)/v\(version)")
        }
    }

    /// Removes a folder with all it holds. Links in it are removed and not followed.
    func removeTree(_ path: String) throws(FileSystemError) {
        guard try fileSystem.status(at: path).kind == .folder else { return try fileSystem.removeFile(path) }
        for name in try fileSystem.names(inFolder: path) { try removeTree("\(path)/\(name)") }
        try fileSystem.removeFolder(path)
    }
}
