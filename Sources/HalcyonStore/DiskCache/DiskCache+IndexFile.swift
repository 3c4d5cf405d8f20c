internal import HalcyonSystem

extension DiskCache {
    /// Makes the folder and opens the index, in the place of one that was open before.
    func makeIndex(inPlaceOf present: DiskIndex?, _ events: inout [DiskCacheEvent]) throws -> DiskIndex {
        try checkLocation()
        if configuration.isReadOnly { return try openIndexFile() }
        try makeVersionFolder()
        // An index without its log is what a removal of the folder has left. Opened anew it would get a second log, while
        // connections to the first are in use.
        func isWithoutLog() -> Bool { present.map { hasName($0) && !$0.hasLog } ?? false }
        func makeIndex() throws -> DiskIndex {
            try removeMisplaced()
            if isWithoutLog() { try removeIndexFiles() }
            try removeLeftovers()
            do {
                return try openIndexFile()
            } catch let error as SQLiteError where error.meansDamage {
                try removeIndexFiles()
                try removeLeftovers()
                events.append(.indexDamaged(path: layout.index, reason: error.message))
                return try openIndexFile()
            }
        }
        guard !isWithoutLog(), isThere(layout.index, as: .file) else { return try withFolderLock(makeIndex) }
        if let index = try folderLock.withLock(within: Self.patienceBesideIndex, makeIndex) { return index }
        // Whoever keeps the folder locked for so long is stopped, and replaces nothing meanwhile.
        do {
            return try openIndexFile(creates: false)
        } catch let error as SQLiteError where error.meansDamage {
            throw DiskFolderLock.isTaken
        }
    }

    /// The milliseconds that are waited for the lock of the folder where there is an index: to open one takes less.
    private static var patienceBesideIndex: Int { 200 }

    /// Makes the folder of the layout. A file in its place, or in that of one of its folders, is removed.
    private func makeVersionFolder() throws(FileSystemError) {
        if isThere(layout.versionFolder, as: .file) { try fileSystem.removeFileIfPresent(layout.versionFolder) }
        try fileSystem.createFolders(layout.versionFolder)
        for path in [layout.bodies, layout.incoming] where isThere(path, as: .file) {
            try fileSystem.removeFileIfPresent(path)
        }
    }

    /// Removes what is in the place of a file of the index and is none, such as a folder or a pipe.
    private func removeMisplaced() throws(FileSystemError) {
        for path in layout.indexFiles where isThere(path, as: .folder) || isThere(path, as: .other) {
            try removeTree(path)
        }
    }

    /// Returns whether a path is known to lead to something of a kind.
    private func isThere(_ path: String, as kind: FileStatus.Kind) -> Bool {
        (try? fileSystem.status(at: path).kind) == kind
    }

    /// Removes the log of an index that was removed, before another index is made under its name: a process that still
    /// has the earlier one open would share the log with it.
    private func removeLeftovers() throws(FileSystemError) {
        guard !isThere(layout.index) else { return }
        for file in layout.indexFiles where isThere(file) { try fileSystem.removeFileIfPresent(file) }
    }

    /// Returns whether there is a file at a path, or may be.
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

    private func openIndexFile(creates: Bool = true) throws -> DiskIndex {
        try DiskIndex(
            layout.index,
            busyTimeout: configuration.busyTimeout,
            pageLimit: configuration.indexPageLimit,
            memoryLimit: configuration.indexMemoryLimit,
            fileSystem: fileSystem,
            isReadOnly: configuration.isReadOnly,
            creates: creates
        )
    }

    /// Removes the index. The files of its bodies become orphans, left to the next clean.
    func removeIndexFiles() throws(FileSystemError) {
        for file in layout.indexFiles {
            try fileSystem.removeFileIfPresent(file)
        }
    }

    /// Keeps other processes from creating or replacing the index meanwhile.
    func withFolderLock<Result>(_ body: () throws -> Result) throws -> Result {
        try folderLock.withLock(body)
    }

    private var folderLock: DiskFolderLock {
        DiskFolderLock(layout: layout, fileSystem: fileSystem, patience: folderPatience)
    }
}
