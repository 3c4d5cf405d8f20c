internal import HalcyonCodecs
internal import HalcyonConcurrency

/// Loads images into the caches before they are needed.
struct PrefetchingStage: Sendable {
    let memory: MemoryStage
    let fallback: SourceFallback
    let results: ResultStorage<DecodedForm>
    let original: OriginalStage
    let codecs: ImageCodecs
    let workers: PixelWorkers
    let recovery: Recovery

    /// Returns whether memory has the image of a request that is found there by its name alone; `false` for all others.
    func isInMemory(_ request: ImageRequest) -> Bool {
        let (source, options) = (request.source, request.options)
        guard options.isOrdinary, source.isPlain, let name = source.originalName else { return false }
        return memory.response(named: name, options: options, isWhole: false, source: source) != nil
    }

    /// Returns whether memory has the image of a request; `false` for one of a file whose state has to be read first.
    func isInMemory(_ request: PendingRequest) -> Bool {
        request.resolved.map { memory.cached(for: $0) != nil } ?? false
    }

    /// Loads an image into the cache.
    ///
    /// - Returns: The place that it was loaded from; that of the cache if it had the image, or needs no copy of it.
    /// - Throws: ``ImageError``, `CancellationError`.
    func prefetch(
        _ request: PendingRequest,
        to destination: ImagePrefetcher.Destination,
        context: WorkContext
    ) async throws -> ImageResponse.Source {
        try Task.checkCancellation()
        switch destination {
        case .memory:
            return try await fallback.response(for: request, context: context).source
        case .disk:
            // An original that is on this machine anyway is not copied. That of a server has no name yet while the key of
            // credentials is not read.
            guard request.resolved != nil || request.source.isFromServer else { return .disk }
            return try await fallback.anySource(request, context) { try await storeOriginal(for: $0, context: context) }
        }
    }

    /// Stores an original on disk without decoding it, unless its response did not state the number of its bytes.
    private func storeOriginal(
        for request: ResolvedRequest,
        context: WorkContext
    ) async throws -> ImageResponse.Source {
        guard request.options.cache.storesOnDisk, request.source.isCachedOnDisk else { return .disk }
        if try await isOnDisk(request, context: context) { return .disk }
        let original = try await self.original.presentOriginal(for: request, context: context)
        guard original.source != .disk else { return .disk }
        do {
            // Keeps error pages out of the cache, and what was cut short unseen.
            let isWhole = try await (request.options.workers ?? workers).isWhole(
                original.data,
                statesLength: original.statesLength,
                codecs: request.options.codecs(or: codecs),
                options: request.options.decode.decodeOptions,
                priority: context.priority
            )
            guard isWhole else { return original.source }
        } catch let error as CodecError {
            var error = ImageError(stage: .decode, reason: .codec(error), source: "\(request.source)")
            error.isForHiddenRequest = original.isForHiddenRequest
            recovery.remember(error, of: request)
            throw error
        }
        // Waiting for the store keeps no more bodies in memory than there are loads at the same time.
        let priority = PriorityBox(.low)
        let claim = original.claim(of: request)
        let effect = original.caching.effect
        let outdated = effect == .store || effect == .remove ? request.adopt(claim) : []
        let writer = OriginalWriter(request: request, claim: claim, priority: priority)
        let store = writer.store(original)
        for cache in outdated { cache.removeOutdated(claim, after: store.map { [$0] } ?? []) }
        if let store {
            context.note(.storedOnDisk(.original))
            await priority.following(context.priority) { await store.value }
        }
        return original.source
    }

    /// Returns whether the disk has what the load would store, and no server would have to be asked.
    private func isOnDisk(_ request: ResolvedRequest, context: WorkContext) async throws -> Bool {
        if try await results.contains(request, context: context) { return true }
        guard request.work.readsDisk else { return false }
        // Where a server decides about caching, loading finds out whether its original may still be used.
        guard !request.followsServer else { return false }
        return try await request.originals.tiers.isOnDisk(CacheKey(name: request.key.originalDiskKey))
    }
}
