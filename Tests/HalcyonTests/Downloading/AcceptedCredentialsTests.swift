import FoundationEssentials
import HalcyonHTTP
import HalcyonSystem
import Testing

@testable import Halcyon

@Suite("the credentials that servers have accepted")
struct AcceptedCredentialsTests {
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

        func credential(for demand: AuthenticationDemand) async throws -> Credential? { nil }

        static func == (left: Responder, right: Responder) -> Bool { left.name == right.name }

        func hash(into hasher: inout Hasher) {
            hasher.combine(name)
        }
    }

    @Test("release responders whose deinitializers may read them, when there are too many and when one is refused")
    func lastRelease() throws {
        let accepted = AcceptedCredentials()
        let endings = Lock(0)
        let url = try #require(URL(string: "https://images.test/a"))
        let proof = CredentialProof(credential: .bearer("token"), realms: [])
        let lasting = Self.scoped("lasting", Account {})
        func scoped(_ name: String) -> ScopedResponder {
            Self.scoped(
                name,
                Account {
                    _ = accepted.proof(for: TransferRequest(url: url), responder: lasting)
                    endings.withLock { $0 += 1 }
                }
            )
        }
        for number in 0..<300 { accepted.add(proof, for: url, responder: scoped("\(number)")) }
        #expect(endings.withLock { $0 } == 256)
        do {
            // Equal to the one that is kept, but another value.
            let equal = scoped("299")
            #expect(accepted.proof(for: TransferRequest(url: url), responder: equal) != nil)
            accepted.remove(proof, for: url, responder: equal)
        }
        #expect(endings.withLock { $0 } == 258)
    }

    @Test("are not sent for a user whose name differs in its bytes alone")
    func equivalentAudiences() throws {
        let accepted = AcceptedCredentials()
        let url = try #require(URL(string: "https://images.test/a"))
        let hook = Self.scoped("any", Account {}).hook
        // "é" as one scalar and as two.
        let responders = ["caf\u{e9}", "cafe\u{301}"].map { ScopedResponder(hook: hook, audience: $0) }
        accepted.add(CredentialProof(credential: .bearer("token"), realms: []), for: url, responder: responders[0])
        #expect(accepted.proof(for: TransferRequest(url: url), responder: responders[0]) != nil)
        #expect(accepted.proof(for: TransferRequest(url: url), responder: responders[1]) == nil)
    }

    private static func scoped(_ name: String, _ account: Account) -> ScopedResponder {
        let responder = Responder(name: name, account: account)
        return ScopedResponder(
            hook: Hook(responder as any DownloadHooks, identity: responder),
            audience: nil
        )
    }
}
