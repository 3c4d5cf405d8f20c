import FoundationEssentials
import HTTPTypes
import Testing

@testable import HalcyonHTTP

@Suite("what may be stored")
struct StorabilityTests {
    private let fixture = CachingFixture()

    private func isStored(
        _ headers: HTTPFields,
        status: Int = 200,
        request: HTTPFields = [:]
    ) -> Bool {
        fixture.stored(headers, status: status, request: fixture.request(request)) != nil
    }

    @Test("is any final status with a lifetime, and a few without")
    func statuses() {
        for status in [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501] { #expect(isStored([:], status: status)) }
        for status in [201, 202, 302, 307, 400, 403, 500, 502, 503, 599] {
            #expect(!isStored([:], status: status))
            #expect(isStored([.cacheControl: "max-age=1"], status: status))
        }
        for status in [100, 206, 304] { #expect(!isStored([.cacheControl: "max-age=1"], status: status)) }
    }

    @Test("is nothing that forbids it, on either side")
    func noStore() {
        #expect(!isStored([.cacheControl: "max-age=1, no-store"]))
        #expect(!isStored([.cacheControl: "max-age=1"], request: [.cacheControl: "no-store"]))
        #expect(isStored([.cacheControl: "private, max-age=1"], request: [.authorization: "Bearer x"]))
    }

    @Test("is understood where must-understand wants it, whatever no-store says")
    func mustUnderstand() {
        #expect(isStored([.cacheControl: "max-age=1, no-store, must-understand"]))
        #expect(!isStored([.cacheControl: "max-age=1, must-understand"], status: 599))
    }

    @Test("lacks the fields that belong to a connection, and keeps cookies")
    func fields() throws {
        let stored = try #require(
            fixture.stored([
                .connection: "close, X-Mine", .named("X-Mine"): "1", .transferEncoding: "chunked", .upgrade: "h2c",
                .named("Keep-Alive"): "1", .named("Proxy-Authentication-Info"): "a", .setCookie: "a=b", .server: "s",
            ])
        )
        #expect(Set(stored.headers.map(\.name)) == [.setCookie, .server, .date])
    }

    @Test("does not depend on secrets, nor on what nobody knows")
    func vary() {
        #expect(!isStored([.vary: "*"]))
        #expect(!isStored([.vary: ", *"]))
        #expect(!isStored([.vary: "Accept, *"]))
        #expect(isStored([.vary: "Accept, Cookie"]))
        #expect(!isStored([.vary: "Cookie"], request: [.cookie: "secret"]))
        #expect(!isStored([.vary: "Authorization"], request: [.authorization: "secret"]))
        #expect(!isStored([.vary: (0..<65).map { "f\($0)" }.joined(separator: ",")]))
    }

    @Test("chooses by the fields that Vary names, white space and case of languages aside")
    func selection() throws {
        let request = fixture.request([.acceptLanguage: "en, de", .accept: "image/*"])
        let stored = try #require(fixture.stored([.vary: "accept-language, X"], request: request))
        func matches(_ headers: HTTPFields) -> Bool { stored.matches(fixture.request(headers)) }
        #expect(matches([.acceptLanguage: "EN ,de"]))
        #expect(matches([.acceptLanguage: "en, de", .accept: "other"]))
        #expect(!matches([.acceptLanguage: "de, en"]))
        #expect(!matches([:]))
        #expect(!matches([.acceptLanguage: "en, de", .named("X"): ""]))
    }
}
