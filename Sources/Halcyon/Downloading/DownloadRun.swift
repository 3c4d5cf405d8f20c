internal import FoundationEssentials
internal import HTTPTypes
internal import HalcyonConcurrency
internal import HalcyonHTTP

/// One transfer: its requests, from the first to the one whose response is final, and what hooks have to say on the
/// way.
struct DownloadRun: Sendable {
    /// How often credentials are tried before a server's refusal is final.
    static let maximumAuthenticationAttempts = 3
    /// The body of a redirect or a refusal is read up to this length, so that the connection can be used again.
    static let largestInterimBody = 16 << 10

    let request: TransferRequest
    let handling: DownloadHandling
    let bodies: BodyLoading
    let answers: AuthenticationAnswers
    /// Runs data modifiers.
    let workers: WorkQueue
    let context: WorkContext
    /// Told the head of the final response as it came.
    let responded: @Sendable (TransferResponse) -> Void

    /// A request on its way.
    private struct Hop: Sendable {
        var request: TransferRequest
        var redirectCount = 0
        var authenticationCount = 0
    }

    /// What a response is that is not the final one.
    private enum Interim: Error {
        case redirect(Redirection, by: TransferResponse)
        case refusal(TransferResponse, Hook<any AuthenticationResponding>)
    }

    /// The final response, its body modified.
    ///
    /// - Throws: ``ImageError``, ``TransferError``, `CancellationError`.
    func body() async throws -> LoadedBody {
        var hop = Hop(request: request)
        // Someone has a say in redirects, or in what another server is told than the one first asked.
        if handling.redirectHandler != nil || handling.authenticationResponder != nil {
            hop.request.followsRedirects = false
        }
        let start = answers.now
        while true {
            do {
                var body = try await exchange(hop)
                body.metrics.redirectCount += hop.redirectCount
                return try await modified(body)
            } catch let interim as Interim {
                try Task.checkCancellation()
                switch interim {
                case .redirect(let redirection, let response):
                    hop.request = try await redirected(by: response, to: redirection.request)
                    hop.redirectCount += 1
                case .refusal(let response, let responder):
                    hop.authenticationCount += 1
                    try await authenticate(&hop.request, against: response, hop.authenticationCount, start, responder)
                }
            }
        }
    }

    /// One request and its response; its body too, if it is the final one.
    private func exchange(_ hop: Hop) async throws -> LoadedBody {
        let head = Lock<TransferResponse?>(nil)
        let accept: @Sendable (TransferResponse) throws -> Void = { response in
            if let interim = try interim(response, to: hop) {
                guard let length = response.expectedBodyBytes, length <= Self.largestInterimBody else { throw interim }
                return
            }
            head.withLock { $0 = response }
            responded(response)
            if !handling.looksAtHeads { try check(response, to: hop.request) }
        }
        let review: @Sendable (TransferResponse) async throws -> Void = { response in
            guard head.withLock({ $0 }) != nil else { return }
            let response = try await modified(response)
            head.withLock { $0 = response }
            try check(response, to: hop.request)
            try await self.review(response)
        }
        var body = try await bodies.load(
            hop.request,
            priority: context.priority,
            accept: accept,
            review: handling.looksAtHeads ? review : nil,
            report: { progress in
                guard head.withLock({ $0 }) != nil else { return }
                context.report(
                    ImageProgress(receivedBytes: progress.receivedBytes, expectedBytes: progress.expectedBytes)
                )
            }
        )
        guard let response = head.withLock({ $0 }) else {
            if let interim = try interim(body.response, to: hop) { throw interim }
            return body
        }
        body.response = response
        return body
    }

    private func interim(_ response: TransferResponse, to hop: Hop) throws -> Interim? {
        if request.followsRedirects, !hop.request.followsRedirects,
            let redirection = try Redirection(response, to: hop.request, after: hop.redirectCount)
        {
            return .redirect(redirection, by: response)
        }
        if response.status == 401 || response.status == 407, let responder = handling.authenticationResponder,
            hop.authenticationCount < Self.maximumAuthenticationAttempts
        {
            return .refusal(response, responder)
        }
        return nil
    }

    private func check(_ response: TransferResponse, to request: TransferRequest) throws {
        let isUnconditional = request.headers[.ifNoneMatch] == nil && request.headers[.ifModifiedSince] == nil
        guard handling.acceptedStatusCodes.contains(response.status),
            response.status != 304 || !isUnconditional
        else {
            var refusal = failure(.status(response.status))
            refusal.retryAfter = RetryAfter.delay(response.headers)
            throw refusal
        }
        // "Not modified" says nothing about the content (RFC 9110, section 15.4.5).
        if let types = handling.acceptedContentTypes, response.status != 304 {
            let type = response.headers[.contentType]
            guard AcceptedContentTypes.contains(type, in: types) else { throw failure(.contentType(type)) }
        }
    }

    func failure(_ reason: ImageError.Reason) -> ImageError {
        ImageError(stage: .load, reason: reason, source: request.url.absoluteString)
    }
}
