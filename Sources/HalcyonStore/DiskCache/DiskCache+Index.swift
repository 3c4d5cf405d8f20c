internal import FoundationEssentials
internal import HalcyonConcurrency

extension DiskCache {
    /// Opens the folder and the index, and creates them if needed. Any other call does the same.
    public func open() throws(DiskCacheError) {
        try failing(.open) { try withIndex { _ in } }
    }

    /// Writes down what is buffered and closes the index. Later look-ups find nothing, and later stores throw.
    public func close() throws(DiskCacheError) {
        defer {
            sweep.stop()
            // Named, so that it is closed after the lock is released.
            let index = state.withLock { state in
                state.isClosed = true
                defer { state.index = nil }
                return state.index
            }
            withExtendedLifetime(index) {}
        }
        try flush()
    }

    /// Writes down what is buffered: entries stored with ``Durability/none``, and uses of entries.
    ///
    /// - Throws: ``DiskCacheError`` if that fails; the entries are then given up.
    public func flush() throws(DiskCacheError) {
        try failing(.write) { try flushStaged() }
        let pending = touches.withLock { $0.take() }
        guard !pending.isEmpty, let index = state.withLock({ $0.index }) else { return }
        try failing(.maintain) {
            guard isPresent(index) else { return }
            let now = now
            try index.write { connection in
                for (id, touch) in pending {
                    try connection.touch(id, touch, at: now)
                }
            }
        }
    }

    /// Writes some of the uses down if neither another thread nor another process is writing, so that no look-up waits for
    /// one; else they stay buffered.
    func flushWithoutWaiting() {
        guard let index = state.withLock({ $0.index }) else { return }
        let pending = touches.withLock { $0.takeBatch() }
        let now = now
        do {
            let isWritten: Void? = try index.writeWithoutWaiting { connection in
                for (id, touch) in pending {
                    try connection.touch(id, touch, at: now)
                }
            }
            if isWritten != nil { return }
            touches.withLock { buffer in
                for (id, touch) in pending { buffer.putBack(touch, id: id) }
            }
        } catch {
            // Only recency is lost. The next call that needs the index meets the same error, and deals with it.
        }
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

    /// How a call makes sure that the open index is still the cache's.
    enum IndexSearch {
        /// By the file's name. Nothing escapes it.
        case byName
        /// Once in 50 ms by its name, which tells that a folder above it was moved; a look-up finds for so long what moved
        /// along. That the file was removed or replaced tells ``DiskIndex/isLinked``, which is asked once for each time that
        /// the clock shows, and by the first look-up after any other call. One that finds nothing asks again.
        case inTurn
    }

    /// The index, opened again if its file was removed or replaced.
    private func openedIndex(_ search: IndexSearch) throws -> DiskIndex {
        let time = search == .byName ? 0 : configuration.clock.monotonic()
        var isBusy = false
        let (present, isClosed, isSought, isLinked) = state.withLock { state in
            if search == .byName {
                state.linkedAt = nil
                return (state.index, state.isClosed, true, false)
            }
            let isSought = time &- state.soughtAt > 50_000_000 || state.soughtAt > time
            let isLinked = state.linkedAt == time
            state.linkedAt = time
            state.lookUpCount += 1
            if isSought {
                isBusy = state.lookUpCount > Self.busyLookUpCount
                state.soughtAt = time
                state.lookUpCount = 0
            }
            return (state.index, state.isClosed, isSought, isLinked)
        }
        if isClosed { throw closed }
        if let present {
            if !isSought, isLinked || present.isLinked { return present }
            if isSought, isPresent(present) {
                if isBusy { present.readHold?.renew() }
                return present
            }
        }
        let index = try openIndex(inPlaceOf: present)
        // Only now, so that what was open before, which `present` holds, is closed with no lock held.
        withExtendedLifetime(present) {}
        beginSweeping()
        return index
    }

    /// Opens the index, unless another thread has since.
    ///
    /// What needs no index goes on meanwhile: `state` is not held, because another process may keep the folder locked.
    private func openIndex(inPlaceOf present: DiskIndex?) throws -> DiskIndex {
        var events: [DiskCacheEvent] = []
        defer { for event in events { configuration.onEvent?(event) } }
        return try opening.withLock { _ in
            let opened = try state.withLock { state -> DiskIndex? in
                if state.isClosed { throw closed }
                // One that has to be replaced stays known until it is, for what is wrong with it to be known as well.
                return state.index === present ? nil : state.index
            }
            if let opened { return opened }
            let index = try makeIndex(inPlaceOf: present, &events)
            return try state.withLock { state in
                // What was made is closed when the error is thrown: nothing else has it.
                if state.isClosed { throw closed }
                // The same file may be opened anew because others write it.
                let isSame = present.map { $0.inode == index.inode && $0.device == index.device } ?? false
                if state.hasOpenedBefore, events.isEmpty, !isSame { events.append(.recreated(path: folder)) }
                state.index = index
                state.hasOpenedBefore = true
                return index
            }
        }
    }

    private var closed: DiskCacheError { DiskCacheError(.open, path: folder, reason: "it was closed") }

    /// How many look-ups in 50 ms make it worth holding the index for those to come: what holding takes, ten save.
    private static var busyLookUpCount: Int { 16 }

    /// Whether the opened index is still the file that its name leads to, and its log too, and may be read as it was opened.
    func isPresent(_ index: DiskIndex) -> Bool {
        hasName(index) { !index.isOutdated($0) } && index.hasLog
    }

    /// Whether the opened index is still the file that its name leads to.
    private func hasName(_ index: DiskIndex, isUsable: (FileStatus) -> Bool = { _ in true }) -> Bool {
        do throws(FileSystemError) {
            let status = try fileSystem.status(at: layout.index)
            return index.isFile(status) && isUsable(status)
        } catch {
            // Only what says that the file is not there counts: a failing device must not make the cache start anew.
            return error != .notFound && error != .notFolder
        }
    }

    private func makeIndex(inPlaceOf present: DiskIndex?, _ events: inout [DiskCacheEvent]) throws -> DiskIndex {
        try checkLocation()
        if configuration.isReadOnly { return try openIndexFile() }
        try fileSystem.createFolders(layout.versionFolder)
        return try withFolderLock {
            // An index without its log is what a removal of the folder has left. Opened anew it would get a second log,
            // while connections to the first are in use.
            if let present, hasName(present), !present.hasLog { try removeIndexFiles() }
            try removeLeftovers()
            do {
                return try openIndexFile()
            } catch let error as SQLiteError where error.meansDamage {
                try removeIndexFiles()
                events.append(.indexDamaged(path: layout.index, reason: error.message))
                return try openIndexFile()
            }
        }
    }

    /// Removes the log of an index that was removed, before another index is made under its name: who still has the earlier
    /// one open would share the log with it.
    private func removeLeftovers() throws(FileSystemError) {
        guard !isThere(layout.index) else { return }
        for file in layout.indexFiles where isThere(file) { try fileSystem.removeFileIfPresent(file) }
    }

    /// Whether there is something at a path, or may be.
    private func isThere(_ path: String) -> Bool {
        do throws(FileSystemError) {
            _ = try fileSystem.status(at: path)
            return true
        } catch {
            return error != .notFound
        }
    }

    /// Throws if the cache would lie where another user may have made its folder.
    private func checkLocation() throws(DiskCacheError) {
        do throws(FileSystemError) {
            try configuration.location.prepare(folder, fileSystem)
        } catch {
            guard error == .notPermitted else { throw DiskCacheError(.open, path: folder, error) }
            let reason = "the folder that holds it belongs to another user, or others may change it"
            throw DiskCacheError(.open, path: folder, code: error.code, reason: reason)
        }
    }

    private func openIndexFile() throws -> DiskIndex {
        try DiskIndex(
            layout.index,
            busyTimeout: configuration.busyTimeout,
            pageLimit: configuration.indexPageLimit,
            memoryLimit: configuration.indexMemoryLimit,
            fileSystem: fileSystem,
            isReadOnly: configuration.isReadOnly
        )
    }

    /// Gives up a damaged index: the file if it is still the same, else only the connection to it.
    private func replaceDamaged(_ index: DiskIndex, _ error: SQLiteError) throws {
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
            // Told as damage, so not once more as a folder that vanished.
            state.hasOpenedBefore = false
        }
        if isRemoved {
            configuration.onEvent?(.indexDamaged(path: layout.index, reason: error.message))
        }
    }

    /// Removes the index. The bodies it knew become orphans, and the next clean's.
    private func removeIndexFiles() throws(FileSystemError) {
        for file in layout.indexFiles {
            try fileSystem.removeFileIfPresent(file)
        }
    }

    /// Keeps other processes from creating or replacing the index meanwhile.
    private func withFolderLock<Result>(_ body: () throws -> Result) throws -> Result {
        try DiskFolderLock(layout: layout, fileSystem: fileSystem, patience: folderPatience).withLock(body)
    }
}
