internal import FoundationEssentials
internal import HalcyonHTTP
internal import HalcyonSystem

/// The answers of responders, so that transfers to one origin call them once.
final class AuthenticationAnswers: Sendable {
    /// The part of a server that a credential is valid for (RFC 9110, section 11.5), and the responder that supplies
    /// it.
    private struct Space: Hashable {
        let origin: Origin
        let isProxy: Bool
        let realms: [ExactString?]
        let responder: ResponderKey
    }

    private struct Question: Hashable {
        let space: Space
        let rejected: Credential?
    }

    private struct Answer: Sendable {
        let credential: Credential?
        /// The number of the answer, in the order of all answers.
        let number: Int
        let responder: KeptResponder
    }

    private struct State {
        var answers: [Space: Answer] = [:]
        var answerCount = 0
    }

    /// Servers choose their realms, so the number of realms has no bound. Removing an answer costs a call of the
    /// responder.
    private static let maximumCount = 256

    private let state = Lock(State())
    private let questions = WorkCoalescer<Question, Answer>()
    private let accepted = AcceptedCredentials()

    /// The number of answers so far, which separates later answers from earlier ones.
    var now: Int { state.withLock { $0.answerCount } }

    /// Returns the credential to send with a request before its server asks for one; `nil` if there is none.
    func proof(for request: TransferRequest, responder: ScopedResponder?) -> CredentialProof? {
        responder.flatMap { accepted.proof(for: request, responder: $0) }
    }

    /// Records that a server has accepted the credential of a responder.
    func noteAcceptance(of proof: CredentialProof, for url: URL, responder: ScopedResponder?) {
        if let responder { accepted.add(proof, for: url, responder: responder) }
    }

    /// Records that a server no longer accepts a credential.
    func noteRejection(of proof: CredentialProof, for url: URL, responder: ScopedResponder) {
        accepted.remove(proof, for: url, responder: responder)
    }

    /// Returns the credential to try next; `nil` lets the server's refusal stand.
    ///
    /// - Parameters:
    ///   - start: The value of ``now`` when the transfer began. The transfer shares the answer `nil` of a responder if
    ///     it is later than that, not an older one.
    /// - Throws: The error of the responder, `CancellationError`.
    func credential(
        for demand: AuthenticationDemand,
        since start: Int,
        responder: ScopedResponder,
        context: WorkContext
    ) async throws -> Credential? {
        guard let origin = Origin(demand.url.absoluteString) else { return nil }
        let space = Space(
            origin: origin,
            isProxy: demand.isProxy,
            realms: demand.challenges.map { $0.realm.map(ExactString.init) },
            responder: responder.key
        )
        let question = Question(space: space, rejected: demand.rejected)
        let context = WorkContext(priority: context.priority, report: { _ in })
        while true {
            let answer = try await questions.value(for: question, context: context) { [self] _ in
                // The responder may have answered another transfer since this one's request was sent.
                if let answer = self.answer(in: space, to: demand, since: start) { return answer }
                let credential = try await responder.hook.body.credential(for: demand)
                return note(credential, for: space, of: KeptResponder(responder))
            }
            guard let credential = answer.credential else {
                // The question was shared with a transfer that began earlier, and the answer is one that is too old for
                // this transfer: the responder is asked for it. Each further round has a later answer.
                if answer.number <= start { continue }
                return nil
            }
            // The same credential would be rejected again.
            return credential == demand.rejected ? nil : credential
        }
    }

    private func answer(in space: Space, to demand: AuthenticationDemand, since start: Int) -> Answer? {
        state.withLock { state in
            // Its responder has the address of the present one, which is held by the caller.
            guard let answer = state.answers[space], !answer.responder.isReleased else { return nil }
            if answer.credential == nil { return answer.number > start ? answer : nil }
            return answer.credential == demand.rejected ? nil : answer
        }
    }

    private func note(_ credential: Credential?, for space: Space, of responder: KeptResponder) -> Answer {
        removeReleased()
        // Released after the lock, as it holds responders of the program.
        var forgotten: [Space: Answer] = [:]
        defer { withExtendedLifetime(forgotten) {} }
        return state.withLock { state in
            if state.answers.count >= Self.maximumCount, state.answers[space] == nil {
                swap(&state.answers, &forgotten)
            }
            state.answerCount += 1
            let answer = Answer(credential: credential, number: state.answerCount, responder: responder)
            // Released after the lock as well: the answer that it replaces may be the last to hold its responder.
            if let older = state.answers.updateValue(answer, forKey: space) { forgotten[space] = older }
            return answer
        }
    }

    /// Removes the answers of responders that are released.
    private func removeReleased() {
        // Looked at without the lock, as each may be released by that.
        let answers = state.withLock { $0.answers }
        let released = answers.filter { $0.value.responder.isReleased }
        guard !released.isEmpty else { return }
        state.withLock { state in
            for (space, answer) in released where state.answers[space]?.number == answer.number {
                state.answers[space] = nil
            }
        }
    }
}
