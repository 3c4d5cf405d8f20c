import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import HalcyonHTTP

@Suite("an HTTP cache with a stale response")
struct StaleResponseTests {
    private let fixture = CachingFixture()

    @Test("answers at once for as long as stale-while-revalidate says")
    func staleWhileRevalidate() async throws {
        fixture.serve("one", [.cacheControl: "max-age=60, stale-while-revalidate=60", .eTag: "\"a\""])
        _ = try await fixture.get()
        fixture.clock.advance(by: 90)
        let answer = try await fixture.get()
        #expect(answer.source == .staleWhileRevalidating && answer.text == "one")
        #expect(fixture.transport.startedCount == 1)
    }

    @Test("waits for validation once stale-while-revalidate is over, or the request wants more")
    func noStaleWhileRevalidate() async throws {
        fixture.serve("one", [.cacheControl: "max-age=60, stale-while-revalidate=60"])
        _ = try await fixture.get()
        fixture.clock.advance(by: 90)
        #expect(try await fixture.get([.cacheControl: "max-age=100"]).source == .network)
        fixture.clock.advance(by: 121)
        #expect(try await fixture.get().source == .network)
    }

    @Test("serves stale responses when the server cannot be reached, unless that is forbidden")
    func disconnected() async throws {
        fixture.serve("one", [.cacheControl: "max-age=60"])
        _ = try await fixture.get()
        fixture.clock.advance(by: 1000)
        fixture.failing()
        #expect(try await fixture.get().source == .staleBecauseOfFailure)
        await #expect(throws: TransferError.self) { try await fixture.get([.cacheControl: "no-cache"]) }
        await #expect(throws: TransferError.self) {
            try await fixture.get(policy: HTTPCachePolicy(staleIfError: .never))
        }
        fixture.failing(.bodyTooLarge(maximum: 1))
        await #expect(throws: TransferError.bodyTooLarge(maximum: 1)) { try await fixture.get() }
    }

    @Test("never serves a stale response that must be validated", arguments: ["must-revalidate", "no-cache"])
    func mustRevalidate(directive: String) async throws {
        fixture.serve("one", [.cacheControl: "max-age=0, stale-if-error=1000, \(directive)"])
        _ = try await fixture.get()
        fixture.clock.advance(by: 1)
        fixture.failing()
        await #expect(throws: TransferError.self) {
            try await fixture.get([.cacheControl: "max-stale"], policy: HTTPCachePolicy(staleIfError: .always))
        }
        #expect(try await fixture.get(policy: HTTPCachePolicy(lookup: .offline)).response.status == 504)
    }

    @Test("covers server failures for as long as stale-if-error says")
    func staleIfError() async throws {
        fixture.serve("one", [.cacheControl: "max-age=60, stale-if-error=60"])
        _ = try await fixture.get()
        fixture.clock.advance(by: 119)
        fixture.serve("broken", [:], status: 503)
        #expect(try await fixture.get().text == "one")
        fixture.clock.advance(by: 2)
        #expect(try await fixture.get().response.status == 503)
        #expect(try await fixture.get(policy: HTTPCachePolicy(staleIfError: .always)).text == "one")
        fixture.failing()
        await #expect(throws: TransferError.self) { try await fixture.get() }
        fixture.serve("gone", [:], status: 404)
        #expect(try await fixture.get().text == "gone")
    }

    @Test("passes a cancellation on, whatever is stored")
    func cancellation() async throws {
        fixture.serve("one", [.cacheControl: "max-age=0"])
        _ = try await fixture.get()
        fixture.clock.advance(by: 1)
        fixture.transport.setRoute(fixture.url, nil)
        let fixture = fixture
        let task = Task { try await fixture.get() }
        _ = await fixture.transport.nextTransfer()
        task.cancel()
        await #expect(throws: TransferError.cancelled) { try await task.value }
    }

    @Test("answers without the network when asked to, or says that it cannot")
    func offline() async throws {
        #expect(try await fixture.get(policy: HTTPCachePolicy(lookup: .offline)).source == .unavailable)
        #expect(try await fixture.get([.cacheControl: "only-if-cached"]).response.status == 504)
        fixture.serve("one", [.cacheControl: "max-age=60"])
        _ = try await fixture.get()
        #expect(try await fixture.get([.cacheControl: "only-if-cached"]).source == .stored)
        fixture.clock.advance(by: 100)
        #expect(try await fixture.get([.cacheControl: "only-if-cached"]).source == .unavailable)
        #expect(try await fixture.get(policy: HTTPCachePolicy(lookup: .offline)).source == .stale)
        #expect(try await fixture.get([.cacheControl: "only-if-cached, max-stale=40"]).source == .stale)
        #expect(fixture.transport.startedCount == 1)
    }
}
