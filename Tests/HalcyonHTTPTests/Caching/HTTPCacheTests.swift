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

    @Test("takes the word of a 304 for what is named with a user or another fragment", arguments: ["user", "fragment"])
    func validationOfSameName(part: String) async throws {
        fixture.serve("one", [.cacheControl: "max-age=60", .eTag: "\"a\""])
        _ = try await fixture.get()
        fixture.clock.advance(by: 60)
        let text = fixture.url.absoluteString
        let isUser = part == "user"
        let url = try #require(URL(string: isUser ? text.replacing("://", with: "://me:secret@") : text + "#y"))
        if isUser {
            fixture.transport.setRoute(
                url,
                .init(headers: [.cacheControl: "max-age=60", .eTag: "\"a\""], body: Data("one".utf8))
            )
            _ = try await fixture.cache.response(for: TransferRequest(url: url))
            fixture.clock.advance(by: 60)
        }
        fixture.transport.setRoute(url, .init(status: 304, headers: [.cacheControl: "max-age=60"]))
        let count = fixture.transport.startedCount
        #expect(try await fixture.cache.response(for: TransferRequest(url: url)).source == .validated)
        #expect(fixture.transport.startedCount == count + 1)
        #expect(try await fixture.cache.response(for: TransferRequest(url: url)).source == .stored)
    }

    @Test("neither answers a GET with a body nor stores what does", arguments: [HTTPRequest.Method.get, .head])
    func bodies(method: HTTPRequest.Method) async throws {
        for body in ["a", "b"] {
            fixture.serve(body, [.cacheControl: "max-age=60"])
            let request = TransferRequest(url: fixture.url, method: method, body: Data(body.utf8))
            #expect(try await fixture.cache.response(for: request).source == .network)
        }
        fixture.serve("plain", [.cacheControl: "max-age=60"])
        #expect(try await fixture.get().text == "plain")
        let request = TransferRequest(url: fixture.url, method: method, body: Data("c".utf8))
        #expect(try await fixture.cache.response(for: request).source == .network)
        #expect(try await fixture.get().source == .stored)
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
        #expect(fixture.storage.heads(for: fixture.url.absoluteString) == [])
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

    @Test("forgets what an unsafe method changed, on success alone")
    func invalidation() async throws {
        fixture.serve("one", [.cacheControl: "max-age=60"])
        _ = try await fixture.get()
        fixture.serve("", [:], status: 500)
        _ = try await fixture.get(method: .put)
        #expect(try await fixture.get().source == .stored)
        fixture.serve("", [:], status: 204)
        _ = try await fixture.get(method: .put)
        #expect(try await fixture.get().source == .network)
    }

    @Test("forgets what a successful change names, on its own origin alone")
    func namedInvalidation() async throws {
        fixture.serve("one", [.cacheControl: "max-age=60"])
        _ = try await fixture.get()
        let other = try #require(URL(string: "https://images.example/other"))
        let foreign = try #require(URL(string: "https://evil.example/"))
        let route = ScriptedTransport.Route(headers: [.location: "https://images.example/picture#x"])
        fixture.transport.setRoute(foreign, route)
        _ = try await fixture.cache.response(for: TransferRequest(url: foreign, method: .post))
        #expect(try await fixture.get().source == .stored)
        fixture.transport.setRoute(other, route)
        _ = try await fixture.cache.response(for: TransferRequest(url: other, method: .post))
        #expect(try await fixture.get().source == .network)
    }

    @Test("answers conditions of its users with 304")
    func conditions() async throws {
        fixture.serve(
            "one",
            [.cacheControl: "max-age=60", .eTag: "W/\"a\"", .lastModified: "Thu, 01 Jan 2015 00:00:00 GMT"]
        )
        _ = try await fixture.get()
        let match = try await fixture.get([.ifNoneMatch: "\"x\", \"a\""])
        #expect(match.response.status == 304)
        #expect(match.data.isEmpty)
        #expect(try await fixture.get([.ifNoneMatch: "\"x\""]).response.status == 200)
        #expect(try await fixture.get([.ifModifiedSince: "Thu, 01 Jan 2015 00:00:00 GMT"]).response.status == 304)
        #expect(try await fixture.get([.ifModifiedSince: "Wed, 31 Dec 2014 23:59:59 GMT"]).response.status == 200)
        #expect(try await fixture.get([.ifMatch: "\"a\""]).source == .network)
    }

    @Test("answers 304 for any of the tags, of which some have commas, or end in a backslash")
    func tagsInConditions() async throws {
        fixture.serve("one", [.cacheControl: "max-age=60", .eTag: "\"a\""])
        _ = try await fixture.get()
        for tags in ["\"x\\\", \"a\"", "W/\"\\\",\"a\"", "\"x,\", \"a\""] {
            #expect(try await fixture.get([.ifNoneMatch: tags]).response.status == 304, "\(tags)")
        }
        #expect(try await fixture.get([.ifNoneMatch: "\"x\\\", \"y, a\""]).response.status == 200)
    }

    @Test("answers 304 for a tag that ends in a backslash")
    func tagWithBackslash() async throws {
        fixture.serve("one", [.cacheControl: "max-age=60", .eTag: "\"a\\\""])
        _ = try await fixture.get()
        #expect(try await fixture.get([.ifNoneMatch: "\"a\\\", \"b\""]).response.status == 304)
        #expect(try await fixture.get([.ifNoneMatch: "\"a\", \"b\""]).response.status == 200)
    }

    @Test("answers conditions for any success, and for nothing else", arguments: [200, 203, 204, 299, 404, 503])
    func conditionsByStatus(status: Int) async throws {
        fixture.serve("", [.cacheControl: "max-age=60", .eTag: "\"a\""], status: status)
        _ = try await fixture.get()
        let answer = try await fixture.get([.ifNoneMatch: "\"a\""])
        #expect(answer.source == .stored)
        #expect(answer.response.status == ((200..<300).contains(status) ? 304 : status))
    }

    @Test("sends no description of a body with a 304, and keeps it with what is stored")
    func fieldsOfNotModified() async throws {
        fixture.serve("one", [.cacheControl: "max-age=60", .eTag: "\"a\"", .contentType: "image/png", .server: "x"])
        _ = try await fixture.get()
        let answer = try await fixture.get([.ifNoneMatch: "\"a\""])
        #expect(answer.response.status == 304)
        #expect(answer.response.headers[.contentType] == nil && answer.response.headers[.contentLength] == nil)
        #expect(answer.response.headers[.eTag] == "\"a\"" && answer.response.headers[.server] == "x")
        #expect(answer.response.expectedBodyBytes == 0 && answer.data.isEmpty)
        let whole = try await fixture.get()
        #expect(whole.response.headers[.contentType] == "image/png" && whole.text == "one")
    }

    @Test("judges conditions that it kept from the server by what it stores instead", arguments: ["a", "b"])
    func hiddenConditions(tag: String) async throws {
        fixture.serve("one", [.cacheControl: "max-age=60", .eTag: "\"a\""])
        _ = try await fixture.get()
        fixture.clock.advance(by: 61)
        fixture.serve("two", [.cacheControl: "max-age=60", .eTag: "\"b\"", .contentType: "image/png"])
        let answer = try await fixture.get([.ifNoneMatch: "\"\(tag)\""])
        #expect(fixture.lastRequest?.headers[.ifNoneMatch] == "\"a\"")
        #expect(answer.source == .network)
        #expect(answer.response.status == (tag == "b" ? 304 : 200))
        #expect(answer.text == (tag == "b" ? "" : "two"))
        #expect(answer.response.headers[.contentType] == (tag == "b" ? nil : "image/png"))
        let stored = try await fixture.get()
        #expect(stored.source == .stored && stored.text == "two")
    }

    @Test(
        "judges conditions after a validation by what was stored, and not by the server's 304",
        arguments: ["a", "b"]
    )
    func conditionsAfterValidation(tag: String) async throws {
        fixture.serve("one", [.cacheControl: "max-age=60", .eTag: "\"a\""])
        _ = try await fixture.get()
        fixture.clock.advance(by: 61)
        fixture.serve("", [.cacheControl: "max-age=60"], status: 304)
        let answer = try await fixture.get([.ifNoneMatch: "\"\(tag)\""])
        #expect(answer.source == .validated)
        #expect(answer.response.status == (tag == "a" ? 304 : 200))
        #expect(answer.text == (tag == "a" ? "" : "one"))
    }

    @Test("cuts a part out of a whole body, and never takes a part for the whole")
    func ranges() async throws {
        fixture.serve("0123456789", [.cacheControl: "max-age=60", .eTag: "\"a\""])
        _ = try await fixture.get()
        let part = try await fixture.get([.range: "bytes=2-4"])
        #expect(part.response.status == 206)
        #expect(part.text == "234")
        #expect(part.response.headers[.contentRange] == "bytes 2-4/10")
        #expect(try await fixture.get([.range: "bytes=-3"]).text == "789")
        #expect(try await fixture.get([.range: "bytes=8-99"]).text == "89")
        #expect(try await fixture.get([.range: "bytes=10-"]).response.status == 416)
        #expect(try await fixture.get([.range: "bytes=0-1,3-4"]).text == "0123456789")
        #expect(try await fixture.get([.range: "bytes=2-4", .ifRange: "\"b\""]).text == "0123456789")
        fixture.clock.advance(by: 61)
        fixture.serve("234", [.cacheControl: "max-age=60", .contentRange: "bytes 2-4/10"], status: 206)
        #expect(try await fixture.get([.range: "bytes=2-4"]).source == .network)
        fixture.serve("", [:], status: 304)
        #expect(try await fixture.get().text == "0123456789")
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

    @Test("learns from the answer to HEAD what became of a stored response")
    func head() async throws {
        fixture.serve("one", [.cacheControl: "max-age=60", .eTag: "\"a\""])
        _ = try await fixture.get()
        #expect(try await fixture.get(method: .head).data.isEmpty)
        #expect(fixture.transport.startedCount == 1)
        fixture.clock.advance(by: 61)
        fixture.serve("", [.cacheControl: "max-age=60", .eTag: "\"a\"", .contentLength: "3"])
        #expect(try await fixture.get(method: .head).source == .network)
        #expect(try await fixture.get().text == "one")
        fixture.clock.advance(by: 61)
        fixture.serve("", [.cacheControl: "max-age=60", .eTag: "\"b\"", .contentLength: "3"])
        _ = try await fixture.get(method: .head)
        #expect(fixture.storage.heads(for: fixture.url.absoluteString) == [])
    }

    @Test("keeps a redirect for as long as the redirect says, and not as its target does")
    func redirects() async throws {
        let target = try #require(URL(string: "https://cdn.example/one"))
        fixture.transport.setRoute(
            target,
            .init(headers: [.cacheControl: "max-age=1000"], body: Data("one".utf8))
        )
        fixture.serve("", [.cacheControl: "max-age=10", .location: target.absoluteString], status: 302)
        let first = try await fixture.get([.authorization: "secret"])
        #expect(first.text == "one")
        #expect(first.response.url == target)
        #expect(fixture.lastRequest?.headers[.authorization] == nil)
        #expect(try await fixture.get([.authorization: "secret"]).source == .stored)
        #expect(fixture.transport.startedCount == 2)
        fixture.clock.advance(by: 20)
        #expect(try await fixture.get([.authorization: "secret"]).text == "one")
        #expect(fixture.transport.startedCount(fixture.url) == 2)
        #expect(fixture.transport.startedCount(target) == 1)
        fixture.serve("", [.cacheControl: "max-age=10", .location: "/picture"], status: 302)
        fixture.clock.advance(by: 20)
        await #expect(throws: TransferError.tooManyRedirects(maximum: 10)) { try await fixture.get() }
    }

    @Test("follows a redirect to another spelling of its own name, which it does not keep")
    func redirectToOwnName() async throws {
        let written = try #require(URL(string: fixture.url.absoluteString.replacing("picture", with: "%70icture")))
        fixture.transport.setRoute(
            written,
            .init(status: 301, headers: [.cacheControl: "max-age=1000", .location: fixture.url.absoluteString])
        )
        fixture.serve("one", [.cacheControl: "max-age=1000"])
        for source in [HTTPCacheResponse.Source.network, .stored] {
            let response = try await fixture.cache.response(for: TransferRequest(url: written))
            #expect(response.text == "one" && response.source == source)
        }
        #expect(try await fixture.get().source == .stored)
        #expect(fixture.transport.startedCount == 2)
    }

    @Test("works over real connections")
    func realConnections() async throws {
        try await withServer { request in
            let isKnown = request.headers[.ifNoneMatch] == "\"a\""
            let headers: HTTPFields = [.cacheControl: "max-age=60", .eTag: "\"a\"", .connection: "keep-alive"]
            return isKnown ? .init(304, headers: headers) : .init(headers: headers, body: [1, 2, 3])
        } _: { server, transport in
            let clock = fixture.clock
            let cache = HTTPCache(transport: transport, storage: fixture.storage) { clock.date }
            let request = TransferRequest.patient(url: server.url("/picture"))
            #expect(try await cache.response(for: request).source == .network)
            #expect(try await cache.response(for: request).source == .stored)
            clock.advance(by: 61)
            let validated = try await cache.response(for: request)
            #expect(validated.source == .validated)
            #expect(validated.data == Data([1, 2, 3]))
            #expect(server.requests.count == 2)
            server.stop()
            clock.advance(by: 61)
            #expect(try await cache.response(for: request).source == .staleBecauseOfFailure)
        }
    }

    @Test("leaves out the fields that must not be used again unseen")
    func noCacheFields() async throws {
        fixture.serve("one", [.cacheControl: "max-age=60, no-cache=\"set-cookie\"", .setCookie: "a=b"])
        #expect(try await fixture.get().response.headers[.setCookie] == "a=b")
        #expect(try await fixture.get().response.headers[.setCookie] == nil)
    }

    @Test("neither looks nor stores when it is to be passed by")
    func bypass() async throws {
        fixture.serve("one", [.cacheControl: "max-age=60"])
        #expect(try await fixture.get(policy: HTTPCachePolicy(lookup: .bypass)).source == .network)
        #expect(try await fixture.get().source == .network)
        #expect(try await fixture.get(policy: HTTPCachePolicy(lookup: .bypass)).source == .network)
    }

    @Test("follows redirects within what is left of the time and the header bytes of all of them")
    func boundsOfTheWay() async throws {
        let padding = String(repeating: "x", count: 90)
        let target = try #require(URL(string: "https://images.example/b"))
        fixture.serve("", [.location: target.absoluteString, .server: padding], status: 302)
        fixture.transport.setRoute(target, .init(headers: [.server: padding], body: Data([1])))
        var request = fixture.request()
        request.limits.headerBytes = 200
        let expected = TransferError.headersTooLarge(maximum: 200)
        await #expect(throws: expected) { try await fixture.cache.response(for: request) }
        let second = try #require(fixture.lastRequest)
        #expect(second.limits.headerBytes < 200 - 90)
        #expect(second.timeouts.total < TransferTimeouts.standard.total)
        request.limits.headerBytes = 400
        #expect(try await fixture.cache.response(for: request).data == Data([1]))
    }
}
