internal import HalcyonConcurrency

/// Finds results in memory or on disk, or has them made and stores them, in one form: images, or encoded images.
final class CachingStage<Form: ResultForm>: Sendable {
    private let memory: MemoryStage
    private let storage: ResultStorage<Form>
    /// The loads under way.
    let work: WorkCoalescer<ImageWorkKey, Form.Result>

    /// - Parameter kind: The kind of work, for observers.
    init(memory: MemoryStage, storage: ResultStorage<Form>, kind: LoadActivity.SharedWork) {
        self.memory = memory
        self.storage = storage
        work = WorkCoalescer(kind)
    }

    /// A result that was made.
    struct Made: Sendable {
        let result: Form.Result
        /// The effect on the caches.
        let caching: OriginalCaching
        let claim: ContentClaim
        /// The original, with the request whose options say whether it is stored; `nil` if it was not needed.
        let original: (original: Original, request: ResolvedRequest)?

        /// The original, if it may be stored: what may have been cut short unseen would be confirmed by its server from
        /// then on.
        var stored: (original: Original, request: ResolvedRequest)? {
            mayReplace ? original : nil
        }

        /// `false` if the original may have been cut short unseen.
        var mayReplace: Bool { !result.content.isPartial || original?.original.statesLength != false }
    }

    /// Makes the result of a request.
    typealias Maker = @Sendable (ResolvedRequest, WorkContext) async throws -> Made
    /// Makes a result for which the original is not needed, after an error; returns `nil` if that is not possible.
    typealias FallbackMaker = @Sendable (ResolvedRequest, ImageError, WorkContext) async throws -> Made?
    /// Adds to a result what the caches of results do not have.
    typealias Completer = @Sendable (Form.Result, ResolvedRequest, WorkContext) async throws -> Form.Result

    /// Returns the result of a request; equal requests share it.
    ///
    /// - Parameters:
    ///   - make: Makes a result that no cache has.
    ///   - fallback: Makes one if that fails, and no cache has one that may be used because of the failure. Default: none.
    ///   - complete: Completes the result, wherever it is from. Default: leaves it as it is.
    /// - Throws: ``ImageError``, `CancellationError`.
    func result(
        for request: ResolvedRequest,
        context: WorkContext,
        make: @escaping Maker,
        fallback: FallbackMaker? = nil,
        complete: @escaping Completer = { result, _, _ in result }
    ) async throws -> Form.Result {
        let key = ImageWorkKey(request)
        return try await work.value(for: key, of: request, context: context) { [self] context in
            // Another load may have finished since the caller looked into memory.
            if let result: Form.Result = memory.result(for: request) {
                return try await complete(result, request, context)
            }
            if request.work.readsDisk { context.begin(.cache) }
            if let result = try await storedResult(for: request, context: context) {
                return try await complete(result, request, context)
            }
            let result = try await made(request, context: context, make, fallback)
            return try await complete(result, request, context)
        }
    }

    /// Returns the result of a request from memory, from disk, or of bytes on this machine, if no server and no provider
    /// has to be asked for it; `nil` otherwise. Shares no work with others.
    ///
    /// - Parameter make: Makes a result of bytes on this machine; returns `nil` if there are none.
    /// - Throws: ``ImageError`` for an original that cannot be decoded or processed; `CancellationError`.
    func availableResult(
        for request: ResolvedRequest,
        context: WorkContext,
        make: (ResolvedRequest, WorkContext) async throws -> Made?
    ) async throws -> Form.Result? {
        if let result: Form.Result = memory.result(for: request) { return result }
        if let result = try await storedResult(for: request, context: context) { return result }
        if let made = try await make(request, context) { return await kept(made, for: request, context: context) }
        guard !request.options.allowsNetwork else { return nil }
        return try await staleResult(for: request, insteadOf: request.notCached, context: context)
    }

    /// Returns a result on disk that may be used now, and stores it in memory.
    @inline(never)
    private func storedResult(for request: ResolvedRequest, context: WorkContext) async throws -> Form.Result? {
        guard let found = try await storage.result(for: request, context: context) else { return nil }
        remember(found, for: request)
        return found.result
    }

    /// Returns a result on disk that may be used because of a failure, and stores it in memory.
    private func staleResult(
        for request: ResolvedRequest,
        insteadOf error: ImageError,
        context: WorkContext
    ) async throws -> Form.Result? {
        guard request.mayBeResult,
            let stale = try await storage.staleResult(for: request, insteadOf: error, context: context)
        else { return nil }
        remember(stale, for: request)
        return stale.result
    }

    /// Makes a result, and stores it with its original.
    private func made(
        _ request: ResolvedRequest,
        context: WorkContext,
        _ make: Maker,
        _ fallback: FallbackMaker?
    ) async throws -> Form.Result {
        do {
            return await kept(try await make(request, context), for: request, context: context)
        } catch let error as ImageError {
            return try await result(insteadOf: error, for: request, context: context, fallback)
        }
    }

    /// Returns what may be used where a result could not be made.
    ///
    /// Not inlined, as ``kept(_:for:context:)``: a load keeps the frame of the call that waits for its result, which had
    /// 10 kB with these.
    @inline(never)
    private func result(
        insteadOf error: ImageError,
        for request: ResolvedRequest,
        context: WorkContext,
        _ fallback: FallbackMaker?
    ) async throws -> Form.Result {
        await forget(request, ifObsolete: error)
        if let stale = try await staleResult(for: request, insteadOf: error, context: context) { return stale }
        guard let other = try await fallback?(request, error, context) else { throw error }
        return await kept(other, for: request, context: context)
    }

    /// Stores a result and its original, as the options and the server allow, and returns the result.
    @inline(never)
    private func kept(_ made: Made, for request: ResolvedRequest, context: WorkContext) async -> Form.Result {
        let (claim, caching) = (made.claim, made.caching)
        var isForgotten = false
        var outdated: [ImageCache] = []
        // What may have been cut short replaces nothing.
        if made.mayReplace, caching.effect == .store || caching.effect == .remove { outdated = request.adopt(claim) }
        switch caching.effect {
        case .store:
            memory.store(made.result, isExact: true, for: request, claim: claim, caching.validity)
            if request.options.cache.storesInMemory { context.note(.storedInMemory) }
            isForgotten = request.mustAsk(about: caching.validity)
            if isForgotten, claim.transfer != nil, request.options.cache.storesOnDisk {
                await storage.remove(for: request, claim: claim)
            }
        case .remove:
            isForgotten = true
            await forgetReplaced(by: request, claim: claim)
        case .removeOriginal:
            await request.removeOriginal(by: claim)
        case .leave:
            break
        }
        var result = made.result
        result.timings.store = await store(made, for: request, outdated, context: context)
        // Once more: a load that has found the older image on disk meanwhile may have stored it in memory.
        if isForgotten, request.options.cache.storesInMemory { forgetInMemory(request, claim: claim) }
        return result
    }

    /// Stores a result from disk in memory.
    private func remember(_ found: ResultStorage<Form>.Found, for request: ResolvedRequest) {
        let claim = found.claim(of: request)
        memory.store(found.result, isExact: found.isExact, for: request, claim: claim, found.validity)
    }

    /// Starts to store on disk what the options ask for, and waits for it if they ask for that, or if the disk is
    /// behind.
    ///
    /// - Parameter outdated: The caches from whose disks other content is removed then.
    /// - Returns: The time waited; `nil` if it did not wait.
    private func store(
        _ made: Made,
        for request: ResolvedRequest,
        _ outdated: [ImageCache],
        context: WorkContext
    ) async -> Duration? {
        // A disk that is slower than the loads slows them down, so that the amount that waits to be stored is bounded.
        let waits = request.options.cache.waitsForStore || request.caches.contains { $0.tiers.isBehind }
        let priority = PriorityBox(.low)
        var stores: [Task<Void, Never>] = []
        if let (original, request) = made.stored {
            let originals = OriginalWriter(request: request, claim: made.claim, priority: priority)
            if let started = originals.storeUsed(original, isAnimated: made.result.content.isAnimated) {
                context.note(.storedOnDisk(.original))
                stores.append(started)
            }
        }
        if made.mayReplace,
            let started = storage.store(
                made.result,
                for: request,
                madeOf: made.original?.original.data,
                made.caching,
                claim: made.claim,
                priority: priority
            )
        {
            context.note(.storedOnDisk(.result))
            stores.append(started)
        }
        stores += outdated.compactMap { $0.removeOutdated(made.claim, after: stores) }
        guard waits, !stores.isEmpty else { return nil }
        let start = ContinuousClock.now
        await priority.following(context.priority) {
            for store in stores { await store.value }
        }
        return ContinuousClock.now - start
    }

    /// Removes the image that is replaced by one that must not be stored. Where the load read the disk for the
    /// original, the original on disk has been removed already.
    private func forgetReplaced(by request: ResolvedRequest, claim: ContentClaim) async {
        let policy = request.options.cache
        if policy.storesInMemory { forgetInMemory(request, claim: claim) }
        guard policy.storesOnDisk, request.source.isCachedOnDisk else { return }
        await removeOriginal(of: request, claim: claim)
        await storage.remove(for: request, claim: claim)
    }

    /// Removes an image that its server no longer has, with all others of the same original, or that it has replaced by
    /// one that the request does not accept. What newer loads have stored stays. Where the load read the disk for the
    /// original, a replaced original on disk has been removed already.
    private func forget(_ request: ResolvedRequest, ifObsolete error: ImageError) async {
        if await request.removeOriginal(ifGone: error) { return }
        guard request.followsServer, error.isAboutResource, !request.isForOthers(error) else { return }
        let claim = ContentClaim(registrations: request.registrations)
        forgetInMemory(request, claim: claim)
        await removeOriginal(of: request, claim: claim)
        await storage.remove(for: request, claim: claim)
        // Once more: a load that has found it on disk meanwhile may have stored it in memory.
        forgetInMemory(request, claim: claim)
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
