import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import HalcyonHTTP

@Suite("an HTTP cache, asked with a credential,")
struct CredentialKeyTests {
    private let fixture = CachingFixture()

    private func get(_ change: (inout TransferRequest) -> Void = { _ in }) async throws -> HTTPCacheResponse {
        var request = fixture.request()
        change(&request)
        return try await fixture.cache.response(for: request)
    }

    @Test("answers with what an equal one was given, and never with what another was, or none")
    func isolation() async throws {
        let changes: [(inout TransferRequest) -> Void] = [
            { _ in }, { $0.headers[.authorization] = "a" }, { $0.headers[.authorization] = "b" },
            { $0.headers[.cookie] = "a" }, { $0.credential = .bearer("a") }, { $0.credential = .bearer("b") },
        ]
        for (number, change) in changes.enumerated() {
            fixture.serve("\(number)", [.cacheControl: "max-age=60"])
            #expect(try await get(change).source == .network)
        }
        for (number, change) in changes.enumerated() {
            let answer = try await get(change)
            #expect(answer.source == .stored)
            #expect(answer.text == "\(number)")
        }
    }

    @Test("takes a user name in the URL for one, and keeps it nowhere")
    func user() async throws {
        fixture.transport.setAnswer { request in
            .init(headers: [.cacheControl: "max-age=60"], body: Data(request.url.absoluteString.utf8))
        }
        let urls = ["https://a:secret@images.example/x", "https://b:secret@images.example/x"].compactMap(URL.init)
        for origin in [HTTPCacheResponse.Source.network, .stored] {
            for url in urls {
                let answer = try await get { $0.url = url }
                #expect(answer.source == origin)
                #expect(answer.text == url.absoluteString)
                #expect(origin == .network || answer.response.url.user() == nil)
            }
        }
        #expect(fixture.storage.keys.allSatisfy { $0.hasPrefix("https://images.example/x\0") })
    }

    @Test("forgets what was stored for it and for all after a POST")
    func invalidation() async throws {
        fixture.serve("one", [.cacheControl: "max-age=60"])
        _ = try await get()
        for credential in ["a", "b"] { _ = try await get { $0.credential = .bearer(credential) } }
        _ = try await get {
            $0.credential = .bearer("a")
            $0.method = .post
        }
        #expect(try await get().source == .network)
        #expect(try await get { $0.credential = .bearer("a") }.source == .network)
        #expect(try await get { $0.credential = .bearer("b") }.source == .stored)
    }
}
