internal import FoundationEssentials
internal import HalcyonConcurrency

extension DiskCache {
    /// Counts of the cache. Complexity: O(log n), and O(n) in the number of expired entries.
    public func statistics() throws(DiskCacheError) -> Statistics {
        try failing(.maintain) {
            try flush()
            let limit = try resolvedLimits().bytes
            return try withIndex { index in
                try index.read { connection in
                    let find = try connection.statement(
                        """
                        SELECT count(*) FROM entry
                        WHERE due_at <= ?1 AND due_at < 9223372036854775807 AND expires_at <= ?1
                        """
                    )
                    defer { find.reset() }
                    find.bind(now.microseconds, at: 1)
                    _ = try find.step()
                    let totals = try connection.totals()
                    return Statistics(
                        count: totals.count,
                        bytes: totals.bytes,
                        inlineCount: totals.inlineCount,
                        fileCount: totals.fileCount,
                        expiredCount: Int(find.integer(0)),
                        sizeLimit: limit
                    )
                }
            }
        }
    }

    /// Removes the files that belong to no entry and that no process is writing; returns their paths.
    ///
    /// Complexity: O(n) in the number of files. Other calls go on meanwhile.
    @discardableResult
    func removeOrphans(removes: Bool = true) throws -> [String] {
        var orphans: [String] = []
        for name in try fileSystem.namesIfPresent(inFolder: layout.incoming) {
            let path = "\(layout.incoming)/\(name)"
            if try isOrphan(path, file: nil, removes: removes) { orphans.append(path) }
        }
        for first in try fileSystem.namesIfPresent(inFolder: layout.bodies) {
            for second in try fileSystem.namesIfPresent(inFolder: "\(layout.bodies)/\(first)") {
                let folder = "\(layout.bodies)/\(first)/\(second)"
                for name in try fileSystem.namesIfPresent(inFolder: folder) {
                    let path = "\(folder)/\(name)"
                    // What the cache did not name is not the cache's to remove.
                    guard let file = DiskLayout.file(name), layout.body(file) == path else { continue }
                    if try isUsed(file) { continue }
                    if try isOrphan(path, file: file, removes: removes) { orphans.append(path) }
                }
            }
        }
        return orphans
    }

    private func isUsed(_ file: Int64) throws -> Bool {
        try withIndex { index in try index.read { try $0.usesFile(file) } }
    }

    /// Whether a file is nobody's, and removes it if so. A file whose lock is taken is being written. Once the lock is
    /// ours, its writer is dead or has committed, which the index then says.
    private func isOrphan(_ path: String, file: Int64?, removes: Bool) throws -> Bool {
        do throws(FileSystemError) {
            let descriptor = try fileSystem.openForReading(path)
            defer { fileSystem.close(descriptor) }
            guard try fileSystem.status(of: descriptor).kind == .file else { return false }
            guard try fileSystem.lock(descriptor, waits: false) else { return false }
            if let file {
                do {
                    if try isUsed(file) { return false }
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
