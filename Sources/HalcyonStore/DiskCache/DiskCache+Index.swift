internal import FoundationEssentials
internal import HalcyonSystem

extension DiskCache {
    /// Opens the folder and the index, and creates them if needed. Any other call does the same.
    public func open() throws(DiskCacheError) {
        try failing(.open) { try withIndex { _ in } }
    }

    /// Flushes the cache and closes the index. Later look-ups find nothing, and later stores throw.
    public func close() throws(DiskCacheError) {
        defer {
            sweep.task.stop()
            // Named, so that it is closed after the lock is released.
            let index = state.withLock { state in
                state.isClosed = true
                defer { state.index = nil }
                return state.index
            }
            withExtendedLifetime(index) {}
        }
        try flush()
        sweepBeforeEnd()
    }

    /// The way in which a call checks that the open index is still that of the cache.
    enum IndexSearch {
        /// By the file's name. Nothing escapes it.
        case byName
        /// Once in 50 ms by its name, which shows that a folder above it was moved; for so long a look-up finds what
        /// moved along. ``DiskIndex/isLinked`` shows that the file was removed or replaced: it is read once for each
        /// time that the clock shows, and by the first look-up after any other call. A look-up that finds nothing reads
        /// it again.
        case inTurn
    }

    /// The index, opened again if its file was removed or replaced.
    func openedIndex(_ search: IndexSearch) throws -> DiskIndex {
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
    /// Calls that need no index are not blocked: `state` is not held, because another process may keep the folder
    /// locked.
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
                // The new index is closed when the error is thrown: nothing else has it.
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

    /// The number of look-ups in 50 ms from which the index is held for later ones: ten save the cost of holding.
    private static var busyLookUpCount: Int { 16 }
}
