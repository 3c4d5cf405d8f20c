internal import FoundationEssentials
internal import HalcyonHTTP
internal import HalcyonSystem

/// The answers of responders, so that transfers to one origin call them once, and the folders for which servers have
/// accepted them, so that later requests carry them from the start instead of being refused first.
///
/// A server that accepts a credential for a path is assumed to accept it for all paths at or below that path's folder
/// (RFC 7617, section 2.2).
final class AuthenticationAnswers: Sendable {
    /// The part of a server that a credential is valid for (RFC 9110, section 11.5), and the responder that supplies
    /// it.
    private struct Space: Hashable {
        let origin: Origin
        let isProxy: Bool
        let realms: [ExactString?]
        let responder: ResponderKey

        /// Returns whether it is a part of this server, whichever realm.
        func isPart(of origin: Origin, _ responder: ResponderKey) -> Bool {
            !isProxy && self.responder == responder && self.origin == origin
        }
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
        /// The folders of the space at whose paths the server has accepted a credential, the oldest first.
        var folders: [ProtectedFolder] = []
    }

    private struct ProtectedFolder: Sendable {
        /// Ends with a slash.
        let path: String
        let credential: Credential
    }

    private struct State {
        var answers: [Space: Answer] = [:]
        var answerCount = 0
    }

    /// Servers choose their realms, so the number of realms has no bound. Removing an answer costs a refusal and a call
    /// of the responder, and removing a folder a refusal.
    private static let maximumCount = 256
    private static let maximumFolders = 16

    private let state = Lock(State())
    private let questions = WorkCoalescer<Question, Answer>()

    /// The number of answers so far, which separates later answers from earlier ones.
    var now: Int { state.withLock { $0.answerCount } }

    /// Returns the credential to send with a request that has none of its own before its server asks for one; `nil` if
    /// none is known.
    func proof(for request: TransferRequest, responder: ScopedResponder) -> CredentialProof? {
        guard request.credential == nil, request.headers[.authorization] == nil,
            request.url.user(percentEncoded: true) == nil,
            let origin = Origin(request.url.absoluteString), let path = Self.path(of: request.url)
        else { return nil }
        let key = responder.key
        return state.withLock { state in
            var (length, proof): (Int, CredentialProof?) = (0, nil)
            // Its responder has the address of the present one, which is held by the caller.
            for (space, answer) in state.answers where space.isPart(of: origin, key) && !answer.responder.isReleased {
                for folder in answer.folders where path.hasPrefix(folder.path) && folder.path.utf8.count > length {
                    length = folder.path.utf8.count
                    proof = CredentialProof(credential: folder.credential, realms: space.realms, isUnasked: true)
                }
            }
            return proof
        }
    }

    /// Records that a server has accepted a credential for a URL.
    func noteAcceptance(of proof: CredentialProof, for url: URL, responder: ScopedResponder) {
        guard let origin = Origin(url.absoluteString), let path = Self.path(of: url),
            let end = path.lastIndex(of: "/")
        else { return }
        let folder = String(path[...end])
        let key = responder.key
        let space = Space(origin: origin, isProxy: false, realms: proof.realms, responder: key)
        state.withLock { state in
            let spaces = state.answers.keys.filter { $0.isPart(of: origin, key) }
            let isKnown = spaces.contains { space in
                state.answers[space]?.folders.contains {
                    folder.hasPrefix($0.path) && $0.credential == proof.credential
                } ?? false
            }
            if isKnown { return }
            for space in spaces { state.answers[space]?.folders.removeAll { $0.path == folder } }
            // The answer may have been removed meanwhile.
            guard var folders = state.answers[space]?.folders else { return }
            folders.append(ProtectedFolder(path: folder, credential: proof.credential))
            if folders.count > Self.maximumFolders { folders.removeFirst() }
            state.answers[space]?.folders = folders
        }
    }

    /// Records that a server no longer accepts a credential.
    func noteRejection(of proof: CredentialProof, for url: URL, responder: ScopedResponder) {
        guard let origin = Origin(url.absoluteString), let path = Self.path(of: url) else { return }
        let key = responder.key
        state.withLock { state in
            for space in state.answers.keys.filter({ $0.isPart(of: origin, key) }) {
                state.answers[space]?.folders.removeAll {
                    path.hasPrefix($0.path) && $0.credential == proof.credential
                }
            }
        }
    }

    /// Returns the credential to try next; `nil` lets the server's refusal stand.
    ///
    /// - Parameters:
    ///   - start: The value of ``now`` when the transfer began. The transfer shares the answer `nil` of a responder if
    ///     it is later than that, not an older one.
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
            var answer = Answer(credential: credential, number: state.answerCount, responder: responder)
            // Released after the lock as well: the answer that it replaces may be the last to hold its responder.
            if let older = state.answers[space] {
                if !older.responder.isReleased { answer.folders = older.folders }
                forgotten[space] = older
            }
            state.answers[space] = answer
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

    /// Returns the path of a URL; `nil` if it may lead out of the folders it names: "/a/../b" is sent as "/b".
    private static func path(of url: URL) -> String? {
        let path = url.path(percentEncoded: true)
        let lowercased = path.lowercased()
        if lowercased.contains("/.") || lowercased.contains("/%2e") { return nil }
        return path.isEmpty ? "/" : path
    }
}

/// A credential from a responder, and the realms that it is for.
struct CredentialProof: Sendable, Hashable {
    let credential: Credential
    /// The realms of the challenges it answers.
    let realms: [ExactString?]
    /// A Boolean value that indicates whether it is sent before the server has asked for it.
    var isUnasked = false
}
