import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import HalcyonHTTP

@Suite("an HTTP cache")
struct HTTPCacheTests {
    private let fixture = CachingFixture()

    @Test("answers from the store while a response is fresh, and says how old it is")
    func hit() async throws {
        fixture.serve("one", [.cacheControl: "max-age=60"])
        #expect(try await fixture.get().source == .network)
        fixture.clock.advance(by: 42)
        let hit = try await fixture.get()
        #expect(hit.source == .stored)
        #expect(hit.text == "one")
        #expect(hit.response.headers[.age] == "42")
        fixture.clock.advance(by: 18)
        #expect(try await fixture.get().source == .network)
        #expect(fixture.transport.startedCount == 2)
    }

    @Test("stores no answer to a range or a condition that no key has", arguments: [412, 416])
    func answersToFields(status: Int) async throws {
        fixture.serve("", [.cacheControl: "max-age=60"], status: status)
        let fields: HTTPFields = status == 416 ? [.range: "bytes=10-"] : [.ifMatch: "\"b\""]
        #expect(try await fixture.get(fields).response.status == status)
        fixture.serve("one", [.cacheControl: "max-age=60"])
        let plain = try await fixture.get()
        #expect(plain.source == .network && plain.text == "one")
    }

    @Test("asks whether a stale response is still valid, and takes over what the 304 says")
    func validation() async throws {
        fixture.serve("one", [.cacheControl: "max-age=60", .eTag: "\"a\"", .age: "30", .server: "old"])
        _ = try await fixture.get()
        fixture.clock.advance(by: 60)
        fixture.serve("", [.cacheControl: "max-age=90", .eTag: "\"a\"", .server: "new"], status: 304)
        let validated = try await fixture.get()
        #expect(fixture.lastRequest?.headers[.ifNoneMatch] == "\"a\"")
        #expect(validated.source == .validated)
        #expect(validated.response.status == 200)
        #expect(validated.text == "one")
        #expect(validated.response.headers[.server] == "new")
        #expect(validated.response.headers[.contentLength] == "3")
        fixture.clock.advance(by: 89)
        #expect(try await fixture.get().source == .stored)
        #expect(fixture.transport.startedCount == 2)
    }

    @Test("takes a new response in place of a stale one, and forgets one that the server has no longer")
    func replacement() async throws {
        fixture.serve("one", [.cacheControl: "max-age=60", .eTag: "\"a\""])
        _ = try await fixture.get()
        fixture.clock.advance(by: 61)
        fixture.serve("two", [.cacheControl: "max-age=60", .eTag: "\"b\""])
        #expect(try await fixture.get().text == "two")
        #expect(try await fixture.get().text == "two")
        fixture.clock.advance(by: 61)
        fixture.serve("three", [.cacheControl: "no-store"])
        #expect(try await fixture.get().text == "three")
        #expect(fixture.storage.heads == [])
    }

    @Test("does not believe a 304 about another response", arguments: [true, false])
    func foreignValidation(isElsewhere: Bool) async throws {
        fixture.serve("one", [.cacheControl: "max-age=60", .eTag: "\"a\""])
        _ = try await fixture.get()
        fixture.clock.advance(by: 61)
        fixture.transport.setRoute(fixture.url, nil)
        async let answer = fixture.get()
        let conditional = await fixture.transport.nextTransfer()
        let elsewhere = isElsewhere ? URL(string: "https://elsewhere.example/") : nil
        conditional.respond(status: 304, headers: isElsewhere ? [:] : [.eTag: "\"z\""], url: elsewhere)
        conditional.finish()
        let plain = await fixture.transport.nextTransfer()
        #expect(plain.request.headers[.ifNoneMatch] == nil)
        plain.answer(.init(body: Data("two".utf8)))
        #expect(try await answer.text == "two")
    }

    @Test("obeys what a request says about age")
    func requestDirectives() async throws {
        fixture.serve("one", [.cacheControl: "max-age=100"])
        _ = try await fixture.get()
        fixture.clock.advance(by: 50)
        #expect(try await fixture.get([.cacheControl: "max-age=50, min-fresh=50"]).source == .stored)
        #expect(try await fixture.get([.cacheControl: "max-age=49"]).source == .network)
        fixture.clock.advance(by: 50)
        #expect(try await fixture.get([.cacheControl: "min-fresh=51"]).source == .network)
    }

    @Test("validates a fresh response on demand, but not one that never changes")
    func revalidation() async throws {
        let revalidate = HTTPCachePolicy(lookup: .revalidate)
        fixture.serve("one", [.cacheControl: "max-age=60, immutable", .eTag: "\"a\""])
        _ = try await fixture.get()
        #expect(try await fixture.get(policy: revalidate).source == .stored)
        #expect(try await fixture.get(policy: HTTPCachePolicy(lookup: .reload)).source == .network)
        #expect(fixture.lastRequest?.headers[.ifNoneMatch] == nil)
        fixture.clock.advance(by: 61)
        fixture.serve("", [:], status: 304)
        #expect(try await fixture.get(policy: revalidate).source == .validated)
    }

    @Test("keeps several representations of one URL apart")
    func variants() async throws {
        fixture.serve("english", [.cacheControl: "max-age=60", .vary: "Accept-Language"])
        _ = try await fixture.get([.acceptLanguage: "en"])
        fixture.serve("deutsch", [.cacheControl: "max-age=60", .vary: "Accept-Language"])
        _ = try await fixture.get([.acceptLanguage: "de"])
        #expect(try await fixture.get([.acceptLanguage: "en"]).text == "english")
        #expect(try await fixture.get([.acceptLanguage: "de"]).text == "deutsch")
        #expect(fixture.transport.startedCount == 2)
    }

    @Test("keeps a part that nobody asked for, and that is everything, as the whole")
    func unaskedWhole() async throws {
        let fields: HTTPFields = [.cacheControl: "max-age=60", .contentRange: "bytes 0-2/3", .contentLength: "3"]
        fixture.serve("one", fields, status: 206)
        #expect(try await fixture.get().response.status == 200)
        let hit = try await fixture.get()
        #expect(hit.source == .stored && hit.text == "one")
        #expect(hit.response.status == 200 && hit.response.headers[.contentRange] == nil)
    }

    @Test("leaves out the fields that must not be used again unseen")
    func noCacheFields() async throws {
        fixture.serve("one", [.cacheControl: "max-age=60, no-cache=\"set-cookie\"", .setCookie: "a=b"])
        #expect(try await fixture.get().response.headers[.setCookie] == "a=b")
        #expect(try await fixture.get().response.headers[.setCookie] == nil)
    }

    @Test("takes the word of a 304 for what is named with a user or another fragment", arguments: ["user", "fragment"])
    func validationOfSameName(part: String) async throws {
        fixture.serve("one", [.cacheControl: "max-age=60", .eTag: "\"a\""])
        _ = try await fixture.get()
        fixture.clock.advance(by: 60)
        let text = fixture.url.absoluteString
        let other = part == "user" ? text.replacing("://", with: "://me:secret@") : text + "#y"
        let request = TransferRequest(url: try #require(URL(string: other)))
        fixture.transport.setRoute(request.url, .init(status: 304, headers: [.cacheControl: "max-age=60"]))
        #expect(try await fixture.response(to: request).source == .validated)
        #expect(fixture.transport.startedCount == 2)
        #expect(try await fixture.response(to: request).source == .stored)
        #expect(fixture.storage.heads.allSatisfy { $0.url == fixture.url })
    }

    @Test("answers whole, whatever conditions and range a request has, and stores no part")
    func whole() async throws {
        fixture.serve("234", [.cacheControl: "max-age=60", .contentRange: "bytes 2-4/10"], status: 206)
        #expect(try await fixture.get([.range: "bytes=2-4"]).response.status == 206)
        fixture.serve("0123456789", [.cacheControl: "max-age=60", .eTag: "\"a\""])
        #expect(try await fixture.get().source == .network)
        for fields: HTTPFields in [[.range: "bytes=2-4"], [.ifNoneMatch: "\"a\""], [.ifMatch: "\"b\""]] {
            let answer = try await fixture.get(fields)
            #expect(answer.source == .stored && answer.response.status == 200)
            #expect(answer.text == "0123456789")
        }
    }

    @Test("does not store a redirect to another spelling of its own name")
    func redirectToOwnName() async throws {
        let written = try #require(URL(string: fixture.url.absoluteString.replacing("picture", with: "%70icture")))
        let other = try #require(URL(string: "https://images.example/other"))
        for (target, isStored) in [(fixture.url, false), (other, true)] {
            let headers: HTTPFields = [.cacheControl: "max-age=1000", .location: target.absoluteString]
            fixture.transport.setRoute(written, .init(status: 301, headers: headers))
            _ = try await fixture.response(to: TransferRequest(url: written))
            #expect(fixture.storage.heads.isEmpty == !isStored)
        }
    }

    @Test("works over real connections")
    func realConnections() async throws {
        try await withServer { request in
            let isKnown = request.headers[.ifNoneMatch] == "\"a\""
            let headers: HTTPFields = [.cacheControl: "max-age=60", .eTag: "\"a\"", .connection: "keep-alive"]
            return isKnown ? .init(304, headers: headers) : .init(headers: headers, body: [1, 2, 3])
        } _: { server, transport in
            let request = TransferRequest.patient(url: server.url("/picture"))
            #expect(try await fixture.response(to: request, over: transport).source == .network)
            #expect(try await fixture.response(to: request, over: transport).source == .stored)
            fixture.clock.advance(by: 61)
            let validated = try await fixture.response(to: request, over: transport)
            #expect(validated.source == .validated)
            #expect(validated.data == Data([1, 2, 3]))
            #expect(server.requests.count == 2)
            server.stop()
            fixture.clock.advance(by: 61)
            #expect(try await fixture.response(to: request, over: transport).source == .staleBecauseOfFailure)
        }
    }
}
