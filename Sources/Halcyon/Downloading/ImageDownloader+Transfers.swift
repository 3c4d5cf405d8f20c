internal import FoundationEssentials
internal import HTTPTypes
internal import HalcyonHTTP
internal import HalcyonSystem

extension ImageDownloader {
    /// Returns the response to a request, with its body.
    ///
    /// - Parameters:
    ///   - since: The ``WorkNumber`` before which a transfer is too old to be joined. Default: any may be joined.
    ///   - load: The load that `request` was derived from. Default: none.
    func download(
        _ request: TransferRequest,
        policy: NetworkPolicy,
        since: UInt64 = 0,
        load: DownloadingLoad? = nil,
        context: WorkContext
    ) async throws -> TransferredBody {
        try Task.checkCancellation()
        guard let call = calls.begin(request.url) else {
            throw ImageError(stage: .load, reason: .downloaderShutDown, source: request.url.absoluteString)
        }
        defer { calls.end(call) }
        let context = context.nextAttempt()
        // One for all that follows.
        let setup = setup
        // What the load is known by comes from a configuration that is gone: nobody else may be given the response.
        let isOfOtherConfiguration = load.map { $0.generation != setup.generation } ?? false
        let original = isOfOtherConfiguration ? load?.renewed(request) ?? request : request
        let unmodified = policy.applied(to: original, over: setup.configuration.policy)
        let request = try await modified(unmodified, setup, policy: policy, call: call, context: context)
        let sharing = SharedTransfer(request, setup, policy: policy, audience: load?.audience)
        do {
            var result = try await transfers.value(
                for: sharing.key,
                joining: JoinRule(since: since),
                number: load?.number ?? WorkNumber.next(),
                context: context,
                wait: call.wait
            ) { [self] context in
                var placed = request
                placed.place = load?.number
                return try await transfer(placed, of: load?.original, setup, sharing, context: context)
            }
            result.isOfOtherConfiguration = isOfOtherConfiguration
            return result
        } catch var error as ImageError where isOfOtherConfiguration {
            error.isOfOtherConfiguration = true
            throw error
        }
    }

    /// Returns the request to send: one that has the values of the policies, changed by their hooks.
    private func modified(
        _ request: TransferRequest,
        _ setup: DownloadSetup,
        policy: NetworkPolicy,
        call: DownloadCall,
        context: WorkContext
    ) async throws -> TransferRequest {
        let source = request.url.absoluteString
        var request = request
        let shared = setup.configuration.policy
        let hooks = [shared.hooks, policy.hooks].compactMap(\.self)
        if !hooks.isEmpty {
            let unmodified = request
            let context = WorkContext(priority: context.priority, report: { _ in })
            request = try await modifications.value(for: call.id, context: context, wait: call.wait) { _ in
                var request = unmodified
                for hooks in hooks {
                    let modified: TransferRequest?
                    do {
                        modified = try await hooks.modified(request)
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

    /// Runs one transfer for all callers that share it.
    private func transfer(
        _ request: TransferRequest,
        of original: String?,
        _ setup: DownloadSetup,
        _ sharing: SharedTransfer,
        context: WorkContext
    ) async throws -> TransferredBody {
        try Task.checkCancellation()
        let run = begin(request, of: original, setup, sharing, context: context)
        let start = ContinuousClock.now
        let result = await run.result()
        noteEnd(of: run, result, duration: ContinuousClock.now - start)
        do {
            return TransferredBody(body: try result.get(), number: run.number)
        } catch var error as ImageError {
            error.transfer = run.number
            throw error
        }
    }

    // Not inlined, as what else a transfer calls before and after it waits: its frame had 10 kB with their variables.

    @inline(never)
    private func begin(
        _ request: TransferRequest,
        of original: String?,
        _ setup: DownloadSetup,
        _ sharing: SharedTransfer,
        context: WorkContext
    ) -> DownloadRun {
        let number = transferCount.withLock { count in
            count += 1
            return count
        }
        let (onEvent, defaults) = (setup.configuration.onEvent, setup.configuration.policy.handling)
        let run = DownloadRun(
            request: request,
            original: original,
            handling: DownloadHandling(sharing.handling, audience: sharing.audience, over: defaults),
            bodies: setup.bodies,
            answers: setup.answers,
            workers: workers,
            context: context,
            tell: { kind in onEvent?(Event(transfer: number, request: request, kind: kind)) }
        )
        context.begin(.load)
        context.note(.transferBegan)
        run.tell(.started)
        return run
    }

    @inline(never)
    private func noteEnd(of run: DownloadRun, _ result: Result<HTTPResponseBody, any Error>, duration: Duration) {
        run.context.note(.transferred(TransferReport(result, duration: duration)))
        run.tell(.finished(result.map(\.metrics)))
    }
}

/// The identity of a transfer and what decides who may be given its response.
///
/// A class, made by a call of its own: a load keeps the frame of the call that waits for the transfer.
private final class SharedTransfer: Sendable {
    let key: TransferKey
    let handling: TransferHandling
    /// The scope of the response.
    let audience: String?

    @inline(never)
    init(
        _ request: TransferRequest,
        _ setup: DownloadSetup,
        policy: NetworkPolicy,
        audience: String?
    ) {
        let configuration = setup.configuration
        self.audience = policy.hooks.flatMap { audience ?? $0.cacheIdentity?.name }
        handling = policy.handling
        key = TransferKey(
            request,
            handling: handling,
            audience: self.audience,
            generation: setup.generation,
            ignoring: configuration.headersIgnoredForSharing,
            isShared: policy.hooksWithoutIdentity(over: configuration.policy).isEmpty
        )
    }
}

/// The load that a request was derived from, as far as a downloader has to know it.
struct DownloadingLoad: Sendable {
    /// The number of the load, which decides whether others join its transfer.
    let number: UInt64
    /// The scope of the response, if hooks or the options name it.
    let audience: String?
    /// The ``DownloadSetup/generation`` whose policy was applied.
    let generation: UInt64
    /// The request of the source, with nothing of a downloader.
    let source: TransferRequest
    /// The name of the original on disk; `nil` for a load that stores it in no cache.
    let original: String?

    /// Returns the request of the source with the conditions that a cache has added to `request`, so that another policy can
    /// be applied.
    func renewed(_ request: TransferRequest) -> TransferRequest {
        var renewed = source
        for name in [HTTPField.Name.ifNoneMatch, .ifModifiedSince] where renewed.headers[name] == nil {
            renewed.headers[name] = request.headers[name]
        }
        renewed.priority = request.priority
        return renewed
    }
}

/// The body of a transfer, and the time at which its request was sent.
struct TransferredBody: Sendable {
    var body: HTTPResponseBody
    /// The ``WorkNumber`` of the transfer.
    let number: UInt64
    /// A Boolean value that indicates whether the transfer began under another configuration than the one that the load is
    /// known by: no scope that it names is that of the response.
    var isOfOtherConfiguration = false
}

extension DownloadRun {
    /// Returns the result of the transfer, in this library's own errors.
    fileprivate func result() async -> Result<HTTPResponseBody, any Error> {
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
