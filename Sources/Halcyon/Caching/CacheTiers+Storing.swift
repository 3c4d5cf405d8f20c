internal import FoundationEssentials
internal import HalcyonStore
internal import HalcyonSystem

extension CacheTiers {
    /// Stores an entry in the background; ``flush()`` waits for it.
    ///
    /// - Parameters:
    ///   - key: The key of the entry, or that of an original of whose representations `slot` picks one.
    ///   - slot: Picks the key when the entry is stored; it returns `nil` if nothing is to be stored. Default: the key.
    ///   - durability: The safety of the entry from a crash and from a loss of power. Default: it waits for others.
    ///   - priority: The priority of the store, which those that wait for it raise: nothing else may share it. Default:
    ///     low.
    ///   - replaced: The beginning of the keys of other entries on disk, whose place it takes. Default: `nil`.
    ///   - digest: The digest of the original; `nil` if it is not known.
    ///   - basis: The original that a result was made of, in the place that it has on disk. An original is its own: it is
    ///     not stored where another process has stored the answer to a later request. Default: `nil`.
    ///   - isCopy: `true` for an entry that a tier below has already, so that the disk alone stores it. Default: `false`.
    ///   - admission: Asked right before the entry is stored in a tier, after all earlier changes.
    ///   - content: Makes the body and the metadata; it returns `nil` if nothing is to be stored.
    /// - Returns: The store on disk, which begins those below.
    func store(
        for key: CacheKey,
        slot: (@Sendable (DiskCache) -> CacheKey?)? = nil,
        expiration: Expiration?,
        durability: DiskCache.Durability = .none,
        byteCount: Int,
        priority: PriorityBox = PriorityBox(.low),
        replacing replaced: String? = nil,
        digest: ContentDigest? = nil,
        madeOf basis: DiskCache.OriginalReference? = nil,
        isCopy: Bool = false,
        admission: @escaping StoreAdmission,
        content: @escaping @Sendable () async throws -> (body: Data, metadata: Data)?
    ) -> Task<Void, Never> {
        // It is not cancelled: an image that was loaded is worth its place on disk, even if the caller has gone.
        begin(.entry(key), in: 0, byteCount: byteCount, priority: priority) { [self] in
            let made: (body: Data, metadata: Data)?
            do {
                made = try await content()
            } catch {
                made = nil
                disk.faults.report(error)
            }
            guard let made else {
                // If there is nothing, such as because it cannot be encoded, what it was to replace is older.
                if slot == nil { await remove(.entry(key), if: admission) }
                return
            }
            let entry = TierEntry(
                body: made.body,
                metadata: made.metadata,
                expiration: expiration,
                digest: digest?.value
            )
            do {
                _ = try await disk.writing.run(priority: priority) { [self] _ in
                    try store(
                        entry,
                        for: key,
                        slot: slot,
                        madeOf: { basis ?? .init(entry, at: $0, isAnswer: !isCopy) },
                        durability,
                        if: admission,
                        onDisk: replaced,
                        in: isCopy ? [] : below
                    )
                }
                disk.flushSoon()
            } catch {
                disk.faults.report(error)
                disk.retrySoon()
            }
        }
    }

    /// Stores an entry of the program, also in a task that was cancelled: what is older has gone from memory already, and
    /// must not be left on disk.
    func store(
        _ entry: TierEntry,
        for key: CacheKey,
        replacing scope: TierScope?,
        durability: DiskCache.Durability,
        if admission: @escaping StoreAdmission
    ) async throws -> Bool {
        defer { if durability == .none { disk.flushSoon() } }
        return try await disk.change { [self] _ in
            try store(entry, for: key, durability, if: admission, replacing: scope, in: below)
        }
    }

    /// Stores an entry on disk, if that is admitted now, and begins to store it below. On the thread that changes the
    /// disk, this is one step.
    ///
    /// The entry that was to be replaced is older than the content, and is removed if the store fails.
    ///
    /// - Parameter below: The numbers of the tiers below that store it as well.
    private func store(
        _ entry: TierEntry,
        for key: CacheKey,
        slot: ((DiskCache) -> CacheKey?)? = nil,
        madeOf basis: (CacheKey) -> DiskCache.OriginalReference? = { _ in nil },
        _ durability: DiskCache.Durability,
        if admission: @escaping StoreAdmission,
        replacing scope: TierScope? = nil,
        onDisk replaced: String? = nil,
        in below: [Int]
    ) throws -> Bool {
        let retried = Result {
            for scope in failed[0].removals(under: key.name) { _ = try removeOnDisk(scope) }
        }
        guard let key = if let slot { slot(disk.cache) } else { key }, admission() else { return false }
        for number in below {
            store(entry, for: key, in: number, replacing: scope, durability: durability, if: admission)
        }
        do {
            try retried.get()
            if let scope { _ = try removeOnDisk(scope) }
            if let replaced { _ = try disk.cache.removeEntries(prefix: replaced) }
            if durability == .none, key.isOriginal, try disk.cache.confirm(entry, for: key) { return true }
            return try disk.cache.store(entry, for: key, madeOf: basis(key), durability: durability)
        } catch {
            for scope in [scope, .entry(key)].compactMap({ $0 }) { _ = try? removeOnDisk(scope) }
            throw error
        }
    }

    /// Removes entries on disk, on the thread that changes it.
    private func removeOnDisk(_ scope: TierScope) throws -> Int {
        do {
            let count = try disk.cache.remove(scope)
            failed[0].forget(scope)
            return count
        } catch {
            failed[0].add(scope)
            throw error
        }
    }

    /// Begins to store an entry in a tier below the disk, or to remove what it replaces if the tier is behind.
    ///
    /// - Parameters:
    ///   - scope: Other entries that are removed there.
    ///   - priority: The priority of the store, which those that wait for it raise. Default: low.
    @discardableResult
    func store(
        _ entry: TierEntry,
        for key: CacheKey,
        in number: Int,
        replacing scope: TierScope? = nil,
        durability: DiskCache.Durability,
        priority: PriorityBox = PriorityBox(.low),
        if admission: @escaping StoreAdmission
    ) -> Task<Void, Never> {
        let isBehind = all[number].isBehind || pending.withLock { $0.byteCount.below > Self.pendingByteLimit }
        return change(
            number,
            removing: (scope.map { [$0] } ?? []) + (isBehind ? [.entry(key)] : []),
            storing: isBehind ? nil : (key, entry),
            TierCall(priority, durability: durability),
            if: admission
        )
    }

    /// Begins to remove entries below the disk.
    ///
    /// - Parameter admission: Asked right before they are removed, after all earlier changes of the name.
    private func removeBelow(
        _ scope: TierScope,
        _ call: TierCall = TierCall(),
        if admission: @escaping StoreAdmission = { true }
    ) -> [Task<Void, Never>] {
        below.map { change($0, removing: [scope], call, if: admission) }
    }

    /// Begins to change a tier below the disk.
    @discardableResult
    private func change(
        _ number: Int,
        removing scopes: [TierScope],
        storing new: (key: CacheKey, entry: TierEntry)? = nil,
        _ call: TierCall,
        if admission: @escaping StoreAdmission
    ) -> Task<Void, Never> {
        let (tier, failed) = (all[number], failed[number])
        let scope = scopes.first ?? new.map { .entry($0.key) } ?? .everything
        let byteCount = new?.entry.body.count ?? 0
        return begin(scope, in: number, byteCount: byteCount, priority: call.priorityBox) { [self] in
            guard admission() else { return }
            var isDone = true
            for scope in new.map({ failed.removals(under: $0.key.name) }) ?? [] where isDone {
                isDone = await failed.retry(scope) { await tier.remove(scope, call.withReason(.retry)) != .unavailable }
            }
            for scope in scopes where isDone {
                isDone = await tier.remove(scope, call) != .unavailable
                if isDone { failed.forget(scope) }
            }
            // Once more, as the removals may have waited.
            if isDone, let new, admission() { isDone = await tier.store(new.entry, for: new.key, call) != .unavailable }
            guard !isDone else { return }
            for scope in scopes { failed.add(scope) }
            // What the entry was to replace is older.
            if let new { failed.add(.entry(new.key), digest: new.entry.digest) }
            disk.faults.report(TierFault())
            if scopes.contains(where: \.isUnconditional) { retrySoon(in: number) }
        }
    }

    private static let firstRetryDelay = Duration.seconds(1)
    private static let lastRetryDelay = Duration.seconds(10)

    /// Plans to make the removals that keep nothing, and that a tier below the disk could not make, unless that is planned:
    /// other processes hear of them through the tier alone. All others are made before something is stored in their place.
    private func retrySoon(in number: Int, after delay: Duration = CacheTiers.firstRetryDelay) {
        guard retrying.withLock({ $0.insert(number).inserted }) else { return }
        // Not cancelled: it ends with the cache, or once they are made.
        Task.detached { [weak self, clock = disk.flushClock] in
            try? await clock.sleep(for: delay)
            await self?.retry(in: number, after: delay)
        }
    }

    private func retry(in number: Int, after delay: Duration) async {
        let (tier, failed) = (all[number], failed[number])
        var isMade = true
        // In any order, so that one that is never made does not hold up the same ones each time.
        for scope in failed.unconditional.shuffled() where isMade {
            isMade = await failed.retry(scope) {
                await tier.remove(scope, TierCall().withReason(.retry)) != .unavailable
            }
        }
        retrying.withLock { _ = $0.remove(number) }
        if failed.unconditional.isEmpty { return }
        retrySoon(in: number, after: isMade ? Self.firstRetryDelay : min(delay * 2, Self.lastRetryDelay))
    }

    /// Removes entries from all tiers, also in a task that was cancelled: the removal has begun in memory.
    ///
    /// - Returns: The number of entries on disk; and `false` if a tier below could not make the removal.
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``, if the disk fails. Then, and where a tier below
    ///   fails, the entries are not found any more in this process.
    func remove(_ scope: TierScope, _ call: TierCall = TierCall()) async throws -> (count: Int, isMadeBelow: Bool) {
        // Not once it is made: what is called meanwhile is later.
        let date = disk.now()
        let removals = removeBelow(scope, call)
        let result: Result<Int, any Error>
        do {
            let count = try await disk.change { [self] disk in
                try? disk.noteRemoval(scope, at: date)
                return try removeOnDisk(scope)
            }
            result = .success(count)
        } catch {
            result = .failure(error)
        }
        for removal in removals { await removal.value }
        return (try result.get(), !below.contains { failed[$0].contains(scope) })
    }

    /// Removes the entries on disk that a function is true for, also from the tiers below.
    func remove(where isUnwanted: @escaping @Sendable (DiskCache.Listing) -> Bool) async throws -> Int {
        try await disk.change { [self] disk in
            var keys: [CacheKey] = []
            defer { for key in keys { _ = removeBelow(.entry(key)) } }
            do {
                let count = try disk.removeEntries { listing in
                    guard isUnwanted(listing) else { return false }
                    keys.append(CacheKey(text: listing.key))
                    return true
                }
                for key in keys { failed[0].forget(.entry(key)) }
                return count
            } catch {
                for key in keys { failed[0].add(.entry(key)) }
                throw error
            }
        }
    }

    /// Removes entries from all tiers, also in a task that was cancelled. It returns once they are removed on disk.
    ///
    /// - Parameter admission: Asked right before they are removed from a tier, after all earlier changes.
    func remove(_ scope: TierScope, if admission: @escaping StoreAdmission) async {
        _ = removeBelow(scope, if: admission)
        _ = await disk.attempt { [self] _ in if admission() { _ = try removeOnDisk(scope) } }
    }

    /// Removes an entry from the tier where it was found, if it is still the version that was found, also in a task that
    /// was cancelled. Where the tier fails, the entry is not found any more in this process.
    ///
    /// - Returns: `false` if the tier declines, such as one that is only read, so that the entry is found again.
    @discardableResult
    func remove(_ place: Location) async -> Bool {
        let scope = TierScope.entry(place.key, place.version)
        let outcome = await all[place.tier].remove(scope, TierCall())
        if outcome == .unavailable { failed[place.tier].add(scope) }
        return outcome != .declined
    }

    /// Replaces the metadata of an entry that was found, if it is still the version that was found, also in a task that
    /// was cancelled.
    ///
    /// - Parameter expiration: The entry's lifetime from now on; `nil` leaves it as it is.
    /// - Returns: The new version; `nil` if the entry is no longer the one that was found, or its tier fails.
    func update(_ metadata: Data, _ expiration: Expiration?, at place: Location) async -> TierVersion? {
        guard let version = place.version else { return nil }
        let tier = all[place.tier]
        let outcome = await tier.update(metadata, expiration, for: place.key, replacing: version, TierCall())
        return if case .done(let version) = outcome { version } else { nil }
    }

    /// Removes from all tiers what is outdated under a name.
    func removeOutdated(_ claim: ContentClaim, _ registration: ContentRegistration, after stores: [Task<Void, Never>])
        -> Task<Void, Never>
    {
        let (name, order) = (registration.name.text, registration.order)
        let since = claim.confirmedSince
        @Sendable func isCurrent(_ content: EntryContent) -> Bool {
            if content.digest == nil, let since, content.storedAt ?? .distantFuture < since { return false }
            return order.isCurrent(content.digest, of: content.representation, at: content.key)
        }
        // No look-up waits for it: what it removes is not current.
        return begin(.entry(CacheKey(name: name, variant: "outdated")), in: 0) { [self] in
            for store in stores { await store.value }
            let own: Set<UInt64> = claim.digest.map { [$0.value] } ?? []
            let onDisk = await disk.attempt { [self] disk -> (kept: Set<UInt64>, unknownSince: Date?) in
                var kept = own
                do {
                    let rows = try disk.rows(under: name)
                    let contents = rows.map(EntryContent.init)
                    kept.formUnion(contents.filter { $0.isNewer(than: claim) }.compactMap { $0.digest?.value })
                    if claim.digest == nil || contents.contains(where: { $0.digest != nil && !isCurrent($0) }) {
                        order.noteChange(by: claim)
                    }
                    kept.formUnion(contents.filter(isCurrent).compactMap { $0.digest?.value })
                    for (row, content) in zip(rows, contents) where !isCurrent(content) {
                        if let digest = content.digest, kept.contains(digest.value) { continue }
                        _ = try disk.remove(for: row.key, ifStill: row.version)
                    }
                    // What the program has stored as a result stays where it is not known to be outdated.
                    let isConfirmed = claim.digest == claim.found?.digest && !order.hasChanged(claim)
                    return (kept, isConfirmed ? since ?? .distantPast : nil)
                } catch {
                    failed[0].add(.name(name, except: kept))
                    throw error
                }
            }
            let replacesFound = claim.found.map { $0.digest != claim.digest } ?? false
            // An older transfer of another process may not have ended, and finds in no tier that it is older.
            let isUnknownRefresh = registration.kind == .refresh && claim.found == nil
            let isChange = onDisk == nil || replacesFound || isUnknownRefresh || order.hasChanged(claim)
            for number in below {
                let unknownSince = onDisk?.unknownSince
                var kept = onDisk?.kept ?? own
                // Other representations of the image are not outdated, and may be in this tier alone.
                for key in claim.representation.isEmpty ? [] : OriginalStorage.diskKeys(name) {
                    guard let content = await content(key, in: number)?.content else { continue }
                    if let digest = content.digest, isCurrent(content) { kept.insert(digest.value) }
                }
                let scope = TierScope.name(name, except: kept, unknownSince: unknownSince)
                let call = TierCall().withReason(isChange ? .change : .transfer)
                change(number, removing: [scope], call) { order.isAdopted(claim) }
            }
            withExtendedLifetime(claim) {}
        }
    }

    /// Begins a store of the program, which look-ups under a name wait for.
    func hold(_ name: String) -> (task: Task<Void, Never>, end: @Sendable () -> Void) {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let task = begin(.name(name), in: 0) { for await _ in stream {} }
        return (task, { continuation.finish() })
    }

    /// Begins a change. It is owned by the state until it ends, and made under the lock so that it cannot end before it is
    /// noted. Below the disk it waits for all earlier ones under the same name.
    private func begin(
        _ scope: TierScope,
        in tier: Int,
        byteCount: Int = 0,
        priority: PriorityBox = PriorityBox(.normal),
        _ work: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never> {
        pending.withLock { state in
            let number = state.nextNumber()
            let earlier = tier == 0 ? [] : state.changes(before: scope, in: tier)
            let task = Task.detached { [pending] in
                for change in earlier { await change.priority.following(priority) { await change.task.value } }
                await work()
                pending.withLock { $0.remove(number) }
            }
            let change = PendingStores.Change(
                tier: tier,
                scope: scope,
                task: task,
                priority: priority,
                byteCount: byteCount
            )
            state.add(change, number: number)
            return task
        }
    }
}

/// The failure of a tier below the disk.
struct TierFault: Error, CustomStringConvertible {
    var description: String { "a tier below the disk could not store or remove entries" }
}
