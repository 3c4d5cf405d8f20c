internal import FoundationEssentials
internal import HalcyonConcurrency
internal import HalcyonHTTP

/// Gets originals for an HTTP cache, which has to see failures as responses and as errors of the transport.
final class OriginalServer: Sendable {
    private struct State {
        var refusal: ImageError?
        var time: Duration?
        var isForHiddenRequest = false
        var number: UInt64?
    }

    private let request: LoadRequest
    private let downloader: ImageDownloader
    private let recovery: Recovery
    private let since: UInt64
    private let context: WorkContext
    private let state = Lock(State())

    /// - Parameter since: Transfers that began before, by their ``WorkNumber``, are not joined.
    init(
        for request: LoadRequest,
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

    /// Why nothing was sent, or the last response not accepted; else `nil`.
    var refusal: ImageError? { state.withLock { $0.refusal } }

    /// What all transfers took together; `nil` if there were none.
    var time: Duration? { state.withLock { $0.time } }

    /// Whether the last response was given for another request, or another credential, than the load shows.
    var isForHiddenRequest: Bool { state.withLock { $0.isForHiddenRequest } }

    /// How old the last response is.
    var age: ContentAge { state.withLock { $0.number }.map { .transferred(began: $0) } ?? .new }

    /// Gets a response. One whose status is not accepted has neither headers nor a body.
    var fetch: HTTPCacheTransaction.Fetch {
        { [self] request in try await load(request) }
    }

    /// - Parameter transfer: The request, with the conditions that the cache adds.
    private func load(_ transfer: TransferRequest) async throws -> HTTPResponseBody {
        state.withLock { $0.refusal = nil }
        do {
            let result = try await recovery.exchange(request) {
                let start = ContinuousClock.now
                defer { state.withLock { $0.time = ($0.time ?? .zero) + (ContinuousClock.now - start) } }
                return try await downloader.download(
                    transfer,
                    policy: request.options.network,
                    audience: request.audience,
                    since: since,
                    context: context
                )
            }
            state.withLock { state in
                state.isForHiddenRequest = result.body.isForHiddenRequest
                state.number = result.number
            }
            return result.body
        } catch let error as ImageError {
            switch error.reason {
            case .meteredNetwork, .failedBefore, .serverUnavailable:
                state.withLock { $0.refusal = error }
                // What may be used without a connection may be used now.
                throw TransferError.cannotConnect(transfer.url.host() ?? "")
            case .transfer(let error):
                throw error
            case .status(let status):
                state.withLock { $0.refusal = error }
                let response = TransferResponse(status: status, url: transfer.url)
                return HTTPResponseBody(response: response, data: Data(), metrics: TransferMetrics())
            default:
                throw error
            }
        }
    }
}
