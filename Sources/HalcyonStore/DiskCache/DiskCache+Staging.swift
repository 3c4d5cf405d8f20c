internal import FoundationEssentials
internal import HalcyonSystem

extension DiskCache {
    /// Begins a store of a key. A removal, or a later store of the key, overtakes it until it has ended.
    func beginStore(for key: String, madeOf basis: OriginalReference? = nil) -> DiskStore {
        withKey(key) { key in staging.withLock { $0.stores.begin(key, madeOf: basis) } }
    }

    /// Ends a store, whatever its outcome.
    func endStore(_ store: DiskStore) {
        staging.withLock { $0.stores.end(store) }
    }

    /// Stores an entry that waits in memory until a common transaction writes it. A large body is written to its file
    /// now.
    func stage(
        _ store: DiskStore,
        _ body: Data,
        for key: String,
        _ metadata: Data,
        _ expiration: Expiration?
    ) throws -> Bool {
        let hash = Checksum.hash(of: body)
        let content = try body.count > configuration.inlineLimit ? stagedFile(of: body, hash: hash) : .inline(body)
        let date = configuration.clock.now()
        let entry = NewDiskEntry(
            metadata: metadata,
            size: body.count,
            bodyHash: hash,
            storedAt: DiskTime(date),
            lifetime: DiskLifetime(expiration ?? self.expiration, at: date),
            basis: store.basis
        )
        let staged = StagedEntry(key: key, content: content, entry: entry, number: store.number)
        // Freed with no lock held, as all that leaves the staging.
        let result = withKey(key) { key in staging.withLock { $0.add(staged, for: key, of: store) } }
        guard let result else { return false }
        if result.isDue {
            do {
                keepLimit(try flushStaged())
            } catch {
                // Where another process keeps the index, the entry waits for a later transaction, and can be read.
                let waits = withKey(key) { key in
                    stagedEntry(for: key).map { $0.number == store.number && !$0.isWithdrawn } ?? false
                }
                guard waits else { throw error }
                answering(.write, ()) { throw error }
            }
        }
        return true
    }

    /// The body in a file: of an entry that has the same bytes, or a new one.
    private func stagedFile(of body: Data, hash: UInt64) throws -> StagedEntry.Content {
        // A file that cannot be read is not shared.
        if let file = staging.withLock({ $0.file(hash: hash, size: body.count) }), (try? file.hasBytes(body)) == true {
            return .file(file)
        }
        if let file = try sharedFile(of: body, hash: hash) { return .sharedFile(file) }
        let file = try IncomingFile(layout, fileSystem)
        try body.withUnsafeBytes { try file.append($0) }
        _ = try file.publish(durablyBy: nil)
        return .file(file)
    }

    /// Returns the entry of a key that is staged, or was withdrawn.
    func stagedEntry(for key: DiskKey) -> StagedEntry? {
        staging.isEmpty ? nil : staging.withLock { $0.entry(for: key) }
    }

    /// The result of a look-up among the staged entries.
    enum StagedLookUp {
        /// The entry of the index counts, if it was stored after that time.
        case absent(storedAfter: DiskTime)
        case found(DiskIndexRow, Data, hash: UInt64)
        /// Its file is not usable any more, and neither is the entry that it replaced.
        case lost
    }

    /// Looks for a staged entry and its body. One whose file is not usable is withdrawn, with the entry that it was to
    /// replace.
    func lookUpStaged(_ key: DiskKey) throws -> StagedLookUp {
        while let staged = stagedEntry(for: key) {
            if staged.isWithdrawn { return .absent(storedAfter: staged.entry.storedAt) }
            let row = staged.row(id: key.id)
            let result = try withExtendedLifetime(staged) { try readBody(of: row) }
            if case .sound(let body, let hash) = result { return .found(row, body, hash: hash) }
            let dropped = staging.withLock { $0.withdraw(staged, for: key) }
            guard dropped != nil else {
                // One that is being written is the index's to correct; one that was replaced is looked for again.
                if staging.withLock({ $0.entry(for: key)?.number == staged.number }) { return .lost }
                continue
            }
            let listsKeys = !listeners.isEmpty
            // Waits for others that write: else the next look-up would find what the entry had replaced.
            let removed = try withIndex { index in
                try index.write {
                    try $0.removeRow(key, notAfter: staged.entry.storedAt, listsKeys: listsKeys)
                } whenCommitted: {
                    staging.withLock { $0.forget([key.id: staged]) }
                }
            }
            finish(removed, .damaged)
            var reason = "its file is missing"
            if case .damaged(let damage) = result { reason = damage }
            configuration.onEvent?(.entryDamaged(key: key.text, reason: reason))
            return .lost
        }
        return .absent(storedAfter: .earliest)
    }

    /// Writes the staged entries, in one transaction. If that fails they are withdrawn, except where
    /// another process kept the index for too long and they are few. The entries that they were to replace are not
    /// found any more either, and each later call tries again to remove them.
    ///
    /// The limit is the caller's to keep, by ``keepLimit(_:)``.
    ///
    /// - Returns: The totals with the entries that were written; `nil` if there were none.
    func flushStaged() throws -> DiskTotals? {
        guard !staging.isEmpty else { return nil }
        guard staging.withLock({ $0.holdsEntries }) else {
            // The error was thrown when they were withdrawn.
            _ = try? commitStaged()
            return nil
        }
        do {
            try withIndex { try $0.checkLog(limit: configuration.indexLogLimit) }
            return try commitStaged()
        } catch {
            // The number of entries that wait for another process is bounded, as their files are open.
            let mayWait = (error as? SQLiteError)?.meansBusy == true && !staging.withLock { $0.isOverfull }
            if !mayWait { withdrawStaged() }
            throw error
        }
    }

    /// A Boolean value that indicates whether entries wait to be written, which other processes do not see yet.
    package var hasWaitingEntries: Bool { !staging.isEmpty && staging.withLock { $0.holdsEntries } }

    /// Writes the staged entries if some of them share files of entries in the index: before others are
    /// removed from there, and their files with them.
    func keepSharedFiles() {
        guard !staging.isEmpty, staging.withLock({ $0.sharesFiles }) else { return }
        answering(.write, ()) { keepLimit(try flushStaged()) }
    }

    private func withdrawStaged() {
        let dropped = staging.withLock { $0.withdrawAll() }
        withExtendedLifetime(dropped) {}
        do {
            // A removal takes no space, so it may succeed where a store has failed.
            _ = try commitStaged()
        } catch {
            // Most replace nothing. What the index has of the others is removed by a later call.
            let withdrawn = staging.withLock { $0.withdrawn }
            let idle = try? withIndex { index in
                try index.read { connection in try withdrawn.filter { try !connection.hasRow($0.key) } }
            }
            if let idle { staging.withLock { $0.forget(idle) } }
        }
    }

    private func commitStaged() throws -> DiskTotals {
        var written: [Int64: StagedEntry] = [:]
        var dropped: [StagedEntry] = []
        defer { withExtendedLifetime((written, dropped)) {} }
        let (replaced, totals) = try withIndex { index in
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
        removeFiles(replaced)
        return totals
    }

    private func writeStaged(_ connection: SQLiteConnection) throws -> ([Int64], DiskTotals) {
        let batch = staging.withLock { $0.beginWriting() }
        // Looked at before any of them is stored, which may replace the entry whose file another shares: that is kept
        // by the one that shares it, since files are removed after the commit.
        let isLost = try batch.map { _, staged in
            try staged.borrowedFile.map { try !connection.usesFile($0) } ?? staged.isWithdrawn
        }
        var replaced: [Int64] = []
        for ((id, staged), isLost) in zip(batch, isLost) {
            if !isLost, try isOutdated(staged.entry.basis, in: connection) {
                // What the cache has under the key may be newer, and stays.
                if let file = staged.file { replaced.append(file) }
                continue
            }
            var text = staged.key
            replaced += try text.withUTF8 { characters in
                let key = DiskKey(id: id, text: staged.key, bytes: UnsafeRawBufferPointer(characters))
                if isLost {
                    // The entry was to replace what is there, except what another process has stored since.
                    return try connection.removeRow(key, notAfter: staged.entry.storedAt, listsKeys: false).files
                }
                guard let body = staged.inlineBody else {
                    return try connection.store(staged.entry, for: key, inlineBody: nil, file: staged.file)
                }
                return try body.withUnsafeBytes { body in
                    try connection.store(staged.entry, for: key, inlineBody: body, file: nil)
                }
            }
        }
        return (try connection.unused(replaced), try connection.totals())
    }
}
