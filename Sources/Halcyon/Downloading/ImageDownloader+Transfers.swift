internal import FoundationEssentials
internal import HalcyonConcurrency
internal import HalcyonHTTP

extension ImageDownloader {
    /// Returns the response to a request, with its body.
    ///
    /// - Parameters:
    ///   - audience: The scope of the response. Default: that of the policy's responder.
    ///   - since: The ``WorkNumber`` before which a transfer is too old to be joined. Default: any may be joined.
    func download(
        _ request: TransferRequest,
        policy: NetworkPolicy,
        audience: String? = nil,
        since: UInt64 = 0,
        context: WorkContext
    ) async throws -> TransferredBody {
        try Task.checkCancellation()
        guard let call = calls.begin(request.url) else {
            throw ImageError(stage: .load, reason: .downloaderShutDown, source: request.url.absoluteString)
        }
        let context = context.nextAttempt()
        // Owned by the call, through which it is cancelled. It keeps the downloader alive until it ends.
        let work = Task.detached {
            defer { self.calls.end(call) }
            let work = (policy: policy, audience: audience, since: since)
            return try await self.body(of: request, for: work, call: call, context: context)
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
        for work: (policy: NetworkPolicy, audience: String?, since: UInt64),
        call: DownloadCall,
        context: WorkContext
    ) async throws -> TransferredBody {
        let policy = work.policy
        let audience = policy.authenticationResponder.flatMap { responder in
            work.audience ?? responder.cacheScope.flatMap { CacheScope.named($0).name }
        }
        let unmodified = policy.applied(to: request, over: configuration.policy)
        let request = try await modified(unmodified, policy: policy, call: call, context: context)
        // The hooks of a downloader that a request names are not those of all requests of a pipeline.
        let isNamed = policy.downloader != nil && configuration.policy.rules.hasHooks
        var handling = policy.handling
        handling.isOfOwnDownloader = isNamed
        let key = TransferKey(
            request,
            handling: handling,
            audience: audience,
            ignoring: configuration.headersIgnoredForSharing
        )
        let number = WorkNumber.next()
        let isHidden = (isNamed || policy.requestModifier != nil) && !request.isFor(unmodified)
        do {
            var result = try await transfers.value(for: key, since: work.since, number: number, context: context) {
                [self, handling] context in
                let body = try await transfer(request, handling: handling, audience: audience, context: context)
                return TransferredBody(body: body, number: number)
            }
            if isHidden { result.body.isForHiddenRequest = true }
            return result
        } catch var error as ImageError where isHidden {
            error.isForHiddenRequest = true
            throw error
        }
    }

    /// Returns the request to send: one that has the values of the policies, changed by their modifiers.
    private func modified(
        _ request: TransferRequest,
        policy: NetworkPolicy,
        call: DownloadCall,
        context: WorkContext
    ) async throws -> TransferRequest {
        let source = request.url.absoluteString
        var request = request
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

    /// Runs one transfer for all callers that share it.
    private func transfer(
        _ request: TransferRequest,
        handling: TransferHandling,
        audience: String?,
        context: WorkContext
    ) async throws -> HTTPResponseBody {
        try Task.checkCancellation()
        let number = transferCount.withLock { count in
            count += 1
            return count
        }
        let events = events
        let run = DownloadRun(
            request: request,
            handling: DownloadHandling(handling, audience: audience, over: configuration.policy.handling),
            bodies: bodies,
            answers: answers,
            workers: workers,
            context: context,
            responded: { events.send(Event(transfer: number, request: request, kind: .responded($0))) }
        )
        context.begin(.load)
        events.send(Event(transfer: number, request: request, kind: .started))
        let result = await run.result()
        events.send(Event(transfer: number, request: request, kind: .finished(result.map(\.metrics))))
        return try result.get()
    }
}

/// The body of a transfer, and the time of its beginning.
struct TransferredBody: Sendable {
    var body: HTTPResponseBody
    /// The ``WorkNumber`` of the transfer.
    let number: UInt64
}

extension TransferRequest {
    /// Returns whether this request, which a hook made of another or chose instead of it, is for the same resource and
    /// the same user.
    func isFor(_ other: TransferRequest) -> Bool {
        url == other.url && method == other.method && body == other.body && hasCredential(of: other)
    }
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
