public import FoundationEssentials
internal import HalcyonSystem

extension DiskCache {
    /// Stores a body under `key`, replacing the entry that was stored there. It can be read once this returns.
    ///
    /// An entry that has expired already, or is larger than the whole limit, is not stored; the earlier entry is
    /// removed all the same, because it was to be replaced. An entry is not stored either if a removal, or a later
    /// store of its key, overtakes it: one that was called in this cache object after this, and has returned before.
    ///
    /// - Parameters:
    ///   - metadata: bytes that are stored and read together with the body.
    ///   - expiration: its lifetime; default that of the cache.
    ///   - durability: its safety from a loss of power; default ``Durability/normal``.
    /// - Returns: whether it was stored.
    /// - Throws: ``DiskCacheError`` if the disk is full, read-only or fails. The earlier entry may then be removed.
    @discardableResult
    public func store(
        _ body: Data,
        for key: String,
        metadata: Data = Data(),
        expiration: Expiration? = nil,
        durability: Durability = .normal
    ) throws(DiskCacheError) -> Bool {
        try store(
            body,
            for: key,
            madeOf: nil,
            metadata: metadata,
            expiration: expiration,
            durability: durability
        )
    }

    /// Stores a body, as ``store(_:for:metadata:expiration:durability:)``, unless it was made of one that the cache has
    /// another of by now. One that is only staged may be declined later, when it is written.
    package func store(
        _ body: Data,
        for key: String,
        madeOf basis: OriginalReference?,
        metadata: Data,
        expiration: Expiration?,
        durability: Durability
    ) throws(DiskCacheError) -> Bool {
        let store = beginStore(for: key, madeOf: basis)
        defer { endStore(store) }
        return try complete(store, body, for: key, metadata, expiration, durability)
    }

    /// Stores the body of a store that has begun.
    func complete(
        _ store: DiskStore,
        _ body: Data,
        for key: String,
        _ metadata: Data,
        _ expiration: Expiration?,
        _ durability: Durability
    ) throws(DiskCacheError) -> Bool {
        try failing(.write) {
            guard try isStorable(store, for: key, size: body.count, metadata, expiration) else { return false }
            if body.count > configuration.inlineLimit {
                let storeBody = { [self] in
                    durability == .none
                        ? try stage(store, body, for: key, metadata, expiration)
                        : try completeFile(store, body, for: key, metadata, expiration, durability)
                }
                // Once more if the folder vanished between the two steps: the body is still at hand.
                do {
                    return try storeBody()
                } catch let error as FileSystemError where error == .notFound {
                    return try storeBody()
                }
            }
            if durability == .none { return try stage(store, body, for: key, metadata, expiration) }
            return try body.withUnsafeBytes { bytes in
                let hash = Checksum.hash(of: bytes)
                let staged = StagedBody(inline: bytes, file: nil, size: bytes.count, hash: hash)
                return try complete(store, staged, for: key, metadata, expiration, durability)
            }
        }
    }

    private func completeFile(
        _ store: DiskStore,
        _ body: Data,
        for key: String,
        _ metadata: Data,
        _ expiration: Expiration?,
        _ durability: Durability
    ) throws -> Bool {
        let hash = Checksum.hash(of: body)
        if durability != .full, let shared = try sharedFile(of: body, hash: hash) {
            let staged = StagedBody(inline: nil, file: nil, sharedFile: shared, size: body.count, hash: hash)
            do {
                return try complete(store, staged, for: key, metadata, expiration, durability)
            } catch is SharedFileIsGone {
                // It is written like any other.
            }
        }
        let file = try IncomingFile(layout, fileSystem)
        defer { file.close() }
        try body.withUnsafeBytes { try file.append($0) }
        let staged = StagedBody(inline: nil, file: file, size: body.count, hash: hash)
        return try complete(store, staged, for: key, metadata, expiration, durability)
    }

    /// Returns whether an entry may be stored; if not, the one it was to replace is removed.
    private func isStorable(
        _ store: DiskStore,
        for key: String,
        size: Int,
        _ metadata: Data,
        _ expiration: Expiration?
    ) throws -> Bool {
        try requireWritable(.write)
        let isOver = (expiration ?? self.expiration).isOver(at: configuration.clock.now())
        if !isOver, size + metadata.count + key.utf8.count <= (try resolvedSizeLimit()) { return true }
        try removeEntry(for: key, replacedBy: store)
        return false
    }

    /// Throws if the folder is only to be read.
    func requireWritable(_ operation: DiskCacheError.Operation) throws(DiskCacheError) {
        guard configuration.isReadOnly else { return }
        throw DiskCacheError(operation, path: folder, reason: "it is open for reading only")
    }

    /// Makes a complete body an entry, unless its store was overtaken.
    private func complete(
        _ store: DiskStore,
        _ body: StagedBody,
        for key: String,
        _ metadata: Data,
        _ expiration: Expiration?,
        _ durability: Durability
    ) throws -> Bool {
        let date = configuration.clock.now()
        let entry = NewDiskEntry(
            metadata: metadata,
            size: body.size,
            bodyHash: body.hash,
            storedAt: DiskTime(date),
            lifetime: DiskLifetime(expiration ?? self.expiration, at: date),
            basis: store.basis
        )
        let isDurable = durability == .full
        let awaitName = try body.file?.publish(durablyBy: isDurable ? folderSync : nil)
        let (replaced, totals): ([Int64], DiskTotals)
        do {
            (replaced, totals) = try commit(store, entry, of: body, for: key, isDurable: isDurable)
        } catch {
            try? awaitName?()
            if error is StoreWasOvertaken { return false }
            throw error
        }
        body.file?.keep()
        defer {
            removeFiles(replaced)
            // The entry is stored whatever becomes of the limit: that is tried again with the next one.
            keepLimit(totals)
        }
        try awaitName?()
        return true
    }

    /// Puts an entry into the index, in one transaction. Returns the files that no entry uses any more.
    private func commit(
        _ store: DiskStore,
        _ entry: NewDiskEntry,
        of body: StagedBody,
        for key: String,
        isDurable: Bool
    ) throws -> ([Int64], DiskTotals) {
        keepSharedFiles()
        var dropped: StagedEntry?
        defer { withExtendedLifetime(dropped) {} }
        return try withKey(key) { key in
            try withIndex { index in
                try index.checkLog(limit: configuration.indexLogLimit)
                return try index.write(isDurable: isDurable) { connection in
                    // Removals, too, overtake stores while they hold the connection that writes.
                    guard staging.withLock({ $0.stores.isValid(store) }), try !isOutdated(entry.basis, in: connection)
                    else { throw StoreWasOvertaken() }
                    // Files are removed after the commit that removes their last entry, so one that an entry has now
                    // stays for this one.
                    if let file = body.sharedFile, try !connection.usesFile(file) { throw SharedFileIsGone() }
                    let replaced = try connection.store(
                        entry,
                        for: key,
                        inlineBody: body.inline,
                        file: body.file?.number ?? body.sharedFile
                    )
                    return (replaced, try connection.totals())
                } whenCommitted: {
                    // Not before: until then a look-up would find what the staged entry was to replace.
                    dropped = staging.withLock { $0.complete(store, for: key) }
                }
            }
        }
    }
}

extension DiskCache {
    /// Returns whether another body has taken the place of the one that an entry was made of, or that was removed.
    ///
    /// The times are those of the clocks of the processes that stored the bodies. Where these differ, as on machines that
    /// share a folder, or a clock was set back, a time ahead of this one does not count.
    func isOutdated(_ basis: OriginalReference?, in connection: SQLiteConnection) throws -> Bool {
        guard let basis else { return false }
        let latest = now
        return try withKey(basis.key) { key in
            if basis.isAnswer, let removal = try connection.lastRemoval(of: key, until: latest), removal > basis.date {
                return true
            }
            let find = try connection.statement(
                "SELECT metadata, stored_at FROM entry WHERE id = ?1 AND key = ?2 AND body_hash <> ?3"
            )
            find.bind(key.id, at: 1)
            find.bind(borrowing: key.bytes, at: 2)
            find.bind(Int64(bitPattern: basis.hash), at: 3)
            defer { find.reset() }
            guard try find.step() else { return false }
            let date = find.data(0).flatMap(basis.currentAt).map { DiskTime($0) }
            let time = date ?? DiskTime(microseconds: find.integer(1))
            return time > basis.date && time <= latest
        }
    }
}

/// A body that is complete, and in memory or in a file.
struct StagedBody {
    let inline: UnsafeRawBufferPointer?
    let file: IncomingFile?
    /// The file of another entry that has the same bytes.
    var sharedFile: Int64?
    let size: Int
    let hash: UInt64
}

/// The entry whose file was to be shared was removed meanwhile.
struct SharedFileIsGone: Error {}

/// A removal, a later store of its key, or another body than it was made of, came before a store could be completed.
struct StoreWasOvertaken: Error {}
