internal import FoundationEssentials
internal import HalcyonConcurrency

extension DiskCache {
    /// Begins a store of a key. A removal, or a later store of the key, overtakes it until it has ended.
    func beginStore(_ key: String) -> DiskStore {
        withKey(key) { key in staging.withLock { $0.stores.begin(key) } }
    }

    /// Ends a store, whatever became of it.
    func endStore(_ store: DiskStore) {
        staging.withLock { $0.stores.end(store) }
    }

    /// Keeps a small body in memory until a common transaction writes it.
    func stage(
        _ store: DiskStore,
        _ key: String,
        _ body: Data,
        _ metadata: Data,
        _ expiration: Expiration?
    ) throws -> Bool {
        guard try isStorable(store, key, size: body.count, metadata, expiration) else { return false }
        let date = configuration.clock.now()
        let entry = NewDiskEntry(
            metadata: metadata,
            size: body.count,
            bodyHash: Checksum.hash(of: body),
            storedAt: DiskTime(date),
            lifetime: DiskLifetime(expiration ?? self.expiration, at: date)
        )
        let staged = StagedEntry(key: key, body: body, entry: entry, number: store.number)
        // Freed with no lock held, as all that leaves the staging.
        let result = withKey(key) { key in staging.withLock { $0.add(staged, key, of: store) } }
        guard let result else { return false }
        if result.isDue { try flushStaged() }
        return true
    }

    /// The row of an entry that is staged.
    func stagedRow(_ key: DiskKey) -> DiskIndexRow? {
        staging.isEmpty ? nil : staging.withLock { $0.entry(key) }?.row(id: key.id)
    }

    /// Writes down the entries that are staged, in one transaction. If that fails they are given up, except where
    /// another process kept the index for too long.
    func flushStaged() throws {
        guard !staging.isEmpty else { return }
        let replaced: [Int64]
        let totals: DiskTotals
        var written: [Int64: StagedEntry] = [:]
        var dropped: [StagedEntry] = []
        do {
            (replaced, totals) = try withIndex { index in
                try index.withWriter { connection in
                    do {
                        let result = try connection.transaction { try self.writeStaged(connection) }
                        written = staging.withLock { $0.endWriting() }
                        return result
                    } catch {
                        dropped += staging.withLock { $0.abandonWriting() }
                        throw error
                    }
                }
            }
        } catch {
            if (error as? SQLiteError)?.meansBusy != true { dropped += staging.withLock { $0.removeAll() } }
            throw error
        }
        withExtendedLifetime((written, dropped)) {}
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
