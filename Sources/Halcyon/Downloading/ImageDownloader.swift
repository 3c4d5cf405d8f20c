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

    private let bodies: BodyLoading
    private let events: EventBroadcaster<Event>
    private let answers = AuthenticationAnswers()
    private let workers = WorkQueue(name: "halcyon.bodies", width: ProcessorCount.available)
    private let transferCount = Lock(0)
    let calls = DownloadCalls()
    /// Requests on their way through modifiers, so that a caller can leave at once. Not shared: each has a key of its
    /// own.
    private let modifications = SharedWork<Int, TransferRequest>()
    let transfers = SharedWork<TransferKey, LoadedBody>()

    /// A downloader over a transport.
    ///
    /// - Parameters:
    ///   - transport: What carries the requests.
    ///   - configuration: What is the same for all downloads. Default: the defaults.
    public init(transport: any HTTPTransport, configuration: Configuration = Configuration()) {
        self.configuration = configuration
        bodies = BodyLoading(transport: transport)
        events = EventBroadcaster(onEvent: configuration.onEvent)
    }

    /// Starts a download, or joins one of an equal request, and gives a handle for it.
    public func task(for request: TransferRequest, policy: NetworkPolicy = NetworkPolicy()) -> DownloadTask {
        let task = DownloadTask(request: request)
        task.start { context in try await self.download(request, policy: policy, context: context) }
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
    ) async throws -> LoadedBody {
        let context = WorkContext(priority: PriorityBox(request.priority), report: { _ in })
        return try await download(request, policy: policy, context: context)
    }

    /// Gets what is at a URL. Cancelling the calling task ends the wait at once.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    public func download(from url: URL, policy: NetworkPolicy = NetworkPolicy()) async throws -> LoadedBody {
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

    func download(_ request: TransferRequest, policy: NetworkPolicy, context: WorkContext) async throws -> LoadedBody {
        try Task.checkCancellation()
        guard let call = calls.begin(request.url) else {
            throw ImageError(stage: .load, reason: .downloaderShutDown, source: request.url.absoluteString)
        }
        // Owned by the call, through which it is cancelled. It keeps the downloader until its end.
        let work = Task.detached {
            defer { self.calls.end(call) }
            return try await self.body(of: request, policy: policy, call: call, context: context)
        }
        call.attach(work)
        return try await withTaskCancellationHandler {
            try await work.value
        } onCancel: {
            work.cancel()
        }
    }

    private func body(
        of request: TransferRequest,
        policy: NetworkPolicy,
        call: DownloadCall,
        context: WorkContext
    ) async throws -> LoadedBody {
        let request = try await modified(request, policy: policy, call: call, context: context)
        let handling = policy.handling
        let key = TransferKey(request, handling: handling, ignoring: configuration.headersIgnoredForSharing)
        return try await transfers.value(for: key, context: context) { [self] context in
            try await transfer(request, handling: handling, context: context)
        }
    }

    /// The request that is sent.
    private func modified(
        _ request: TransferRequest,
        policy: NetworkPolicy,
        call: DownloadCall,
        context: WorkContext
    ) async throws -> TransferRequest {
        let source = request.url.absoluteString
        var request = policy.applied(to: request, over: configuration.policy)
        let modifiers = [configuration.policy.requestModifier, policy.requestModifier].compactMap(\.self)
        if !modifiers.isEmpty {
            let unmodified = request
            let context = WorkContext(priority: context.priority, report: { _ in })
            request = try await modifications.value(for: call.id, context: context) { _ in
                var request = unmodified
                for modifier in modifiers {
                    let modified: TransferRequest?
                    do {
                        modified = try await modifier.modified(request)
                    } catch {
                        try Task.checkCancellation()
                        if let error = error as? ImageError { throw error }
                        throw ImageError(stage: .load, reason: .requestRejected("\(error)"), source: source)
                    }
                    guard let modified else {
                        throw ImageError(stage: .load, reason: .requestRejected(nil), source: source)
                    }
                    request = modified
                }
                return request
            }
        }
        let url = request.url.absoluteString
        guard Origin(url) != nil else { throw ImageError(stage: .source, reason: .invalidURL(url), source: source) }
        call.note(request.url)
        return request
    }

    /// One transfer, for all who share it.
    private func transfer(
        _ request: TransferRequest,
        handling: TransferHandling,
        context: WorkContext
    ) async throws -> LoadedBody {
        try Task.checkCancellation()
        let number = transferCount.withLock { count in
            count += 1
            return count
        }
        let events = events
        let run = DownloadRun(
            request: request,
            handling: DownloadHandling(handling, over: configuration.policy.handling),
            bodies: bodies,
            answers: answers,
            workers: workers,
            context: context,
            responded: { events.send(Event(transfer: number, request: request, kind: .responded($0))) }
        )
        events.send(Event(transfer: number, request: request, kind: .started))
        let result = await run.result()
        events.send(Event(transfer: number, request: request, kind: .finished(result.map(\.metrics))))
        return try result.get()
    }
}

extension DownloadRun {
    /// How the transfer ended, in this library's own errors.
    fileprivate func result() async -> Result<LoadedBody, any Error> {
        do {
            return .success(try await body())
        } catch let error as TransferError {
            switch error {
            case .cancelled:
                return .failure(CancellationError())
            case .invalidURL(let url):
                return .failure(
                    ImageError(stage: .source, reason: .invalidURL(url), source: request.url.absoluteString)
                )
            default:
                return .failure(failure(.transfer(error)))
            }
        } catch {
            return .failure(error)
        }
    }
}
