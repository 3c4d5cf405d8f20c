internal import FoundationEssentials
internal import HalcyonHTTP
internal import HalcyonSystem

/// A form whose results caches keep: images, or encoded images.
protocol CachedForm: LoadForm where Result: CachedResult {
    /// The loads under way.
    var work: WorkCoalescer<ImageWorkKey, Result> { get }

    /// Makes a result for which the original is not needed, where the original is unavailable and no cache has a result
    /// that may be used; returns `nil` if that is not possible. Default: `nil`.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    func substitute(
        for request: ResolvedRequest,
        insteadOf error: ImageError,
        context: WorkContext
    ) async throws -> Made<Result>?

    /// Returns a result on disk.
    ///
    /// - Throws: ``CodecError``, ``SerializationError``, `CancellationError`.
    func result(in stored: StoredResult, for request: ResolvedRequest, priority: PriorityBox) async throws -> Result

    /// Returns the body and the metadata of an entry; `nil` if the result has none: the entry that it was to replace is
    /// then removed.
    ///
    /// - Throws: ``CodecError``, ``SerializationError``, `CancellationError`.
    func entry(
        of result: Result,
        from provenance: ResultProvenance,
        for request: ResolvedRequest,
        priority: PriorityBox
    ) async throws -> (body: Data, metadata: Data)?

    /// Returns the number of bytes that wait in memory while a result is stored.
    func byteCount(of result: Result) -> Int
}

extension CachedForm {
    func substitute(
        for request: ResolvedRequest,
        insteadOf error: ImageError,
        context: WorkContext
    ) async throws -> Made<Result>? {
        nil
    }

    func share(
        _ request: ResolvedRequest,
        context: WorkContext,
        _ work: @escaping @Sendable (WorkContext) async throws -> Result
    ) async throws -> Result {
        try await self.work.value(for: ImageWorkKey(request), of: request, context: context, operation: work)
    }

    func remembered(for request: ResolvedRequest) -> Result? { parts.memory.result(for: request) }

    func record(_ time: Duration, _ substitution: SourceSubstitution?, in result: inout Result) {
        result.substitution = substitution
        result.timings.total = time
    }

    /// Returns a result on disk that may be used now, and stores it in memory.
    @inline(never)
    func stored(for request: ResolvedRequest, context: WorkContext) async throws -> Result? {
        guard let found = try await foundResult(for: request, context: context) else { return nil }
        return remember(found, for: request)
    }

    /// Stores a result from disk in memory.
    private func remember(_ found: FoundResult<Result>, for request: ResolvedRequest) -> Result {
        let claim = found.claim(of: request)
        parts.memory.store(found.result, isExact: found.isExact, for: request, claim: claim, found.validity)
        return found.result
    }

    /// Returns what may be used where a result could not be made. An image that its server has no more is removed.
    ///
    /// Not inlined, as ``store(_:for:_:)``: a load keeps the frame of the call that waits for its result, which had
    /// 10 kB with these.
    @inline(never)
    func fallback(for request: ResolvedRequest, after error: ImageError, context: WorkContext) async throws -> Result {
        await forget(request, ifObsolete: error)
        if let stale = try await staleResult(for: request, insteadOf: error, context: context) {
            return remember(stale, for: request)
        }
        guard let other = try await substitute(for: request, insteadOf: error, context: context) else { throw error }
        return await store(other, for: request, context)
    }

    /// Stores a result and its original, as the options and the server allow, and returns the result.
    @inline(never)
    func store(_ made: Made<Result>, for request: ResolvedRequest, _ context: WorkContext) async -> Result {
        let (claim, caching) = (made.claim, made.caching)
        let isForgotten =
            caching.effect == .remove || caching.effect == .store && request.mustAsk(about: caching.validity)
        // A disk that is slower than the loads slows them down, so that the amount that waits to be stored is bounded.
        let waits = request.options.cache.waitsForStore || request.caches.contains { $0.tiers.isBehind }
        let priority = PriorityBox(.low)
        // What may have been cut short replaces nothing.
        let changes = await request.replace(by: claim, made.mayReplace ? caching.effect : .leave) {
            switch caching.effect {
            case .store:
                parts.memory.store(made.result, isExact: true, for: request, claim: claim, caching.validity)
                if request.options.cache.storesInMemory { context.note(.storedInMemory) }
                if isForgotten, claim.transfer != nil, request.options.cache.storesOnDisk {
                    await removeResult(of: request, claim: claim)
                }
            case .remove:
                await forgetReplaced(by: request, claim: claim)
            case .removeOriginal:
                await request.removeOriginal(by: claim)
            case .leave:
                break
            }
            return made.mayReplace ? beginStores(of: made, for: request, priority, context) : []
        }
        var result = made.result
        if waits, !changes.isEmpty {
            let start = ContinuousClock.now
            await priority.following(context.priority) {
                for change in changes { await change.value }
            }
            result.timings.store = ContinuousClock.now - start
        }
        // Once more: a load that has found the older image on disk meanwhile may have stored it in memory.
        if isForgotten, request.options.cache.storesInMemory { forgetInMemory(request, claim: claim) }
        return result
    }

    /// Starts to store on disk what the options ask for.
    private func beginStores(
        of made: Made<Result>,
        for request: ResolvedRequest,
        _ priority: PriorityBox,
        _ context: WorkContext
    ) -> [Task<Void, Never>] {
        var stores: [Task<Void, Never>] = []
        if let (original, request) = made.original {
            let originals = OriginalWriter(request: request, claim: made.claim, priority: priority)
            if let started = originals.storeUsed(original, isAnimated: made.result.content.isAnimated) {
                context.note(.storedOnDisk(.original))
                stores.append(started)
            }
        }
        let data = made.original?.original.data
        if let started = storeResult(
            made.result,
            for: request,
            madeOf: data,
            made.caching,
            claim: made.claim,
            priority: priority
        ) {
            context.note(.storedOnDisk(.result))
            stores.append(started)
        }
        return stores
    }

    /// Removes an image that its server no longer has, with all others of the same original, or that it has replaced by
    /// one that the request does not accept. What newer loads have stored stays.
    private func forget(_ request: ResolvedRequest, ifObsolete error: ImageError) async {
        if await request.removeOriginal(ifGone: error) { return }
        guard error.isAboutResource, let claim = request.claim(of: error) else { return }
        await forgetReplaced(by: request, claim: claim)
    }

    /// Removes the image that is replaced by one that must not be stored. Where the load read the disk for the
    /// original, the original on disk has been removed already.
    private func forgetReplaced(by request: ResolvedRequest, claim: ContentClaim) async {
        let policy = request.options.cache
        if policy.storesInMemory { forgetInMemory(request, claim: claim) }
        if policy.storesOnDisk, request.source.isCachedOnDisk {
            await removeOriginal(of: request, claim: claim)
            await removeResult(of: request, claim: claim)
        }
        // Once more: a load that has found it on disk meanwhile may have stored it in memory.
        if policy.storesInMemory { forgetInMemory(request, claim: claim) }
    }

    /// Removes an image from memory, unless it is newer.
    private func forgetInMemory(_ request: ResolvedRequest, claim: ContentClaim) {
        request.target.forget(request.key, claim)
    }

    /// Removes an original from disk, unless the load read the only disk for it.
    private func removeOriginal(of request: ResolvedRequest, claim: ContentClaim) async {
        guard !request.work.readsDisk || request.caches.count > 1 else { return }
        for cache in request.caches {
            for diskKey in OriginalStorage.diskKeys(request.key.originalDiskKey) {
                await cache.tiers.remove(.entry(diskKey), if: cache.removal(by: claim))
            }
        }
    }
}

extension Made where Result: CachedResult {
    /// `false` if the original may have been cut short unseen: it would be confirmed by its server from then on.
    fileprivate var mayReplace: Bool { !result.content.isPartial || original?.original.statesLength != false }
}
