import FoundationEssentials
import HalcyonHTTP
import HalcyonSystem
import Testing

@testable import Halcyon

@Suite("the credentials that servers have accepted")
struct AuthenticationAnswersTests {
    /// Calls a function when it is released, as any object of a program may.
    private final class Account: Sendable {
        let onEnd: @Sendable () -> Void

        init(onEnd: @escaping @Sendable () -> Void) {
            self.onEnd = onEnd
        }

        deinit {
            onEnd()
        }
    }

    /// A responder that is a value.
    private struct Responder: DownloadHooks {
        let cacheIdentity: DownloadIdentity? = nil
        let name: String
        let account: Account

        func credential(for demand: AuthenticationDemand) async throws -> Credential? { .bearer("token") }

        static func == (left: Responder, right: Responder) -> Bool { left.name == right.name }

        func hash(into hasher: inout Hasher) {
            hasher.combine(name)
        }
    }

    private let answers = AuthenticationAnswers()
    private let url: URL
    private let proof = CredentialProof(credential: .bearer("token"), realms: [])

    init() throws {
        url = try #require(URL(string: "https://images.test/a"))
    }

    /// Asks a responder, whose answer the server accepts.
    private func accept(_ responder: ScopedResponder) async throws {
        let credential = try await answers.credential(
            for: AuthenticationDemand(url: url, challenges: []),
            since: answers.now,
            responder: responder,
            context: WorkContext(priority: PriorityBox(.normal), report: { _ in })
        )
        #expect(credential == proof.credential)
        answers.noteAcceptance(of: proof, for: url, responder: responder)
    }

    @Test("release responders whose deinitializers may read them, when there are too many", .timeLimit(.minutes(5)))
    func lastRelease() async throws {
        let endings = Lock(0)
        let lasting = Self.scoped("lasting", Account {})
        func scoped(_ name: String) -> ScopedResponder {
            let account = Account { [answers, url] in
                _ = answers.proof(for: TransferRequest(url: url), responder: lasting)
                endings.withLock { $0 += 1 }
            }
            return Self.scoped(name, account)
        }
        for number in 0..<300 { try await accept(scoped("\(number)")) }
        // A question that has been answered lets go of its responder in a moment.
        while !Task.isCancelled, endings.withLock({ $0 }) < 256 { await Task.yield() }
        #expect(endings.withLock { $0 } == 256)
        #expect(answers.proof(for: TransferRequest(url: url), responder: scoped("0")) == nil)
        // Equal to the one that is kept, but another value.
        let equal = scoped("299")
        #expect(answers.proof(for: TransferRequest(url: url), responder: equal)?.credential == proof.credential)
        answers.noteRejection(of: proof, for: url, responder: equal)
        #expect(answers.proof(for: TransferRequest(url: url), responder: equal) == nil)
    }

    @Test("stay with their folders where the responder has another answer for the same realm")
    func folders() async throws {
        let responder = Self.scoped("any", Account {})
        try await accept(responder)
        let other = CredentialProof(credential: .bearer("other"), realms: [])
        let below = url.appending(path: "b/c")
        answers.noteAcceptance(of: other, for: below, responder: responder)
        #expect(answers.proof(for: TransferRequest(url: url), responder: responder)?.credential == proof.credential)
        #expect(answers.proof(for: TransferRequest(url: below), responder: responder)?.credential == other.credential)
        answers.noteRejection(of: proof, for: url, responder: responder)
        #expect(answers.proof(for: TransferRequest(url: url), responder: responder) == nil)
        #expect(answers.proof(for: TransferRequest(url: below), responder: responder)?.credential == other.credential)
    }

    @Test("are not sent for a user whose name differs in its bytes alone")
    func equivalentAudiences() async throws {
        let hook = Self.scoped("any", Account {}).hook
        // "é" as one scalar and as two.
        let responders = ["caf\u{e9}", "cafe\u{301}"].map { ScopedResponder(hook: hook, audience: $0) }
        try await accept(responders[0])
        #expect(answers.proof(for: TransferRequest(url: url), responder: responders[0]) != nil)
        #expect(answers.proof(for: TransferRequest(url: url), responder: responders[1]) == nil)
    }

    private static func scoped(_ name: String, _ account: Account) -> ScopedResponder {
        let responder = Responder(name: name, account: account)
        return ScopedResponder(
            hook: Hook(responder as any DownloadHooks, identity: responder),
            audience: nil
        )
    }
}
