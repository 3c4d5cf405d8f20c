internal import HalcyonConcurrency

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

    /// Goes on with the search for files that belong to no entry, if one is due, and removes some of them.
    func sweepOrphans(in index: DiskIndex) throws -> DiskSweep.Rest {
        guard var walk = orphanSearch.withLock({ $0.take(layout) }) else { return .none }
        defer { orphanSearch.withLock { $0.putBack(walk) } }
        var (count, removedCount) = (0, 0)
        while count < 4 * Self.batchSize, removedCount < Self.batchSize {
            // A folder that cannot be listed, and a file that cannot be opened, are left to the next search.
            guard let file = try? walk.next(fileSystem) else {
                if walk.isDone { return .none }
                continue
            }
            count += 1
            if file.isPublished, try index.read({ try $0.usesFile(file.number) }) { continue }
            let isOrphan = try? isOrphan(file, removes: true) { number in
                // Another folder may be in the place of the one that was opened, with files that this index does not know.
                guard isPresent(index) else { return true }
                return try index.read { try $0.usesFile(number) }
            }
            if isOrphan == true { removedCount += 1 }
        }
        return .some
    }

    /// Whether a file is nobody's, and removes it if so. A file whose lock is taken is being written. Once the lock is
    /// ours, its writer is dead or has committed, which the index then says.
    private func isOrphan(_ file: DiskFile, removes: Bool, isUsed: (Int64) throws -> Bool) throws -> Bool {
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

/// When files are looked for in the background that belong to no entry: processes that ended while they wrote have left
/// them, and so has an index that is gone. After each opening of an index, and once in 24 sweeps.
struct DiskOrphanSearch {
    private var walk: DiskFileWalk?
    private var sweepCount = 0

    /// Begins a search.
    mutating func begin(_ layout: DiskLayout) {
        walk = DiskFileWalk(layout)
        sweepCount = 0
    }

    /// The search that goes on or is due; nil if none is.
    mutating func take(_ layout: DiskLayout) -> DiskFileWalk? {
        if walk == nil {
            sweepCount += 1
            if sweepCount == 24 { begin(layout) }
        }
        defer { walk = nil }
        return walk
    }

    /// Keeps a search that is not at its end, unless another was begun.
    mutating func putBack(_ earlier: DiskFileWalk) {
        if walk == nil, !earlier.isDone { walk = earlier }
    }
}
