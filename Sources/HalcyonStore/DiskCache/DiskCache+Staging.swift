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

    /// Stores an entry that waits in memory until a common transaction writes it. A large body is written to its file now.
    func stage(
        _ store: DiskStore,
        _ key: String,
        _ body: Data,
        _ metadata: Data,
        _ expiration: Expiration?
    ) throws -> Bool {
        guard try isStorable(store, key, size: body.count, metadata, expiration) else { return false }
        let hash = Checksum.hash(of: body)
        let content = try body.count > configuration.inlineLimit ? stagedFile(of: body, hash: hash) : .inline(body)
        let date = configuration.clock.now()
        let entry = NewDiskEntry(
            metadata: metadata,
            size: body.count,
            bodyHash: hash,
            storedAt: DiskTime(date),
            lifetime: DiskLifetime(expiration ?? self.expiration, at: date)
        )
        let staged = StagedEntry(key: key, content: content, entry: entry, number: store.number)
        // Freed with no lock held, as all that leaves the staging.
        let result = withKey(key) { key in staging.withLock { $0.add(staged, key, of: store) } }
        guard let result else { return false }
        if result.isDue { try flushStaged() }
        return true
    }

    /// The body in a file: of an entry that has the same bytes, or a new one.
    private func stagedFile(of body: Data, hash: UInt64) throws -> StagedEntry.Content {
        // What cannot be read is not shared.
        if let file = staging.withLock({ $0.file(hash: hash, size: body.count) }), (try? file.hasBytes(body)) == true {
            return .file(file)
        }
        if let file = try sharedFile(hash: hash, size: body.count, holds: { body == $0 }) { return .sharedFile(file) }
        let file = try IncomingFile(layout, fileSystem)
        try body.withUnsafeBytes { try file.append($0) }
        _ = try file.publish(durablyBy: nil)
        return .file(file)
    }

    /// The row of an entry that is staged.
    func stagedRow(_ key: DiskKey) -> DiskIndexRow? {
        stagedEntry(key)?.row(id: key.id)
    }

    private func stagedEntry(_ key: DiskKey) -> StagedEntry? {
        staging.isEmpty ? nil : staging.withLock { $0.entry(key) }
    }

    /// A look into the staging.
    enum StagedLookUp {
        case absent
        case found(DiskIndexRow, Data)
        /// Its file is no use any more, and what it had replaced is none either.
        case lost
    }

    /// Looks for a staged entry and its body. One whose file is no use is dropped, and what it was to replace with it.
    func lookUpStaged(_ key: DiskKey) throws -> StagedLookUp {
        while let staged = stagedEntry(key) {
            let row = staged.row(id: key.id)
            let result = try withExtendedLifetime(staged) { try readBody(of: row) }
            if case .sound(let body) = result { return .found(row, body) }
            let dropped = staging.withLock { $0.remove(staged, key) }
            guard dropped != nil else {
                // One that is being written is the index's to correct; one that was replaced is looked for again.
                if staging.withLock({ $0.entry(key)?.number == staged.number }) { return .lost }
                continue
            }
            let listsKeys = !listeners.isEmpty
            // Waits for others that write: else the next look-up would find what the entry had replaced.
            let removed = try withIndex { index in
                try index.write { try $0.removeRow(key, notAfter: staged.entry.storedAt, listsKeys: listsKeys) }
            }
            finish(removed, .damaged)
            var reason = "its file is missing"
            if case .damaged(let damage) = result { reason = damage }
            configuration.onEvent?(.entryDamaged(key: key.text, reason: reason))
            return .lost
        }
        return .absent
    }

    /// Writes down the entries that are staged, in one transaction. If that fails they are given up, except where
    /// another process kept the index for too long and they are few.
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
                        index.patience.restore()
                        written = staging.withLock { $0.endWriting() }
                        for staged in written.values { staged.incomingFile?.keep() }
                        return result
                    } catch {
                        dropped += staging.withLock { $0.abandonWriting() }
                        throw error
                    }
                }
            }
        } catch {
            // What waits for another process is bounded, as its files are open.
            let mayWait = (error as? SQLiteError)?.meansBusy == true && !staging.withLock { $0.isOverfull }
            if !mayWait { dropped += staging.withLock { $0.removeAll() } }
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
                // The entry was to replace what is there.
                if let file = staged.borrowedFile, try !connection.usesFile(file) {
                    return try connection.removeRow(key, listsKeys: false).files
                }
                guard let body = staged.inlineBody else {
                    return try connection.store(staged.entry, key, inlineBody: nil, file: staged.file)
                }
                return try body.withUnsafeBytes { body in
                    try connection.store(staged.entry, key, inlineBody: body, file: nil)
                }
            }
        }
        return (replaced, try connection.totals())
    }
}
