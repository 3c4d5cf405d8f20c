internal import FoundationEssentials
internal import HalcyonStore
internal import HalcyonSystem

extension DiskTier {
    /// Runs a function that stores or removes entries, after all earlier changes, also in a task that was cancelled.
    ///
    /// - Returns: `nil` if the disk fails, which is reported.
    func attempt<Result: Sendable>(
        _ call: TierCall = TierCall(),
        _ body: @escaping @Sendable (DiskCache) throws -> Result
    ) async -> Result? {
        await write(priority: call.priority) { [cache, faults] in
            do {
                return try body(cache)
            } catch {
                faults.report(error)
                return nil
            }
        }
    }

    /// Runs a function that stores or removes entries, after all earlier changes, also in a task that was cancelled:
    /// the change has been made in memory.
    func change<Result: Sendable>(_ body: @escaping @Sendable (DiskCache) throws -> Result) async throws -> Result {
        do {
            return try await write(priority: .normal) { [cache] in Swift.Result { try body(cache) } }.get()
        } catch let error as DiskCacheError {
            throw failure(error)
        }
    }

    /// Runs a function on the thread that changes the disk, whether or not the task is cancelled.
    func write<Result: Sendable>(
        priority: LoadPriority,
        _ body: @escaping @Sendable () -> Result
    ) async -> Result {
        await withCheckedContinuation { continuation in
            writing.schedule(priority: priority) { continuation.resume(returning: body()) }
        }
    }
}

extension DiskCache {
    /// Stores an entry.
    ///
    /// - Parameter basis: The original that it was made of, which makes it outdated where the disk has a newer one. Default: `nil`.
    func store(_ entry: TierEntry, for key: CacheKey, madeOf basis: OriginalReference? = nil, durability: Durability)
        throws -> Bool
    {
        try store(
            entry.body,
            for: key.text,
            madeOf: basis,
            metadata: entry.metadata,
            expiration: entry.expiration,
            durability: durability
        )
    }

    /// Replaces the metadata and the lifetime of an entry that has the body of a new one, as an answer 304 does: the time of
    /// its arrival stays, since which results that the program stored may have been made of it.
    ///
    /// - Returns: `false` if there is no such entry.
    func confirm(_ entry: TierEntry, for key: CacheKey) throws -> Bool {
        guard contains(key.text), let found = self.entry(for: key.text, extending: .none), found.body == entry.body
        else { return false }
        return try updateMetadata(
            entry.metadata,
            for: key.text,
            expiration: entry.expiration ?? expiration,
            replacing: found.version
        )
    }

    /// Notes a removal that the program has asked for, of everything under a name or of everything, for other processes whose
    /// loads are under way.
    func noteRemoval(_ scope: TierScope, at date: Date) throws {
        switch scope {
        case .name(let name, except: [], unknownSince: nil): try noteRemoval(of: name, at: date)
        case .everything: try noteRemoval(of: nil, at: date)
        case .entry, .name, .names: break
        }
    }

    /// Removes entries.
    func remove(_ scope: TierScope) throws -> Int {
        switch scope {
        case .entry(let key, let version?):
            return try remove(for: key.text, ifStill: version) ? 1 : 0
        case .entry(let key, nil):
            return try remove(for: key.text) ? 1 : 0
        case .name(let name, except: [], unknownSince: nil):
            let count = try removeEntries(prefix: name + "\0")
            return try remove(for: name) ? count + 1 : count
        case .name(let name, _, _):
            let outdated = try rows(under: name).filter { row in
                let content = EntryContent(row)
                return scope.covers(content.key, digest: content.digest?.value, storedAt: content.storedAt)
            }
            return try outdated.count { try remove(for: $0.key, ifStill: $0.version) }
        case .names(let prefix):
            return try removeEntries(prefix: prefix)
        case .everything:
            try removeAll()
            return 0
        }
    }
}

extension DiskTier {
    /// The time for which an entry may be known to this process alone.
    private static let flushDelay = Duration.milliseconds(100)
    /// The time after which entries that could not be written are tried again: another process may keep the index.
    private static let retryDelay = Duration.seconds(1)

    /// Waits until everything that was stored before is on disk, also in a task that was cancelled: programs that are
    /// interrupted flush before they end.
    func flush(_ call: TierCall) async -> TierOutcome {
        let isDone = await flushStaged(call)
        // A program may end before the first sweep.
        await write(priority: call.priority) { [cache] in cache.sweepBeforeEnd() }
        return isDone ? .done() : .unavailable
    }

    /// Plans a flush of the staged entries, common to all stores until then: a transaction for each takes a quarter of
    /// the time of storing an image.
    func flushSoon(after delay: Duration = DiskTier.flushDelay) {
        let isPlanned = isFlushPlanned.withLock { isPlanned in
            defer { isPlanned = true }
            return isPlanned
        }
        if isPlanned { return }
        // Not cancelled: it ends by itself. The disk cache writes the staged entries when it is released.
        Task.detached { [weak self, flushClock] in
            try? await flushClock.sleep(for: delay)
            await self?.flushPlanned()
        }
    }

    private func flushPlanned() async {
        isFlushPlanned.withLock { $0 = false }
        if await !flushStaged(TierCall(priority: .low)) { retrySoon() }
    }

    /// Plans another flush if entries wait that could not be written.
    func retrySoon() {
        if cache.hasWaitingEntries { flushSoon(after: Self.retryDelay) }
    }

    /// Writes the staged entries; returns whether that succeeded.
    private func flushStaged(_ call: TierCall) async -> Bool {
        await attempt(call) { try $0.flush() } != nil
    }
}
