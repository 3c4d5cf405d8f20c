internal import HalcyonSystem

/// Going on after damage: a body that is not the one stored, an index that cannot be read, a folder that vanished.
extension DiskCache {
    /// Removes a damaged entry, unless it was replaced meanwhile, and reports that.
    ///
    /// - Parameter waits: whether to wait for others that write. If not, and one does, the entry is left to the next
    ///   look-up.
    func discard(_ row: DiskIndexRow, in index: DiskIndex, because reason: String, waits: Bool) throws {
        if configuration.isReadOnly {
            configuration.onEvent?(.entryDamaged(key: row.key, reason: reason))
            return
        }
        let removed =
            waits
            ? try index.write { try $0.removeRow(like: row) }
            : try index.writeWithoutWaiting { try $0.removeRow(like: row) }
        guard let removed, removed.count > 0 else { return }
        finish(removed, .damaged)
        configuration.onEvent?(.entryDamaged(key: row.key, reason: reason))
    }

    /// Runs `body` with the open index, and again with a new one if this one turns out to be damaged or gone.
    func withIndex<Result>(found: IndexSearch = .byName, _ body: (DiskIndex) throws -> Result) throws -> Result {
        var index = try openedIndex(found)
        do {
            return try body(index)
        } catch let error as SQLiteError {
            if error.meansDamage, !configuration.isReadOnly {
                try replaceDamaged(index, error)
            } else if isPresent(index) {
                throw error
            }
        } catch let error as FileSystemError where error == .notFound && !isPresent(index) {
            // The folder vanished under the call.
        }
        index = try openedIndex(.byName)
        return try body(index)
    }

    /// Drops a damaged index: the file if it is still the same, else only the connection to it.
    func replaceDamaged(_ index: DiskIndex, _ error: SQLiteError) throws {
        let isRemoved = try opening.withLock { _ in
            try withFolderLock {
                guard isPresent(index) else { return false }
                try removeIndexFiles()
                return true
            }
        }
        // The caller holds the index, so it is not closed under the lock.
        state.withLock { state in
            guard state.index === index else { return }
            state.index = nil
            // Reported as damage, so not once more as a folder that vanished.
            state.hasOpenedBefore = false
        }
        if isRemoved {
            configuration.onEvent?(.indexDamaged(path: layout.index, reason: error.message))
        }
    }

    /// Returns whether the opened index and its log are still the files that their names lead to, and may be read as
    /// they were opened.
    func isPresent(_ index: DiskIndex) -> Bool {
        hasName(index) { !index.isOutdated($0) } && index.hasLog
    }

    /// Returns whether the opened index is still the file that its name leads to.
    func hasName(_ index: DiskIndex, isUsable: (FileStatus) -> Bool = { _ in true }) -> Bool {
        do throws(FileSystemError) {
            let status = try fileSystem.status(at: layout.index)
            return index.isFile(status) && isUsable(status)
        } catch {
            // Only what says that the file is not there counts: a failing device must not make the cache start anew.
            return error != .notFound && error != .notFolder
        }
    }
}
