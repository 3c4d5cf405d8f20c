internal import FoundationEssentials
internal import HalcyonConcurrency
internal import HalcyonHTTP

/// Gets originals for an HTTP cache, which has to see failures as responses and as errors of the transport.
final class OriginalServer: Sendable {
    private struct State {
        var refusal: ImageError?
        var time: Duration?
    }

    private let downloader: ImageDownloader
    private let policy: NetworkPolicy
    private let context: WorkContext
    private let recovery: Recovery
    /// What names the original's failures, whatever conditions the cache adds to the request.
    private let transfer: TransferRequest
    private let forbid: @Sendable (TransferRequest) -> ImageError?
    private let state = Lock(State())

    /// - Parameter forbid: Why nothing is to be sent at the moment; `nil` if it may be.
    init(
        downloader: ImageDownloader,
        policy: NetworkPolicy,
        context: WorkContext,
        recovery: Recovery,
        transfer: TransferRequest,
        forbid: @escaping @Sendable (TransferRequest) -> ImageError?
    ) {
        self.forbid = forbid
        self.downloader = downloader
        self.policy = policy
        self.context = context
        self.recovery = recovery
        self.transfer = transfer
    }

    /// Why nothing was sent, or the last response not accepted; else `nil`.
    var refusal: ImageError? { state.withLock { $0.refusal } }

    /// What all transfers took together; `nil` if there were none.
    var time: Duration? { state.withLock { $0.time } }

    /// Gets a response. One whose status is not accepted has neither headers nor a body.
    var fetch: HTTPCacheExchange.Fetch {
        { [self] request in try await load(request) }
    }

    private func load(_ request: TransferRequest) async throws -> LoadedBody {
        if let error = forbid(request) {
            state.withLock { $0.refusal = error }
            // What may be used without a connection may be used now.
            throw TransferError.cannotConnect(request.url.host() ?? "")
        }
        state.withLock { $0.refusal = nil }
        let start = ContinuousClock.now
        defer { state.withLock { $0.time = ($0.time ?? .zero) + (ContinuousClock.now - start) } }
        do {
            return try await recovery.exchange(transfer) {
                try await downloader.download(request, policy: policy, context: context)
            }
        } catch let error as ImageError {
            switch error.reason {
            case .serverUnavailable:
                state.withLock { $0.refusal = error }
                throw TransferError.cannotConnect(request.url.host() ?? "")
            case .transfer(let error):
                throw error
            case .status(let status):
                state.withLock { $0.refusal = error }
                let response = TransferResponse(status: status, url: request.url)
                return LoadedBody(response: response, data: Data(), metrics: TransferMetrics())
            default:
                throw error
            }
        }
    }
}
