internal import HalcyonSystem

extension DiskCache {
    /// Makes the folder and opens the index, in the place of one that was open before.
    func makeIndex(inPlaceOf present: DiskIndex?, _ events: inout [DiskCacheEvent]) throws -> DiskIndex {
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

    /// Removes the index. The files of its bodies become orphans, left to the next clean.
    func removeIndexFiles() throws(FileSystemError) {
        for file in layout.indexFiles {
            try fileSystem.removeFileIfPresent(file)
        }
    }

    /// Keeps other processes from creating or replacing the index meanwhile.
    func withFolderLock<Result>(_ body: () throws -> Result) throws -> Result {
        try DiskFolderLock(layout: layout, fileSystem: fileSystem, patience: folderPatience).withLock(body)
    }
}
