internal import FoundationEssentials
internal import HalcyonHTTP
internal import HalcyonSystem

/// One transfer: its requests, from the first to the one whose response is final, and the calls of hooks between them.
struct DownloadRun: Sendable {
    /// The number of credentials that are tried before a server's refusal is final.
    static let maximumAuthenticationAttempts = 3
    /// The number of bytes up to which the body of a redirect or a refusal is read, so that the connection can be used
    /// again.
    static let largestInterimBody = 16 << 10

    let request: TransferRequest
    /// The name of the original on disk; `nil` if no cache has one.
    let original: String?
    let handling: DownloadHandling
    let bodies: BodyLoader
    let answers: AuthenticationAnswers
    /// The queue on which hooks change bodies.
    let workers: WorkQueue
    let context: WorkContext
    /// Tells what happens to the one who asked for events.
    let tell: @Sendable (ImageDownloader.Event.Kind) -> Void
    private let begun = WorkNumber.next()
    /// The number of the sending of the request that ``number`` tells of; `nil` until then.
    private let sent = Lock<UInt64?>(nil)

    /// The ``WorkNumber`` of the transfer: that of the time at which its request was sent, if the transport tells.
    ///
    /// A request that is sent again with a credential counts from then on, as the refusal brought no content. A chain of
    /// redirects counts from its first request: a redirect names the content, and another transfer may have been led to
    /// newer content before this one asks for what it was led to.
    var number: UInt64 { sent.withLock { $0 } ?? begun }

    /// A request that is being sent, and the bounds and results of those before it.
    private struct Hop: Sendable {
        var request: TransferRequest
        var earlier = RedirectMetrics()
        /// The remaining part of the bounds for this request and those before it.
        var allowance: TransferAllowance
        var authenticationCount = 0
        /// The credential that the responder has supplied for this request, or for an earlier one to the same part of
        /// the server.
        var proof: SuppliedProof?
    }

    /// A credential with the hooks that supplied it.
    struct SuppliedProof: Sendable {
        let proof: CredentialProof
        let responder: ScopedResponder
    }

    /// A response that is not the final one.
    private struct Interim: Error {
        enum Kind {
            case redirect(Redirection)
            case refusal
        }

        let kind: Kind
        let response: TransferResponse
        /// `nil` if the exchange ended before the body did.
        var metrics: TransferMetrics?
    }

    /// Returns the final response, its body modified.
    func body() async throws -> HTTPResponseBody {
        var hop = Hop(request: request, allowance: TransferAllowance(request))
        // Redirects are followed here if hooks decide what their servers are sent.
        if !handling.hooks.isEmpty { hop.request.followsRedirects = false }
        for responder in handling.responders where hop.proof == nil {
            guard let proof = answers.proof(for: request, responder: responder) else { continue }
            hop.request.credential = proof.credential
            hop.proof = SuppliedProof(proof: proof, responder: responder)
        }
        let start = answers.now
        while true {
            let exchangeStart = ContinuousClock.now
            do {
                var body = try await exchange(hop)
                accepted(hop)
                body.metrics = hop.earlier.metrics(with: body.metrics)
                return try await modified(body)
            } catch let interim as Interim {
                hop = try await self.hop(
                    after: interim,
                    to: hop,
                    since: start,
                    took: ContinuousClock.now - exchangeStart
                )
            }
        }
    }

    /// Returns the request that follows a response that is not the final one.
    ///
    /// Not inlined: a transfer keeps the frame of the call that waits for its body, and most have one request.
    @inline(never)
    private func hop(
        after interim: Interim,
        to earlier: Hop,
        since start: Int,
        took duration: Duration
    ) async throws -> Hop {
        var hop = earlier
        try Task.checkCancellation()
        hop.earlier.add(interim.metrics)
        let time = duration - (interim.metrics?.queued ?? .zero)
        hop.allowance.spend(time, interim.response)
        switch interim.kind {
        case .redirect(let redirection):
            accepted(hop)
            hop.request = try await redirected(by: interim.response, to: redirection.request)
            if redirection.leavesOrigin || hop.request.credential != hop.proof?.proof.credential { hop.proof = nil }
            hop.earlier.goOn(isRedirect: true)
        case .refusal:
            hop.authenticationCount += 1
            hop.proof = try await authenticate(
                &hop.request,
                against: interim.response,
                having: hop.proof,
                hop.authenticationCount,
                start
            )
            hop.earlier.goOn(isRedirect: false)
        }
        return hop
    }

    /// Records that the server has accepted the credential of this request.
    private func accepted(_ hop: Hop) {
        guard let supplied = hop.proof, !supplied.proof.isUnasked,
            hop.request.credential == supplied.proof.credential
        else { return }
        answers.noteAcceptance(of: supplied.proof, for: hop.request.url, responder: supplied.responder)
    }

    /// Sends one request and returns its response; throws an ``Interim`` if that is not the final one.
    private func exchange(_ hop: Hop) async throws -> HTTPResponseBody {
        let head = Lock<TransferResponse?>(nil)
        let interimHead = Lock<Interim?>(nil)
        let accept: @Sendable (TransferResponse) throws -> Void = { response in
            if let interim = try interim(response, to: hop) {
                interimHead.withLock { $0 = interim }
                guard let length = response.expectedBodyBytes, length <= Self.largestInterimBody else { throw interim }
                return
            }
            // A resumed body may have been requested a second time, as a whole.
            interimHead.withLock { $0 = nil }
            let isFirst = head.withLock { head in
                defer { head = response }
                return head == nil
            }
            if isFirst { tell(.responded(response)) }
            if handling.hooks.isEmpty { try check(response, to: hop.request) }
        }
        let review: @Sendable (TransferResponse) async throws -> Void = { response in
            guard head.withLock({ $0 }) != nil else { return }
            let response = try await modified(response)
            head.withLock { $0 = response }
            try check(response, to: hop.request)
        }
        let body: HTTPResponseBody
        do {
            body = try await load(hop, accept: accept, review: handling.hooks.isEmpty ? nil : review, head)
        } catch let error as TransferError where error != .cancelled {
            // However the body failed, the head is sufficient.
            if let interim = interimHead.withLock({ $0 }) { throw interim }
            throw hop.allowance.restated(error)
        }
        return try final(body, head, interimHead)
    }

    @inline(never)
    private func final(
        _ body: HTTPResponseBody,
        _ head: Lock<TransferResponse?>,
        _ interimHead: Lock<Interim?>
    ) throws -> HTTPResponseBody {
        var body = body
        if var interim = interimHead.withLock({ $0 }) {
            interim.metrics = body.metrics
            throw interim
        }
        if let response = head.withLock({ $0 }) { body.response = response }
        return body
    }

    private func load(
        _ hop: Hop,
        accept: @escaping @Sendable (TransferResponse) throws -> Void,
        review: (@Sendable (TransferResponse) async throws -> Void)?,
        _ head: Lock<TransferResponse?>
    ) async throws -> HTTPResponseBody {
        try await bodies.load(
            hop.allowance.bounded(hop.request),
            of: original,
            priority: context.priority,
            send: { [sent] in
                sent.withLock { if $0 == nil || hop.earlier.redirectCount == 0 { $0 = WorkNumber.next() } }
            },
            accept: accept,
            review: review,
            begin: { body in
                // Not the body of a redirect or a refusal.
                guard head.withLock({ $0 }) != nil else { return }
                context.report(.receiving(BodyReport(body, number: WorkNumber.next(), provenance: .network)))
            },
            report: { progress in
                guard head.withLock({ $0 }) != nil else { return }
                let received = ImageProgress(
                    receivedBytes: progress.receivedBytes,
                    expectedBytes: progress.expectedBytes
                )
                context.report(.progress(ProgressReport(progress: received)))
            }
        )
    }

    private func interim(_ response: TransferResponse, to hop: Hop) throws -> Interim? {
        if request.followsRedirects, !hop.request.followsRedirects,
            let redirection = try Redirection(response, to: hop.request, after: hop.earlier.redirectCount)
        {
            return Interim(kind: .redirect(redirection), response: response)
        }
        if response.status == 401 || response.status == 407, !handling.responders.isEmpty,
            !handling.acceptedStatusCodes.contains(response.status),
            hop.authenticationCount < Self.maximumAuthenticationAttempts
        {
            return Interim(kind: .refusal, response: response)
        }
        return nil
    }

    func failure(_ reason: ImageError.Reason) -> ImageError {
        ImageError(stage: .load, reason: reason, source: request.url.absoluteString)
    }
}
