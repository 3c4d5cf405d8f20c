internal import HalcyonSystem

extension DiskCache {
    /// Removes the files that belong to no entry and that no process is writing; returns their paths.
    ///
    /// Complexity: O(n) in the number of files. Other calls go on meanwhile.
    @discardableResult
    func removeOrphans(removes: Bool = true) throws -> [String] {
        func isUsed(_ file: Int64) throws -> Bool {
            try withIndex { index in try index.read { try $0.usesFile(file) } }
        }
        var orphans: [String] = []
        var walk = DiskFileWalk(layout)
        while let file = try walk.next(fileSystem) {
            if file.isPublished, try isUsed(file.number) { continue }
            if try isOrphan(file, removes: removes, isUsed: isUsed) { orphans.append(file.path(in: layout)) }
        }
        return orphans
    }

    /// Begins the search for files that belong to no entry, and removes some of them, unless the background sweep has
    /// begun it: a process may end before that. Looks at 16 files at most, which takes a tenth of a millisecond, and of which
    /// each process takes others.
    ///
    /// Does nothing if nothing is swept, or the index is not open.
    package func sweepBeforeEnd() {
        guard sweepInterval != nil, let index = state.withLock({ $0.index }), isPresent(index) else { return }
        guard let walk = orphanSearch.withLock({ $0.takeFirst(layout) }) else { return }
        // The next call that needs the index meets the same error, and deals with it.
        _ = try? sweepOrphans(walk, in: index, count: Self.batchSize / 8)
    }

    /// Goes on with the search for files that belong to no entry, if one is due, and removes some of them.
    func sweepOrphans(in index: DiskIndex) throws -> DiskSweep.Rest {
        guard let walk = orphanSearch.withLock({ $0.take(layout) }) else { return .none }
        return try sweepOrphans(walk, in: index, count: 4 * Self.batchSize)
    }

    /// - Parameter count: The most files that are looked at.
    private func sweepOrphans(_ walk: DiskFileWalk, in index: DiskIndex, count limit: Int) throws -> DiskSweep.Rest {
        var walk = walk
        defer { orphanSearch.withLock { $0.putBack(walk) } }
        var (count, removedCount) = (0, 0)
        while count < limit, removedCount < Self.batchSize {
            // A folder that cannot be listed, and a file that cannot be opened, are left to the next search.
            guard let file = try? walk.next(fileSystem) else {
                guard walk.isDone else { continue }
                return .none
            }
            count += 1
            if file.isPublished, try index.read({ try $0.usesFile(file.number) }) { continue }
            let isOrphan = try? isOrphan(file, removes: true) { number in
                // Another folder may be in the place of the one that was opened, with files that this index does not
                // know.
                guard isPresent(index) else { return true }
                return try index.read { try $0.usesFile(number) }
            }
            if isOrphan == true { removedCount += 1 }
        }
        return .some
    }

    /// Returns whether a file belongs to no entry, and removes it if so. A file whose lock is taken is being written.
    /// Once the lock is taken here, its writer is dead or has committed, which the index then shows.
    func isOrphan(_ file: DiskFile, removes: Bool, isUsed: (Int64) throws -> Bool) throws -> Bool {
        let path = file.path(in: layout)
        do throws(FileSystemError) {
            let descriptor = try fileSystem.openForReading(path)
            defer { fileSystem.close(descriptor) }
            guard try fileSystem.status(of: descriptor).kind == .file else { return false }
            guard try fileSystem.lock(descriptor, waits: false) else { return false }
            if file.isPublished {
                do {
                    if try isUsed(file.number) { return false }
                } catch let error as FileSystemError {
                    throw error
                } catch {
                    return false
                }
            }
            if removes { try fileSystem.removeFile(path) }
            return true
        } catch .notFound {
            return false
        }
    }
}

/// The search for files that belong to no entry: processes that ended while they wrote have left them, and so has an
/// index that was removed. It is made after each opening of an index, and once in 24 sweeps.
struct DiskOrphanSearch {
    private var walk: DiskFileWalk?
    private var sweepCount = 0
    /// A Boolean value that indicates whether a part of the first search was made.
    private var isStarted = false

    /// Begins a search.
    mutating func begin(_ layout: DiskLayout) {
        walk = DiskFileWalk(layout)
        sweepCount = 0
        isStarted = false
    }

    /// Returns the search, if no part of it was made since the index was opened; nil otherwise.
    mutating func takeFirst(_ layout: DiskLayout) -> DiskFileWalk? {
        isStarted || walk == nil ? nil : take(layout)
    }

    /// Returns the search that is in progress or due; nil if none is.
    mutating func take(_ layout: DiskLayout) -> DiskFileWalk? {
        if walk == nil {
            sweepCount += 1
            if sweepCount == 24 { begin(layout) }
        }
        defer { walk = nil }
        isStarted = true
        return walk
    }

    /// Keeps a search that is not at its end, unless another was begun.
    mutating func putBack(_ earlier: DiskFileWalk) {
        if walk == nil, !earlier.isDone { walk = earlier }
    }
}
