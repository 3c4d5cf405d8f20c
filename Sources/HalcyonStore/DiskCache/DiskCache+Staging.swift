internal import FoundationEssentials
internal import HalcyonConcurrency

extension DiskCache {
    /// Keeps a small body in memory until a common transaction writes it.
    func stage(_ key: String, _ body: Data, _ metadata: Data, _ expiration: Expiration?) throws -> Bool {
        guard try isStorable(key, size: body.count, metadata, expiration) else { return false }
        let date = configuration.clock.now()
        let entry = NewDiskEntry(
            metadata: metadata,
            size: body.count,
            bodyHash: Checksum.hash(of: body),
            storedAt: DiskTime(date),
            lifetime: DiskLifetime(expiration ?? self.expiration, at: date)
        )
        let isDue = withKey(key) { key in
            staging.withLock { $0.add(StagedEntry(key: key.text, body: body, entry: entry), id: key.id) }
        }
        if isDue { try flushStaged() }
        return true
    }

    /// The row of an entry that is staged.
    func stagedRow(_ key: DiskKey) -> DiskIndexRow? {
        staging.isEmpty ? nil : staging.withLock { $0.entry(key)?.row(id: key.id) }
    }

    /// Writes down the entries that are staged, in one transaction. If that fails they are given up, except where
    /// another process kept the index for too long.
    func flushStaged() throws {
        guard !staging.isEmpty else { return }
        let replaced: [Int64]
        let totals: DiskTotals
        do {
            (replaced, totals) = try withIndex { index in
                try index.withWriter { connection in
                    do {
                        let result = try connection.transaction { try self.writeStaged(connection) }
                        staging.withLock { $0.endWriting() }
                        return result
                    } catch {
                        staging.withLock { $0.abandonWriting() }
                        throw error
                    }
                }
            }
        } catch {
            if (error as? SQLiteError)?.meansBusy != true { _ = staging.withLock { $0.removeAll() } }
            throw error
        }
        removeFiles(replaced)
        answering(.maintain, ()) { try enforceLimits(totals) }
    }

    private func writeStaged(_ connection: SQLiteConnection) throws -> ([Int64], DiskTotals) {
        var replaced: [Int64] = []
        for (id, staged) in staging.withLock({ $0.beginWriting() }) {
            var text = staged.key
            replaced += try text.withUTF8 { characters in
                let key = DiskKey(id: id, text: staged.key, bytes: UnsafeRawBufferPointer(characters))
                return try staged.body.withUnsafeBytes { body in
                    try connection.store(staged.entry, key, inlineBody: body, file: nil)
                }
            }
        }
        return (replaced, try connection.totals())
    }
}
