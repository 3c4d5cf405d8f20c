import FoundationEssentials
import HalcyonConcurrency
import HalcyonHTTP
import Testing

@testable import Halcyon

@Suite("the credentials that servers have accepted")
struct AcceptedCredentialsTests {
    /// A responder that calls a function when it is released, as any object of a program may.
    private final class Responder: AuthenticationResponding {
        let onEnd: @Sendable () -> Void

        init(onEnd: @escaping @Sendable () -> Void) {
            self.onEnd = onEnd
        }

        deinit {
            onEnd()
        }

        func credential(for demand: AuthenticationDemand) async throws -> Credential? { nil }

        static func == (left: Responder, right: Responder) -> Bool { left === right }

        func hash(into hasher: inout Hasher) {
            hasher.combine(ObjectIdentifier(self))
        }
    }

    @Test("release responders whose deinitializers may read them, when there are too many and when one is refused")
    func lastRelease() throws {
        let accepted = AcceptedCredentials()
        let endings = Lock(0)
        let url = try #require(URL(string: "https://images.test/a"))
        let proof = CredentialProof(credential: .bearer("token"), realms: [])
        let lasting = Self.scoped(Responder {}, identity: "lasting")
        func scoped(_ identity: String) -> ScopedResponder {
            let responder = Responder {
                _ = accepted.proof(for: TransferRequest(url: url), responder: lasting)
                endings.withLock { $0 += 1 }
            }
            return Self.scoped(responder, identity: identity)
        }
        for number in 0..<300 { accepted.add(proof, for: url, responder: scoped("\(number)")) }
        #expect(endings.withLock { $0 } == 256)
        // Equal to the one that is kept, but another object, which outlives that one.
        let equal = scoped("299")
        accepted.remove(proof, for: url, responder: equal)
        #expect(endings.withLock { $0 } == 257)
        withExtendedLifetime(equal) {}
    }

    private static func scoped(_ responder: Responder, identity: String) -> ScopedResponder {
        ScopedResponder(hook: Hook(responder as any AuthenticationResponding, identity: identity), audience: nil)
    }
}
