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
    private let state = Lock(State())

    init(downloader: ImageDownloader, policy: NetworkPolicy, context: WorkContext) {
        self.downloader = downloader
        self.policy = policy
        self.context = context
    }

    /// Why the last response was not accepted; `nil` if it was.
    var refusal: ImageError? { state.withLock { $0.refusal } }

    /// What all transfers took together; `nil` if there were none.
    var time: Duration? { state.withLock { $0.time } }

    /// Gets a response. One whose status is not accepted has neither headers nor a body.
    var fetch: HTTPCacheExchange.Fetch {
        { [self] request in try await load(request) }
    }

    private func load(_ request: TransferRequest) async throws -> LoadedBody {
        let start = ContinuousClock.now
        defer { state.withLock { $0.time = ($0.time ?? .zero) + (ContinuousClock.now - start) } }
        do {
            let body = try await downloader.download(request, policy: policy, context: context)
            state.withLock { $0.refusal = nil }
            return body
        } catch let error as ImageError {
            switch error.reason {
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
