internal import HalcyonConcurrency
public import HalcyonHTTP

/// Gets encoded images from servers. It neither reads nor writes a cache.
public final class ImageDownloader: Sendable {
    private let bodies: BodyLoader
    private let acceptedStatusCodes: Range<Int>

    /// A downloader over a transport.
    ///
    /// - Parameters:
    ///   - transport: What carries the requests.
    ///   - acceptedStatusCodes: Default: 200..<400.
    public init(transport: any HTTPTransport, acceptedStatusCodes: Range<Int> = 200..<400) {
        bodies = BodyLoader(transport: transport)
        self.acceptedStatusCodes = acceptedStatusCodes
    }

    /// Gets what a request answers with.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/load``, `CancellationError`.
    public func download(_ request: TransferRequest) async throws -> LoadedBody {
        try await download(request, context: WorkContext(priority: PriorityBox(request.priority), report: { _ in }))
    }

    func download(_ request: TransferRequest, context: WorkContext) async throws -> LoadedBody {
        let source = request.url.absoluteString
        let acceptedStatusCodes = acceptedStatusCodes
        do {
            return try await bodies.load(
                request,
                priority: context.priority,
                accept: { response in
                    guard acceptedStatusCodes.contains(response.status) else {
                        throw ImageError(
                            stage: .load,
                            reason: .status(response.status),
                            source: source,
                            retryAfter: RetryAfter.delay(response.headers)
                        )
                    }
                },
                report: { progress in
                    context.report(
                        ImageProgress(receivedBytes: progress.receivedBytes, expectedBytes: progress.expectedBytes)
                    )
                }
            )
        } catch let error as TransferError {
            switch error {
            case .cancelled: throw CancellationError()
            case .invalidURL(let url): throw ImageError(stage: .source, reason: .invalidURL(url), source: source)
            default: throw ImageError(stage: .load, reason: .transfer(error), source: source)
            }
        }
    }
}
