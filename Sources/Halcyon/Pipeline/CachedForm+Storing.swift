internal import FoundationEssentials
internal import HalcyonHTTP
internal import HalcyonStore
internal import HalcyonSystem

extension CachedForm {
    /// Stores a result and its original, as the options and the server allow, and returns the result.
    @inline(never)
    func store(_ made: LoadOutput<Result>, for request: ResolvedRequest, _ context: WorkContext) async -> Result {
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
        if isForgotten, request.options.cache.storesInMemory { request.target.forget(request.key, claim) }
        return result
    }

    /// Starts to store on disk what the options ask for.
    private func beginStores(
        of made: LoadOutput<Result>,
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
        if let started = storeResult(of: made, for: request, priority: priority) {
            context.note(.storedOnDisk(.result))
            stores.append(started)
        }
        return stores
    }

    /// Removes an image that its server no longer has, with all others of the same original, or that it has replaced by
    /// one that the request does not accept. What newer loads have stored stays.
    func forget(_ request: ResolvedRequest, ifObsolete error: ImageError) async {
        if await request.removeOriginal(ifGone: error) { return }
        guard error.isAboutResource, let claim = request.claim(of: error) else { return }
        await forgetReplaced(by: request, claim: claim)
    }

    /// Removes the image that is replaced by one that must not be stored. Where the load read the disk for the
    /// original, the original on disk has been removed already.
    private func forgetReplaced(by request: ResolvedRequest, claim: ContentClaim) async {
        let policy = request.options.cache
        if policy.storesInMemory { request.target.forget(request.key, claim) }
        if policy.storesOnDisk, request.source.isCachedOnDisk {
            await removeOriginal(of: request, claim: claim)
            await removeResult(of: request, claim: claim)
        }
        // Once more: a load that has found it on disk meanwhile may have stored it in memory.
        if policy.storesInMemory { request.target.forget(request.key, claim) }
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

    /// Starts to store a result, if the options and the server allow that.
    private func storeResult(
        of made: LoadOutput<Result>,
        for request: ResolvedRequest,
        priority: PriorityBox
    ) -> Task<Void, Never>? {
        let policy = request.options.cache
        let (cache, result, claim, validity) = (request.target, made.result, made.claim, made.caching.validity)
        guard policy.storesOnDisk, request.isStoredAsResult, made.caching.effect == .store,
            !request.mustAsk(about: validity), request.storedResults.contains(madeIn: result.timings.processorTime)
        else { return nil }
        // Built-in encodings need the pixels alone.
        let needsData = !(policy.serializer is ImageSerializer) && request.encodedImage == nil
        let data = needsData && request.source.hasEncodedBytes ? made.original?.original.data : nil
        return cache.tiers.store(
            for: CacheKey(text: request.resultDiskKey),
            expiration: expiration(policy, validity, now: cache.disk.now()),
            durability: policy.diskDurability ?? .none,
            byteCount: byteCount(of: result) + (data?.count ?? 0),
            priority: priority,
            replacing: request.replacedResults,
            digest: claim.digest,
            madeOf: cache === request.originals ? basis(of: claim, validity, for: request) : nil,
            admission: cache.admission(of: claim, request.key),
            content: { [self] in
                try await entry(of: result, from: data, validity, claim.digest, for: request, priority: priority)
            }
        )
    }

    /// Returns the original of a result, which another process may have replaced on disk; `nil` if it is not known when that
    /// was current, or it is for some requests alone.
    private func basis(of claim: ContentClaim, _ validity: OriginalValidity?, for request: ResolvedRequest)
        -> DiskCache.OriginalReference?
    {
        guard let digest = claim.digest, let validity, !validity.isVarying else { return nil }
        return DiskCache.OriginalReference(
            CacheKey(name: request.key.originalDiskKey),
            digest,
            validity.response,
            isAnswer: claim.transfer != nil
        )
    }

    /// Returns the expiration of a result on disk: no later than the end of its original's freshness, as no server is
    /// asked about it, unless it may be used afterwards if that server fails.
    private func expiration(_ policy: CachePolicy, _ validity: OriginalValidity?, now: Date) -> Expiration? {
        guard let validity, let freshUntil = validity.statedEnd(policy.freshness), !validity.mayBeUsedStale else {
            return policy.diskExpiration
        }
        guard let own = policy.diskExpiration, own.interval(since: now) < freshUntil.timeIntervalSince(now) else {
            return .date(freshUntil)
        }
        return own
    }

    /// Removes a result because of an answer of its server.
    private func removeResult(of request: ResolvedRequest, claim: ContentClaim) async {
        guard request.isProcessed else { return }
        let cache = request.target
        await cache.tiers.remove(.entry(CacheKey(text: request.resultDiskKey)), if: cache.removal(by: claim))
    }
}

extension LoadOutput where Result: CachedResult {
    /// `false` if the original may have been cut short unseen: it would be confirmed by its server from then on.
    fileprivate var mayReplace: Bool { !result.content.isPartial || original?.original.statesLength != false }
}
