internal import FoundationEssentials
internal import HTTPTypes
internal import HalcyonHTTP
internal import HalcyonSystem

/// Gets originals from servers.
struct NetworkFetcher: Sendable {
    /// The downloader of requests that name none.
    let downloader: ImageDownloader
    let recovery: Recovery

    /// Returns an original through the HTTP cache: from disk while it is fresh, else from the server, unless that
    /// responds that it has not changed.
    ///
    /// - Parameters:
    ///   - since: Transfers that began before, by their ``WorkNumber``, are not joined.
    ///   - refresh: Called if the original is stale, and is to be revalidated in the background.
    func cached(
        _ transfer: TransferRequest,
        for request: ResolvedRequest,
        since: UInt64,
        context: WorkContext,
        refresh: () -> Void
    ) async throws -> Original {
        let start = ContinuousClock.now
        let fetcher = OriginalFetcher(request: request, network: self, since: since, context: context)
        let storage = OriginalStorage(for: request, transfer, fetcher, priority: context.priority)
        let transaction = HTTPCacheTransaction(
            request: transfer,
            policy: request.cachePolicy,
            storage: storage,
            rules: request.cacheRules,
            now: request.target.disk.now,
            fetch: { transfer in
                // Not an answer of the server, so that it changes nothing that is stored.
                guard request.reach == .anywhere else { return .refused(request.notCached, status: nil) }
                return try await fetcher.fetch(transfer)
            }
        )
        let result = try await transaction.run()
        try Task.checkCancellation()
        if result.response.source == .staleWhileRevalidating, request.reach == .anywhere { refresh() }
        return try original(of: result, for: request, storage, fetcher, start: start)
    }

    /// Returns the original that a response of the HTTP cache has.
    ///
    /// Not inlined: the frame of the call that waits for the response had 9 kB with the variables of this one.
    @inline(never)
    private func original(
        of result: HTTPCacheTransaction<ImageError>.Answer,
        for request: ResolvedRequest,
        _ storage: OriginalStorage,
        _ fetcher: OriginalFetcher,
        start: ContinuousClock.Instant
    ) throws -> Original {
        let answer = result.response
        guard answer.source != .unavailable,
            request.reach == .anywhere || answer.source != .staleWhileRevalidating
        else { throw request.notCached }
        // This load succeeds without the server, but the time for which the server refuses requests holds for the next.
        if let failure = result.failure, failure.isRefusal { recovery.remember(failure, of: request) }
        let isFetched = answer.source == .network
        // An empty entry on disk is damage like any other, and is replaced.
        guard !answer.data.isEmpty || !isFetched else {
            var error = request.emptyBody(of: answer.response)
            error.isOfOtherConfiguration = fetcher.isOfOtherConfiguration
            throw error
        }
        var timings = ImageTimings()
        timings.load = fetcher.time
        if request.work.readsDisk { timings.disk = ContinuousClock.now - start - (fetcher.time ?? .zero) }
        let caching = caching(of: answer, storage, fetcher, for: request)
        // Later requests may have other values in the fields that it varies by.
        guard request.reach == .anywhere || caching.effect != .remove else { throw request.notCached }
        let isConfirmed = answer.source == .validated && !fetcher.isOfOtherConfiguration && !storage.isOvertaken
        return Original(
            data: answer.data,
            source: isFetched ? .network : .disk,
            timings: timings,
            metrics: answer.metrics,
            head: answer.response,
            caching: caching,
            transfer: isFetched || isConfirmed ? fetcher.transfer : nil,
            isOfOtherConfiguration: isFetched && fetcher.isOfOtherConfiguration
        )
    }

    /// Returns the effect of a response on the caches.
    private func caching(
        of answer: HTTPCacheResponse,
        _ storage: OriginalStorage,
        _ fetcher: OriginalFetcher,
        for request: ResolvedRequest
    ) -> OriginalCaching {
        let isFetched = answer.source == .network
        if fetcher.isOfOtherConfiguration, isFetched || answer.source == .validated {
            return OriginalCaching(.leave, foundAs: isFetched ? nil : storage.found)
        }
        let caching = OriginalCaching(answer, storage: storage)
        if request.hasUnknownFields, request.followsServer, caching.validity?.isVarying == true {
            // The values that later requests will have in the fields that the response varies by are unknown.
            return OriginalCaching(.remove, foundAs: caching.source)
        }
        return caching
    }

    /// Gets an original that no HTTP cache may answer for: that of another method than GET, or with a body.
    func uncached(_ request: ResolvedRequest, context: WorkContext) async throws -> FetchedOriginal {
        guard request.options.allowsNetwork, let transfer = request.transfer else {
            throw request.notCached
        }
        let policy = request.options.network
        let download = try await download(transfer, policy, for: request, since: request.joining.since, context)
        let body = download.body
        guard !body.data.isEmpty else { throw request.emptyBody(of: body.response) }
        return FetchedOriginal(
            data: body.data,
            source: .network,
            metrics: body.metrics,
            head: body.response,
            // A response whose status only this request accepts is no image for others.
            effect: download.isOfOtherConfiguration || !HTTPStatus.isContent(body.response.status) ? .leave : .store,
            transfer: download.number
        )
    }

    fileprivate func download(
        _ transfer: TransferRequest,
        _ policy: NetworkPolicy,
        for request: ResolvedRequest,
        since: UInt64,
        _ context: WorkContext
    ) async throws -> TransferredBody {
        let downloader = request.options.network.downloader ?? downloader
        // Its kept bodies go with a removal from the caches.
        if let store = downloader.setup.configuration.partialBodies {
            for cache in request.caches { cache.add(store) }
        }
        return try await downloader.download(
            transfer,
            policy: policy,
            since: since,
            load: request.downloadingLoad,
            context: context
        )
    }
}

extension ResolvedRequest {
    /// Returns the error for a response without a body: a redirect that says nowhere to go is no image, and not an empty one.
    fileprivate func emptyBody(of response: TransferResponse) -> ImageError {
        let isRedirect = (300..<400).contains(response.status)
        return ImageError(stage: .load, reason: isRedirect ? .status(response.status) : .emptyBody, source: "\(source)")
    }
}

/// Gets the originals of one load from their server, for the HTTP cache.
struct OriginalFetcher: Sendable {
    typealias Outcome = FetchOutcome<ImageError>

    private struct State {
        var time: Duration?
        var isOfOtherConfiguration = false
        var number: UInt64?
    }

    let request: ResolvedRequest
    let network: NetworkFetcher
    /// Transfers that began before, by their ``WorkNumber``, are not joined.
    let since: UInt64
    let context: WorkContext
    private let state = Lock(State())

    init(request: ResolvedRequest, network: NetworkFetcher, since: UInt64, context: WorkContext) {
        self.request = request
        self.network = network
        self.since = since
        self.context = context
    }

    /// The time of all transfers together; `nil` if there were none.
    var time: Duration? { state.withLock { $0.time } }

    /// A Boolean value that indicates whether the last response came under another configuration of the downloader than the
    /// one that the load is known by, so that no key could distinguish it from the responses to others.
    var isOfOtherConfiguration: Bool { state.withLock { $0.isOfOtherConfiguration } }

    /// The number of the last transfer that was answered; `nil` if there was none.
    var transfer: UInt64? { state.withLock { $0.number } }

    /// Gets a response.
    func fetch(_ transfer: TransferRequest) async throws -> Outcome {
        let policy = policy(of: transfer)
        do {
            let result = try await network.recovery.exchange(request) {
                let start = ContinuousClock.now
                defer { state.withLock { $0.time = ($0.time ?? .zero) + (ContinuousClock.now - start) } }
                return try await network.download(transfer, policy, for: request, since: since, context)
            }
            state.withLock { state in
                state.isOfOtherConfiguration = result.isOfOtherConfiguration
                state.number = result.number
            }
            return Outcome(result.body)
        } catch let error as ImageError {
            if error.reason == .transfer(.cancelled) { throw CancellationError() }
            state.withLock { $0.isOfOtherConfiguration = error.isOfOtherConfiguration }
            return Outcome(error)
        }
    }

    /// Returns the policy of a transfer. It accepts 304 where the cache asks whether a response is still valid, whatever
    /// statuses the load accepts of responses.
    private func policy(of transfer: TransferRequest) -> NetworkPolicy {
        var policy = request.options.network
        let additions = policy.additions(or: network.downloader.configuration.policy)
        guard policy.acceptedStatusCodes != nil || additions.acceptedStatusCodes != nil else { return policy }
        let hasConditions = [HTTPField.Name.ifNoneMatch, .ifModifiedSince].contains {
            transfer.headers[$0] != request.transfer?.headers[$0]
        }
        if hasConditions { policy.rules.handling.acceptsNotModified = true }
        return policy
    }
}

extension FetchOutcome<ImageError> {
    /// The outcome for an error of a download.
    fileprivate init(_ error: ImageError) {
        // What the server refused a short while ago is refused still.
        let reason = if case .failedBefore(let earlier) = error.reason { earlier } else { error.reason }
        let status: Int? = if case .status(let status) = reason { status } else { nil }
        self = reason.noAnswer == .disconnected ? .unreachable(error) : .refused(error, status: status)
    }
}
