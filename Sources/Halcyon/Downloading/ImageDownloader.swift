public import FoundationEssentials
internal import HalcyonConcurrency
public import HalcyonHTTP

/// Gets encoded images from servers. It neither reads nor writes a cache.
///
/// Equal requests share one transfer while it goes on: equal in URL, method, headers, body, credential and bounds,
/// after they were modified, and in what is to happen to the response. Each caller gets exactly one result. The
/// transfer has the highest priority among its callers; when the last one leaves it is cancelled, and who asks then
/// starts a new one.
///
/// A downloader lives as long as its downloads: releasing it lets them finish. ``shutdown()`` cancels them.
public final class ImageDownloader: Sendable {
    /// What is the same for all downloads.
    public let configuration: Configuration

    let bodies: BodyLoader
    let events: EventBroadcaster<Event>
    let answers = AuthenticationAnswers()
    let workers = WorkQueue(name: "halcyon.bodies", width: ProcessorCount.available)
    let transferCount = Lock(0)
    let calls = DownloadCalls()
    /// Requests on their way through modifiers, so that a caller can leave at once. Not shared: each has a key of its
    /// own.
    let modifications = WorkCoalescer<Int, TransferRequest>()
    let transfers = WorkCoalescer<TransferKey, TransferredBody>()

    /// A downloader over a transport.
    ///
    /// - Parameters:
    ///   - transport: What carries the requests.
    ///   - configuration: What is the same for all downloads. Default: the defaults.
    public init(transport: any HTTPTransport, configuration: Configuration = Configuration()) {
        self.configuration = configuration
        bodies = BodyLoader(transport: transport, configuration: configuration.bodies)
        events = EventBroadcaster(onEvent: configuration.onEvent)
    }

    /// Starts a download, or joins one of an equal request, and gives a handle for it.
    public func task(for request: TransferRequest, policy: NetworkPolicy = NetworkPolicy()) -> DownloadTask {
        let task = DownloadTask(request: request)
        task.start { context in try await self.download(request, policy: policy, context: context).body }
        return task
    }

    /// Starts a download, or joins one of the same URL, and gives a handle for it.
    public func task(for url: URL, policy: NetworkPolicy = NetworkPolicy()) -> DownloadTask {
        task(for: TransferRequest(url: url), policy: policy)
    }

    /// Gets what a request answers with. Cancelling the calling task ends the wait at once.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    public func download(
        _ request: TransferRequest,
        policy: NetworkPolicy = NetworkPolicy()
    ) async throws -> HTTPResponseBody {
        let context = WorkContext(priority: PriorityBox(request.priority), report: { _ in })
        return try await download(request, policy: policy, context: context).body
    }

    /// Gets what is at a URL. Cancelling the calling task ends the wait at once.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    public func download(from url: URL, policy: NetworkPolicy = NetworkPolicy()) async throws -> HTTPResponseBody {
        try await download(TransferRequest(url: url), policy: policy)
    }

    /// Cancels the downloads of everyone who waits for `url`: who asked for it, or whose modified request leads there.
    /// Takes time in proportion to all who wait.
    public func cancel(_ url: URL) {
        calls.cancel(url)
    }

    /// Cancels all downloads; new ones may begin.
    public func cancelAll() {
        calls.cancelAll()
    }

    /// Cancels all downloads; whoever asks for one from now on gets ``ImageError/Reason/downloaderShutDown``. The
    /// transport stays as it is, as others may use it.
    public func shutdown() {
        calls.shutDown()
    }

    /// What happens from now on; it ends with the downloader. A reader who falls behind by more than `limit` events
    /// loses the oldest.
    ///
    /// - Parameter limit: Default: 1,000.
    public func events(bufferingAtMost limit: Int = 1_000) -> AsyncStream<Event> {
        events.stream(limit: max(1, limit))
    }
}
