internal import HalcyonCodecs
internal import HalcyonConcurrency

/// Finds an image in memory or as a result on disk, or makes and stores it.
final class ImageStage: Sendable {
    private let memory: MemoryStage
    let results: ResultStorage
    private let processing: ProcessingStage
    private let original: OriginalStage
    /// The loads under way.
    let work = WorkCoalescer<ImageWorkKey, ImageResponse>()

    init(memory: MemoryStage, results: ResultStorage, processing: ProcessingStage, original: OriginalStage) {
        self.memory = memory
        self.results = results
        self.processing = processing
        self.original = original
    }

    /// Returns the image of a request; equal requests share it.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    func response(for request: ResolvedRequest, context: WorkContext) async throws -> ImageResponse {
        let key = ImageWorkKey(request)
        return try await work.value(for: key, since: request.sharesSince, context: context) { [self] context in
            var response = try await image(for: request, context: context)
            try await addOriginalData(to: &response, of: request, context: context)
            return response
        }
    }

    private func image(for request: ResolvedRequest, context: WorkContext) async throws -> ImageResponse {
        // Another load may have finished since the caller looked into memory.
        if let response = memory.response(for: request) { return response }
        if request.work.readsDisk { context.begin(.cache) }
        if let response = try await storedResult(for: request, context: context) { return response }
        return try await make(request, context: context)
    }

    /// Reads the encoded original, if the options ask for it and the response does not have it.
    private func addOriginalData(
        to response: inout ImageResponse,
        of request: ResolvedRequest,
        context: WorkContext
    ) async throws {
        guard request.options.delivery.includesOriginalData, response.data == nil else { return }
        response.data = try await original.storedData(for: request, context: context)
    }

    /// Returns the image of a request from memory, from disk, or of bytes on this machine, if no server and no provider
    /// has to be asked for it; `nil` otherwise. Shares no work with others.
    ///
    /// - Throws: ``ImageError`` for an original that cannot be decoded or processed; `CancellationError`.
    func availableResponse(for request: ResolvedRequest, context: WorkContext) async throws -> ImageResponse? {
        guard var response = try await availableImage(for: request, context: context) else { return nil }
        try await addOriginalData(to: &response, of: request, context: context)
        return response
    }

    private func availableImage(for request: ResolvedRequest, context: WorkContext) async throws -> ImageResponse? {
        if let response = memory.response(for: request) { return response }
        if let response = try await storedResult(for: request, context: context) { return response }
        if let original = try await original.availableOriginal(for: request, context: context) {
            let made = try await processing.response(for: request, from: original, context: context)
            return await kept(made, for: request, context: context)
        }
        guard !request.options.allowsNetwork else { return nil }
        return try await staleResult(for: request, insteadOf: request.notCached, context: context)
    }

    /// Returns a result on disk that may be used now, and stores it in memory.
    private func storedResult(for request: ResolvedRequest, context: WorkContext) async throws -> ImageResponse? {
        guard let found = try await results.response(for: request, context: context) else { return nil }
        memory.store(found.response, for: request, claim: found.claim(of: request), found.validity)
        return found.response
    }

    /// Returns a result on disk that may be used because of a failure, and stores it in memory.
    private func staleResult(
        for request: ResolvedRequest,
        insteadOf error: ImageError,
        context: WorkContext
    ) async throws -> ImageResponse? {
        guard request.mayBeResult,
            let stale = try await results.staleResponse(for: request, insteadOf: error, context: context)
        else { return nil }
        memory.store(stale.response, for: request, claim: stale.claim(of: request), stale.validity)
        return stale.response
    }

    /// Makes an image from its original, and stores both.
    private func make(_ request: ResolvedRequest, context: WorkContext) async throws -> ImageResponse {
        let made: (response: ImageResponse, original: Original)
        do {
            made = try await processing.response(for: request, context: context)
        } catch let error as ImageError {
            await forget(request, ifObsolete: error)
            guard let stale = try await staleResult(for: request, insteadOf: error, context: context) else {
                throw error
            }
            return stale
        }
        return await kept(made, for: request, context: context)
    }

    /// Stores an image and its original, as the options and the server allow, and returns the image.
    private func kept(
        _ made: (response: ImageResponse, original: Original),
        for request: ResolvedRequest,
        context: WorkContext
    ) async -> ImageResponse {
        var response = made.response
        let claim = made.original.claim(of: request.permits)
        let caching = made.original.caching
        switch caching.effect {
        case .store:
            memory.store(response, for: request, claim: claim, caching.validity)
            if request.mustAsk(about: caching.validity) { await removeResult(of: request, claim: claim.ofAnswer) }
        case .remove:
            await forgetReplaced(by: request, claim: claim.ofAnswer)
        case .removeOriginal:
            await request.removeOriginal(olderThan: claim.ofAnswer)
        case .leave:
            break
        }
        response.timings.store = await store(made, for: request, claim: claim, context: context)
        return response
    }

    /// Starts to store on disk what the options ask for, and waits for it if they ask for that, or if the disk is
    /// behind.
    ///
    /// - Returns: The time waited; `nil` if it did not wait.
    private func store(
        _ made: (response: ImageResponse, original: Original),
        for request: ResolvedRequest,
        claim: StoreClaim,
        context: WorkContext
    ) async -> Duration? {
        // A disk that is slower than the loads slows them down, so that the amount that waits to be stored is bounded.
        let waits = request.options.cache.waitsForStore || request.target.disk.isBehind
        let priority = PriorityBox(.low)
        let originals = OriginalWriter(request: request, claim: claim, priority: priority)
        let stores =
            originals.storeUsed(made.original)
            + results.store(made.response, for: request, madeOf: made.original, claim: claim, priority: priority)
        guard waits, !stores.isEmpty else { return nil }
        let start = ContinuousClock.now
        await priority.following(context.priority) {
            for store in stores { await store.value }
        }
        return ContinuousClock.now - start
    }

    /// Removes the image that is replaced by one that must not be stored. Where the load read the disk for the
    /// original, the original on disk has been removed already.
    private func forgetReplaced(by request: ResolvedRequest, claim: StoreClaim) async {
        let policy = request.options.cache
        if policy.storesInMemory { request.target.forget(request.key, claim) }
        guard policy.storesOnDisk, request.source.isCachedOnDisk else { return }
        await removeOriginal(of: request, claim: claim)
        await results.remove(for: request, claim: claim)
    }

    /// Removes the result of processors that must no longer be used without asking its server, if the server has just
    /// responded so.
    private func removeResult(of request: ResolvedRequest, claim: StoreClaim) async {
        guard request.options.cache.storesOnDisk, !claim.age.isFromCache else { return }
        await results.remove(for: request, claim: claim)
    }

    /// Removes an image that its server no longer has, with all others of the same original, or that it has replaced by
    /// one that the request does not accept. What newer loads have stored stays. Where the load read the disk for the
    /// original, a replaced original on disk has been removed already.
    private func forget(_ request: ResolvedRequest, ifObsolete error: ImageError) async {
        if await request.removeOriginal(ifGone: error) { return }
        guard request.followsServer, error.isAboutResource, !request.isForOthers(error) else { return }
        let claim = StoreClaim(load: request.permits, age: .new)
        request.target.forget(request.key, claim)
        await removeOriginal(of: request, claim: claim)
        await results.remove(for: request, claim: claim)
    }

    /// Removes an original from disk, unless the load read the disk for it.
    private func removeOriginal(of request: ResolvedRequest, claim: StoreClaim) async {
        guard !request.work.readsDisk else { return }
        for cache in request.originalCaches {
            for diskKey in OriginalStorage.diskKeys(request.key.originalDiskKey) {
                await cache.disk.remove(for: diskKey, if: cache.admission(of: claim, .original))
            }
        }
    }
}
