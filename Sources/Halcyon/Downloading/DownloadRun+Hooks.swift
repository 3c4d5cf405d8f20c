internal import FoundationEssentials
internal import HTTPTypes
internal import HalcyonHTTP

extension DownloadRun {
    /// Returns the request that follows a redirect.
    func redirected(by response: TransferResponse, to proposed: TransferRequest) async throws -> TransferRequest {
        guard let handler = handling.redirectHandler else { return proposed }
        let target = proposed.url.absoluteString
        let chosen: TransferRequest?
        do {
            chosen = try await handler.body.request(after: response, proposed: proposed)
        } catch {
            throw try refined(error, .redirectRejected("\(target): \(error)"), isOwn: handling.hasOwnRedirectHandler)
        }
        guard var chosen else { throw failure(.redirectRejected(target)) }
        guard Origin(chosen.url.absoluteString) != nil else {
            throw ImageError(
                stage: .source,
                reason: .invalidURL(chosen.url.absoluteString),
                source: request.url.absoluteString
            )
        }
        chosen.take(theWayOf: proposed)
        // The bounds are those of all requests together.
        chosen.limits = request.limits
        chosen.timeouts = request.timeouts
        chosen.followsRedirects = false
        return chosen
    }

    /// Adds the credential to try after a refusal to the request, and returns the one that the server itself gets.
    func authenticate(
        _ request: inout TransferRequest,
        against response: TransferResponse,
        having proof: CredentialProof?,
        _ attempt: Int,
        _ start: Int,
        _ responder: ScopedResponder
    ) async throws -> CredentialProof? {
        let isProxy = response.status == 407
        let realms = response.challenges.map { $0.realm.map(ExactString.init) }
        var rejected = isProxy ? request.proxyCredential : request.credential
        if !isProxy, let proof, proof.isUnasked {
            if proof.realms == realms {
                answers.noteRejection(of: proof, for: request.url, responder: responder)
            } else {
                // The credential that was sent is for another part of the server, and may still be valid there.
                rejected = nil
            }
        }
        let demand = AuthenticationDemand(
            url: response.url,
            isProxy: isProxy,
            challenges: response.challenges,
            attempt: attempt,
            rejected: rejected
        )
        let credential: Credential?
        do {
            credential = try await answers.credential(
                for: demand,
                since: start,
                responder: responder,
                context: context
            )
        } catch {
            throw try refined(error, .status(response.status), isOwn: handling.hasOwnResponder)
        }
        guard let credential else { throw failure(.status(response.status)) }
        // A header would take precedence over the credential.
        if isProxy {
            request.headers[.proxyAuthorization] = nil
            request.setProxyCredential(credential)
            return proof
        }
        request.headers[.authorization] = nil
        request.credential = credential
        return CredentialProof(credential: credential, realms: realms)
    }

    /// Returns the head for checks, reviewers and callers, and whether a modifier of the request's own changed the
    /// status: that is no answer of the server to other requests, whatever the modifiers of all requests made of it
    /// before.
    func modified(_ response: TransferResponse) async throws -> (TransferResponse, isStatusOwn: Bool) {
        var response = response
        var sharedStatus = response.status
        for (index, modifier) in handling.responseModifiers.enumerated() {
            let isOwn = index >= handling.sharedResponseModifierCount
            do {
                response = try await modifier.body.modified(response)
            } catch {
                throw try refined(error, .responseRejected("\(error)"), isOwn: isOwn)
            }
            if !isOwn { sharedStatus = response.status }
        }
        return (response, response.status != sharedStatus)
    }

    /// Throws an error unless all reviewers accept the body.
    func review(_ response: TransferResponse) async throws {
        for (index, reviewer) in handling.responseReviewers.enumerated() {
            let isAccepted: Bool
            do {
                isAccepted = try await reviewer.body.accepts(response)
            } catch {
                let isOwn = index >= handling.sharedReviewerCount
                throw try refined(error, .responseRejected("\(error)"), isOwn: isOwn)
            }
            guard isAccepted else { throw failure(.responseRejected(nil)) }
        }
    }

    /// Returns the body for callers.
    func modified(_ body: HTTPResponseBody) async throws -> HTTPResponseBody {
        guard !handling.dataModifiers.isEmpty else { return body }
        let modifiers = handling.dataModifiers
        let data: Data?
        do {
            data = try await workers.run(priority: context.priority) { flag in
                var data = body.data
                for modifier in modifiers {
                    try flag.check()
                    guard let modified = try modifier.body.modified(data, of: body.response) else { return nil }
                    data = modified
                }
                return data
            }
        } catch {
            let isOwn = modifiers.count > handling.sharedDataModifierCount
            throw try refined(error, .dataRejected("\(error)"), isOwn: isOwn)
        }
        guard let data else { throw failure(.dataRejected(nil)) }
        var body = body
        body.data = data
        return body
    }

    /// Returns the error that a load ends with after a hook's error. Hooks may throw errors of this library's own, and
    /// a cancellation stays one.
    ///
    /// - Parameter isOwn: A Boolean value that indicates whether the hook is the request's own, so that its error, which may
    ///   name a status, is not the server's answer to others.
    private func refined(_ error: any Error, _ reason: ImageError.Reason, isOwn: Bool) throws -> ImageError {
        try Task.checkCancellation()
        guard var own = error as? ImageError else { return failure(reason) }
        if isOwn { own.isForHiddenRequest = true }
        return own
    }
}
