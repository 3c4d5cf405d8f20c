internal import HalcyonSystem

/// The use of one entry.
extension PartialBodyStore {
    /// Returns the body kept for a key, checked byte by byte, for the caller alone; `nil` if there is none, or another
    /// transfer, of this process or another, is using it. Blocks.
    func take(_ key: PartialBodyKey) -> PartialBody? {
        guard isUsable, let descriptor = try? fileSystem.openForAppending(journal(key.name)) else { return nil }
        guard isLocked(descriptor) else {
            fileSystem.close(descriptor)
            return nil
        }
        do throws(FileSystemError) {
            if let body = try read(key, descriptor) { return body }
            removeFiles(key.name)
        } catch {
            // It may be sound, and readable another time.
        }
        fileSystem.close(descriptor)
        return nil
    }

    /// Begins to keep a body; `nil` if that is not possible, among others because another transfer is doing so, or because
    /// bodies were removed since the transfer began. Blocks.
    ///
    /// - Parameter removals: The ``removalCount`` when the transfer began.
    func begin(_ key: PartialBodyKey, _ response: PartialResponse, since removals: Int) -> PartialBody? {
        guard removals == removalCount, isUsable, response.totalBytes ?? 0 <= configuration.maximumBytes,
            let head = PartialBodyJournal(key, response).head()
        else { return nil }
        removeSurplus(
            maximumEntries: configuration.maximumEntries - 1,
            maximumBytes: configuration.maximumBytes - (response.totalBytes ?? 0)
        )
        guard let descriptor = try? createJournal(key.name) else { return nil }
        guard isLocked(descriptor) else {
            fileSystem.close(descriptor)
            return nil
        }
        do throws(FileSystemError) {
            try write(head.bytes, to: descriptor)
            let file = try createBody(key.name)
            let body = PartialBody(
                store: self,
                name: key.name,
                response: response,
                journal: descriptor,
                body: file,
                seed: head.seed
            )
            if removals == removalCount { return body }
            body.close(keepsBytes: false)
            return nil
        } catch {
            removeFiles(key.name)
            fileSystem.close(descriptor)
            return nil
        }
    }

    /// Takes the lock that marks an entry as in use; returns false if it is held elsewhere, or if the entry was removed
    /// since it was opened. The lock ends with the process, so a dead one holds none.
    func isLocked(_ journal: FileDescriptor) -> Bool {
        guard (try? fileSystem.lock(journal, waits: false)) == true,
            let status = try? fileSystem.status(of: journal)
        else { return false }
        return status.kind == .file && status.linkCount > 0
    }

    /// Removes the files of an entry whose lock the caller holds. The journal goes last, so that a body without one is
    /// not in use.
    @discardableResult
    func removeFiles(_ name: String) -> Bool {
        let isBodyGone = (try? fileSystem.removeFileIfPresent(body(name))) != nil
        return (try? fileSystem.removeFileIfPresent(journal(name))) != nil && isBodyGone
    }

    private func createJournal(_ name: String) throws(FileSystemError) -> FileDescriptor {
        do throws(FileSystemError) {
            return try fileSystem.create(journal(name))
        } catch .notFound {
            try fileSystem.createFolders(folder)
            return try fileSystem.create(journal(name))
        }
    }

    private func createBody(_ name: String) throws(FileSystemError) -> FileDescriptor {
        do throws(FileSystemError) {
            return try fileSystem.create(body(name))
        } catch .exists {
            try fileSystem.removeFile(body(name))
            return try fileSystem.create(body(name))
        }
    }

    func write(_ bytes: [UInt8], to descriptor: FileDescriptor) throws(FileSystemError) {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(FileSystemError) in try fileSystem.writeAll(descriptor, from: bytes) }
        }
        try result.get()
    }
}
