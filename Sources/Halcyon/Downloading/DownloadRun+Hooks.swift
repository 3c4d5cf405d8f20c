internal import FoundationEssentials
internal import HTTPTypes
internal import HalcyonHTTP
internal import HalcyonSystem

extension DownloadRun {
    /// Returns the request that follows a redirect.
    func redirected(by response: TransferResponse, to proposed: TransferRequest) async throws -> TransferRequest {
        var chosen = proposed
        for hooks in handling.hooks {
            let target = chosen.url.absoluteString
            do {
                guard let next = try await hooks.request(after: response, proposed: chosen) else {
                    throw failure(.redirectRejected(target))
                }
                chosen = next
            } catch {
                throw try refined(error, .redirectRejected("\(target): \(error)"))
            }
        }
        guard Origin(chosen.url.absoluteString) != nil else {
            throw ImageError(
                stage: .source,
                reason: .invalidURL(chosen.url.absoluteString),
                source: request.url.absoluteString
            )
        }
        chosen.copyRoute(of: proposed)
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
        having supplied: SuppliedProof?,
        _ attempt: Int,
        _ start: Int
    ) async throws -> SuppliedProof? {
        let isProxy = response.status == 407
        let realms = response.challenges.map { $0.realm.map(ExactString.init) }
        var rejected = isProxy ? request.proxyCredential : request.credential
        if !isProxy, let supplied, supplied.proof.isUnasked {
            if supplied.proof.realms == realms {
                answers.noteRejection(of: supplied.proof, for: request.url, responder: supplied.responder)
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
        for responder in handling.responders {
            let credential: Credential?
            do {
                credential = try await answers.credential(
                    for: demand,
                    since: start,
                    responder: responder,
                    context: context
                )
            } catch {
                throw try refined(error, .status(response.status))
            }
            guard let credential else { continue }
            // A header would take precedence over the credential.
            if isProxy {
                request.headers[.proxyAuthorization] = nil
                request.setProxyCredential(credential)
                return supplied
            }
            request.headers[.authorization] = nil
            request.credential = credential
            let proof = CredentialProof(credential: credential, realms: realms)
            return SuppliedProof(proof: proof, responder: responder)
        }
        // There is no other answer.
        tell(.responded(response))
        throw failure(.status(response.status))
    }

    /// Returns the head for checks and callers.
    func modified(_ response: TransferResponse) async throws -> TransferResponse {
        var response = response
        for hooks in handling.hooks {
            do {
                guard var modified = try await hooks.modified(response) else { throw failure(.responseRejected(nil)) }
                modified.redirects = response.redirects
                response = modified
            } catch {
                throw try refined(error, .responseRejected("\(error)"))
            }
        }
        return response
    }

    /// Returns the body for callers.
    func modified(_ body: HTTPResponseBody) async throws -> HTTPResponseBody {
        let hooks = handling.hooks
        guard !hooks.isEmpty else { return body }
        let data: Data?
        do {
            data = try await workers.run(priority: context.priority) { flag in
                var data = body.data
                for hooks in hooks {
                    try flag.check()
                    guard let modified = try hooks.modified(data, of: body.response) else { return nil }
                    data = modified
                }
                return data
            }
        } catch {
            throw try refined(error, .dataRejected("\(error)"))
        }
        guard let data else { throw failure(.dataRejected(nil)) }
        var body = body
        body.data = data
        return body
    }

    /// Returns the error that a load ends with after a hook's error. Hooks may throw errors of this library's own, and
    /// a cancellation stays one.
    private func refined(_ error: any Error, _ reason: ImageError.Reason) throws -> ImageError {
        try Task.checkCancellation()
        return error as? ImageError ?? failure(reason)
    }
}
