internal import HalcyonCodecs
internal import HalcyonConcurrency

/// Finds an image in memory or as a result on disk, or makes and stores it.
final class ImageStage: Sendable {
    private let memory: MemoryStage
    let results: ResultStorage
    private let processing: ProcessingStage
    /// Loads that go on.
    let work = WorkCoalescer<ImageWorkKey, ImageResponse>()

    init(memory: MemoryStage, results: ResultStorage, processing: ProcessingStage) {
        self.memory = memory
        self.results = results
        self.processing = processing
    }

    /// The image of a request; equal requests share it.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    func response(for request: ResolvedRequest, context: WorkContext) async throws -> ImageResponse {
        let key = ImageWorkKey(request)
        return try await work.value(for: key, since: request.sharesSince, context: context) { [self] context in
            // Someone else may have finished between the caller's look into memory and now.
            if let response = memory.response(for: request) { return response }
            if let response = try await results.response(for: request, context: context) {
                memory.store(response.response, for: request, claim: response.claim(of: request), response.validity)
                return response.response
            }
            return try await make(request, context: context)
        }
    }

    /// Makes the image of its original, and stores both.
    private func make(_ request: ResolvedRequest, context: WorkContext) async throws -> ImageResponse {
        let made: (response: ImageResponse, original: Original)
        do {
            made = try await processing.response(for: request, context: context)
        } catch let error as ImageError {
            await forget(request, ifGone: error)
            guard request.work.readsDisk,
                let stale = try await results.staleResponse(for: request, insteadOf: error, context: context)
            else { throw error }
            memory.store(stale.response, for: request, claim: stale.claim(of: request), stale.validity)
            return stale.response
        }
        var response = made.response
        let claim = made.original.claim(of: request.permits)
        if made.original.caching.isStorable {
            memory.store(response, for: request, claim: claim, made.original.caching.validity)
        } else {
            await forgetReplaced(by: request, claim: claim)
        }
        response.timings.store = await store(made, for: request, claim: claim, context: context)
        return response
    }

    /// Begins to store on disk what the options want, and waits for it if they want that.
    ///
    /// - Returns: For how long it waited; `nil` if not.
    private func store(
        _ made: (response: ImageResponse, original: Original),
        for request: ResolvedRequest,
        claim: StoreClaim,
        context: WorkContext
    ) async -> Duration? {
        // A disk that is slower than what is loaded slows it down, so that what waits to be stored is bounded.
        let waits = request.options.cache.waitsForStore || request.target.disk.isBehind
        let priority = PriorityBox(.low)
        let originals = OriginalWriter(request: request, claim: claim, priority: priority)
        let stores =
            originals.storeUsed(made.original)
            + results.store(made.response, for: request, made.original.caching, claim: claim, priority: priority)
        guard waits, !stores.isEmpty else { return nil }
        let start = ContinuousClock.now
        await priority.following(context.priority) {
            for store in stores { await store.value }
        }
        return ContinuousClock.now - start
    }

    /// Removes the image that one which must not be stored takes the place of. Where the disk was looked into for the
    /// original, that one has gone already.
    private func forgetReplaced(by request: ResolvedRequest, claim: StoreClaim) async {
        let policy = request.options.cache
        if policy.storesInMemory { request.target.forget(request.key, claim) }
        guard policy.storesOnDisk, request.source.isCachedOnDisk else { return }
        if !request.work.readsDisk {
            for cache in request.originalCaches {
                for diskKey in OriginalStorage.diskKeys(request.key.originalDiskKey) {
                    await cache.disk.remove(for: diskKey, if: cache.admission(of: claim, .original))
                }
            }
        }
        await results.remove(for: request, claim: claim)
    }

    /// Removes an image whose server has it no longer, unless another took its place since the load began. Its original has
    /// gone already.
    private func forget(_ request: ResolvedRequest, ifGone error: ImageError) async {
        guard request.followsServer, error.isAboutResource else { return }
        let claim = StoreClaim(load: request.permits, age: .new)
        request.target.forget(request.key, claim)
        await results.remove(for: request, claim: claim)
    }
}
