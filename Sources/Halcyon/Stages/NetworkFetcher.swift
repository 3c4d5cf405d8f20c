internal import FoundationEssentials
internal import HTTPTypes
internal import HalcyonHTTP
internal import HalcyonSystem

/// Gets originals from servers.
struct NetworkFetcher {
    /// The downloader of requests that name none.
    let downloader: ImageDownloader
    let recovery: Recovery

    /// Returns the fetcher of one load's originals for the HTTP cache.
    ///
    /// - Parameter since: Transfers that began before, by their ``WorkNumber``, are not joined.
    func fetcher(for request: ResolvedRequest, since: UInt64, context: WorkContext) -> OriginalFetcher {
        return OriginalFetcher(
            for: request,
            downloader: downloader(of: request),
            recovery: recovery,
            since: since,
            context: context
        )
    }

    /// Returns the downloader of a request, of whose kept bodies its caches know.
    private func downloader(of request: ResolvedRequest) -> ImageDownloader {
        let downloader = request.options.network.downloader ?? downloader
        if let store = downloader.setup.configuration.partialBodies {
            for cache in request.caches { cache.add(store) }
        }
        return downloader
    }

    /// Gets an original that no HTTP cache may answer for: that of another method than GET, or with a body.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    func fetch(_ request: ResolvedRequest, context: WorkContext) async throws -> FetchedOriginal {
        guard request.options.allowsNetwork, let transfer = request.transfer else {
            throw request.notCached
        }
        let download = try await downloader(of: request).download(
            transfer,
            policy: request.options.network,
            audience: request.audience,
            since: request.joining.since,
            called: request.registrations.number,
            basis: request.downloadBasis,
            context: context
        )
        let body = download.body
        guard !body.data.isEmpty else { throw request.emptyBody(of: body.response) }
        return FetchedOriginal(
            data: body.data,
            source: .network,
            metrics: body.metrics,
            head: body.response,
            // A response whose status only this request accepts is no image for others.
            effect: download.isOutdated || !HTTPStatus.isContent(body.response.status) ? .leave : .store,
            transfer: download.number
        )
    }
}

extension ResolvedRequest {
    /// Returns the error for a response without a body: a redirect that says nowhere to go is no image, and not an empty one.
    func emptyBody(of response: TransferResponse) -> ImageError {
        let isRedirect = (300..<400).contains(response.status)
        return ImageError(stage: .load, reason: isRedirect ? .status(response.status) : .emptyBody, source: "\(source)")
    }
}

/// Gets the originals of one load from their server, for the HTTP cache.
final class OriginalFetcher: Sendable {
    typealias Outcome = FetchOutcome<ImageError>

    private struct State {
        var time: Duration?
        var isOutdated = false
        var number: UInt64?
    }

    private let request: ResolvedRequest
    private let downloader: ImageDownloader
    private let recovery: Recovery
    private let since: UInt64
    private let context: WorkContext
    private let state = Lock(State())

    /// - Parameter since: Transfers that began before, by their ``WorkNumber``, are not joined.
    init(
        for request: ResolvedRequest,
        downloader: ImageDownloader,
        recovery: Recovery,
        since: UInt64,
        context: WorkContext
    ) {
        self.request = request
        self.downloader = downloader
        self.recovery = recovery
        self.since = since
        self.context = context
    }

    /// The time of all transfers together; `nil` if there were none.
    var time: Duration? { state.withLock { $0.time } }

    /// A Boolean value that indicates whether the last response came under another configuration of the downloader than the
    /// one that the load is known by, so that no key could distinguish it from the responses to others.
    var isOutdated: Bool { state.withLock { $0.isOutdated } }

    /// The number of the last transfer that was answered; `nil` if there was none.
    var transfer: UInt64? { state.withLock { $0.number } }

    /// Gets a response.
    ///
    /// - Parameter transfer: The request, with the conditions that the cache adds.
    /// - Throws: `CancellationError`.
    func fetch(_ transfer: TransferRequest) async throws -> Outcome {
        let policy = policy(of: transfer)
        do {
            let result = try await recovery.exchange(request) {
                let start = ContinuousClock.now
                defer { state.withLock { $0.time = ($0.time ?? .zero) + (ContinuousClock.now - start) } }
                return try await downloader.download(
                    transfer,
                    policy: policy,
                    audience: request.audience,
                    since: since,
                    called: request.registrations.number,
                    basis: request.downloadBasis,
                    context: context
                )
            }
            state.withLock { state in
                state.isOutdated = result.isOutdated
                state.number = result.number
            }
            return Outcome(result.body)
        } catch let error as ImageError {
            if error.reason == .transfer(.cancelled) { throw CancellationError() }
            state.withLock { $0.isOutdated = error.isOutdated }
            return Outcome(error)
        }
    }
}

extension OriginalFetcher {
    /// Returns the policy of a transfer. It accepts 304 where the cache asks whether a response is still valid, whatever
    /// statuses the load accepts of responses.
    private func policy(of transfer: TransferRequest) -> NetworkPolicy {
        let isLimited =
            request.options.network.acceptedStatusCodes != nil
            || downloader.configuration.policy.acceptedStatusCodes != nil
        guard isLimited else { return request.options.network }
        let hasConditions = [HTTPField.Name.ifNoneMatch, .ifModifiedSince].contains {
            transfer.headers[$0] != request.transfer?.headers[$0]
        }
        var policy = request.options.network
        if hasConditions { policy.rules.handling.acceptsNotModified = true }
        return policy
    }
}

extension FetchOutcome<ImageError> {
    /// The outcome for an error of a download.
    fileprivate init(_ error: ImageError) {
        self.init(error, error.reason)
    }

    private init(_ error: ImageError, _ reason: ImageError.Reason) {
        switch reason {
        // What the server refused a short while ago is refused still.
        case .failedBefore(let reason):
            self.init(error, reason)
        case .meteredNetwork, .serverUnavailable:
            // Nothing was sent: an image that may be used without a connection may be used now.
            self = .unreachable(error)
        case .transfer(let failure) where failure.isDisconnection:
            self = .unreachable(error)
        case .status(let status):
            self = .refused(error, status: status)
        default:
            self = .refused(error, status: nil)
        }
    }
}
