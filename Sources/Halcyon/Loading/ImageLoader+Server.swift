internal import FoundationEssentials
internal import HalcyonConcurrency
internal import HalcyonHTTP
internal import HalcyonStore

extension ImageLoader {
    /// Whether what a request brings is cached as its server says.
    func followsServer(_ request: LoadRequest) -> TransferRequest? {
        request.options.cache.freshness == .ignoringServer ? nil : followingServer(request)
    }

    /// The request as it is sent, apart from what modifiers make of it, if its server has a say in whether what it brings is
    /// cached, unless that is to be ignored.
    func followingServer(_ request: LoadRequest) -> TransferRequest? {
        guard let transfer = sentRequest(request.source, options: request.options), transfer.method == .get,
            transfer.body == nil
        else { return nil }
        return transfer
    }

    /// The request as it is sent, apart from what modifiers make of it; `nil` if the source is no server.
    func sentRequest(_ source: Source, options: ImageOptions) -> TransferRequest? {
        guard case .network(let transfer) = source.location else { return nil }
        return options.network.applied(to: transfer, over: downloader.configuration.policy)
    }

    /// The encoded bytes, as RFC 9111 wants them cached: from disk while they are fresh, else from the server, unless that
    /// says that they have not changed.
    func originalFollowingServer(
        _ transfer: TransferRequest,
        for request: LoadRequest,
        key: ImageKey,
        readsDisk: Bool,
        permits: StorePermits,
        context: WorkContext
    ) async throws -> Original {
        let start = ContinuousClock.now
        let storage = originalStorage(transfer, request, key: key, reads: readsDisk, priority: context.priority)
        let fetcher = OriginalFetcher(
            for: request,
            downloader: downloader,
            recovery: recovery,
            since: request.sharesSince,
            context: context
        )
        let rules = cacheRules(request.options.cache)
        let transaction = HTTPCacheTransaction(
            request: transfer,
            policy: cachePolicy(request.options, readsDisk: readsDisk),
            storage: storage,
            rules: rules,
            now: cache.disk.now,
            fetch: fetcher.fetch
        )
        let result = try await transaction.run()
        let answer = result.response
        try Task.checkCancellation()
        guard answer.origin != .unavailable else {
            throw ImageError(stage: .cache, reason: .notCached, source: "\(request.source)")
        }
        // This load does well without the server, but how long it wants to be left alone holds for the next.
        if let failure = result.failure, failure.isRefusal { recovery.remember(failure, of: request) }
        // An empty entry on disk is damage like any other, and heals.
        guard !answer.data.isEmpty || answer.origin != .network else {
            throw ImageError(stage: .load, reason: .emptyBody, source: "\(request.source)")
        }
        if answer.origin == .staleWhileRevalidating { refresh(transfer, for: request, key: key) }
        var timings = ImageTimings()
        let loadTime = fetcher.time
        if readsDisk { timings.disk = ContinuousClock.now - start - (loadTime ?? .zero) }
        timings.load = loadTime
        var caching = OriginalCaching(answer, storage: storage)
        if hasModifiers(request.options), caching.validity?.isVarying == true {
            // Nobody knows what later requests will have in the fields that it depends on.
            caching = OriginalCaching(foundAs: caching.source)
            caching.isStorable = false
        }
        // No key could tell it from what others were given.
        if answer.origin == .network, fetcher.isForHiddenRequest, !request.options.namesAudience(of: key.original) {
            caching = .none
        }
        return Original(
            data: answer.data,
            origin: answer.origin == .network ? .network : .disk,
            timings: timings,
            metrics: answer.metrics,
            caching: caching,
            permits: permits,
            age: answer.origin == .network ? fetcher.age : storage.age
        )
    }

    func hasModifiers(_ options: ImageOptions) -> Bool {
        options.network.requestModifier != nil || downloader.configuration.policy.requestModifier != nil
    }

    private func originalStorage(
        _ transfer: TransferRequest,
        _ request: LoadRequest,
        key: ImageKey,
        reads: Bool,
        priority: PriorityBox
    ) -> OriginalStorage {
        OriginalStorage(
            caches: originalCaches(request.options),
            key: key,
            url: transfer.url,
            reads: reads,
            policy: request.options.cache,
            priority: priority
        )
    }

    private func cachePolicy(_ options: ImageOptions, readsDisk: Bool) -> HTTPCachePolicy {
        let lookup: HTTPCachePolicy.Lookup =
            if !options.network.isAllowed {
                .offline
            } else if !readsDisk {
                .reload
            } else if options.cache.revalidates {
                .revalidate
            } else {
                .automatic
            }
        return HTTPCachePolicy(lookup: lookup, staleIfError: options.cache.staleIfError)
    }

    func cacheRules(_ policy: CachePolicy) -> HTTPCacheRules {
        var rules = HTTPCacheRules.images
        if case .expiration(let expiration) = policy.freshness {
            rules.lifetimeOverride =
                if case .date(let date) = expiration {
                    .until(date)
                } else {
                    .seconds(expiration.interval(since: cache.disk.now()))
                }
        }
        return rules
    }

    /// Asks the server in the background after a stale original was used, and stores its answer if that is an image.
    private func refresh(_ transfer: TransferRequest, for request: LoadRequest, key: ImageKey) {
        let priority = PriorityBox(.low)
        let context = WorkContext(priority: priority, report: { _ in })
        let policy = request.options.cache
        let storage = originalStorage(transfer, request, key: key, reads: true, priority: priority)
        let cache = originalCaches(request.options)[0]
        let permits = StorePermits(for: key, in: [cache])
        let fetcher = OriginalFetcher(
            for: request,
            downloader: downloader,
            recovery: recovery,
            since: permits.sharesSince,
            context: context
        )
        let transaction = HTTPCacheTransaction(
            request: transfer,
            policy: HTTPCachePolicy(lookup: .revalidate, staleIfError: .never),
            storage: storage,
            rules: cacheRules(policy),
            now: cache.disk.now,
            fetch: fetcher.fetch
        )
        let mayKeep = request.options.namesAudience(of: key.original)
        let isUnpredictable = hasModifiers(request.options)
        let (codecs, limits) = (codecs, request.options.decode.limits)
        refreshes.start(key.originalDiskKey) { [recovery, workers] in
            // A failure is found again by the next load.
            let answer: HTTPCacheResponse
            do {
                answer = try await transaction.run().response
            } catch {
                if let error = error as? ImageError, error.isRefusal { recovery.remember(error, of: request) }
                return
            }
            guard let pending = storage.pending,
                !isUnpredictable || !pending.head.isVarying, mayKeep || !fetcher.isForHiddenRequest,
                policy.storesOnDisk,
                (try? await workers.info(of: answer.data, codecs: codecs, limits: limits, priority: priority)) != nil
            else { return }
            let claim = StoreClaim(original: permits, age: fetcher.age)
            let stored = cache.disk.store(
                pending.diskKey,
                slot: pending.slot,
                expiration: policy.diskExpiration,
                byteCount: answer.data.count,
                admission: cache.admission(of: claim, .ofOriginal(pending.head)),
                content: { (answer.data, pending.head.metadata) }
            )
            await stored.value
        }
    }
}

extension ImageError {
    /// Whether the server refused, or nothing was sent for a reason of this process. A connection that fails may do better
    /// the next time.
    fileprivate var isRefusal: Bool {
        switch reason {
        case .status, .meteredNetwork, .failedBefore, .serverUnavailable: true
        default: false
        }
    }
}
