internal import FoundationEssentials
internal import HalcyonConcurrency
internal import HalcyonHTTP

/// What responders have answered, so that transfers to one origin ask once.
final class AuthenticationAnswers: Sendable {
    /// The part of a server that a credential is good for (RFC 9110, section 11.5), and who is asked for it.
    private struct Space: Hashable {
        let origin: Origin
        let isProxy: Bool
        let realms: [String?]
        let responder: ScopedResponder
    }

    private struct Question: Hashable {
        let space: Space
        let rejected: Credential?
    }

    private struct Answer {
        let credential: Credential?
        /// Counts all answers.
        let number: Int
    }

    private struct State {
        var answers: [Space: Answer] = [:]
        var answerCount = 0
    }

    /// Realms are the servers' choice, so there might be any number. Forgetting costs a question.
    private static let maximumCount = 256

    private let state = Lock(State())
    private let questions = WorkCoalescer<Question, Credential?>()
    private let accepted = AcceptedCredentials()

    /// A moment, to tell answers given later from earlier ones.
    var now: Int { state.withLock { $0.answerCount } }

    /// What to send with a request before its server asks; `nil` if there is nothing.
    func proof(for request: TransferRequest, responder: ScopedResponder?) -> CredentialProof? {
        responder.flatMap { accepted.proof(for: request, responder: $0) }
    }

    /// Notes that a server has taken what a responder gave.
    func noteAcceptance(of proof: CredentialProof, for url: URL, responder: ScopedResponder?) {
        if let responder { accepted.add(proof, for: url, responder: responder) }
    }

    /// Notes that a server does not take it any more.
    func noteRejection(of proof: CredentialProof, for url: URL, responder: ScopedResponder) {
        accepted.remove(proof, for: url, responder: responder)
    }

    /// What to try next; `nil` to give up.
    ///
    /// - Parameters:
    ///   - start: When the transfer began. It shares a refusal given since, not an older one.
    /// - Throws: What the responder throws, `CancellationError`.
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
            realms: demand.challenges.map(\.realm),
            responder: responder
        )
        let question = Question(space: space, rejected: demand.rejected)
        let context = WorkContext(priority: context.priority, report: { _ in })
        let credential = try await questions.value(for: question, context: context) { [self] _ in
            // Someone may have been answered between this transfer's request and now.
            if let answer = answer(in: space, to: demand, since: start) { return answer.credential }
            let credential = try await responder.hook.body.credential(for: demand)
            note(credential, for: space)
            return credential
        }
        // The same again would be rejected again.
        return credential == demand.rejected ? nil : credential
    }

    private func answer(in space: Space, to demand: AuthenticationDemand, since start: Int) -> Answer? {
        state.withLock { state in
            guard let answer = state.answers[space] else { return nil }
            if answer.credential == nil { return answer.number > start ? answer : nil }
            return answer.credential == demand.rejected ? nil : answer
        }
    }

    private func note(_ credential: Credential?, for space: Space) {
        // What is forgotten is let go of after the lock: it holds objects of the program's.
        var forgotten: [Space: Answer] = [:]
        state.withLock { state in
            if state.answers.count >= Self.maximumCount, state.answers[space] == nil {
                swap(&state.answers, &forgotten)
            }
            state.answerCount += 1
            state.answers[space] = Answer(credential: credential, number: state.answerCount)
        }
    }
}
