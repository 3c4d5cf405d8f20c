import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonTesting
import Testing

@Suite("redirects")
struct RedirectTests {
    @Test("are followed, and only the last response is delivered")
    func chain() async throws {
        try await withServer { request in
            switch request.path {
            case "/0": .redirect(to: "/1", status: 301)
            case "/1": .redirect(to: "2?x=y", status: 307)
            case "/2?x=y": .init(body: [9])
            default: .init(404)
            }
        } _: { server, transport in
            let receiver = await receive(transport, TransferRequest.patient(url: server.url("/0")))
            #expect(receiver.response?.status == 200)
            #expect(receiver.response?.url == server.url("/2?x=y"))
            #expect(receiver.body == Data([9]))
            let metrics = try await receiver.result().get()
            #expect(metrics.redirectCount == 2)
            #expect(receiver.sendCount == 1)
            #expect(metrics.firstByte > .zero && metrics.firstByte <= metrics.total)
            #expect(receiver.violations == [])
        }
    }

    @Test("end at the limit", arguments: [0, 1, 5])
    func limit(maximum: Int) async throws {
        try await withServer { _ in
            .redirect(to: "/again")
        } _: { server, transport in
            var request = TransferRequest.patient(url: server.url())
            request.limits.redirects = maximum
            #expect(await receive(transport, request).failure() == .tooManyRedirects(maximum: maximum))
            #expect(server.requests.count == maximum + 1)
        }
    }

    @Test(
        "to other schemes are refused",
        arguments: ["file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/"]
    )
    func foreignScheme(target: String) async throws {
        try await withServer { _ in
            .redirect(to: target)
        } _: { server, transport in
            let receiver = await receive(transport, TransferRequest.patient(url: server.url()))
            guard case .redirectRefused(let message) = await receiver.failure() else {
                Issue.record("not refused: \(await receiver.result())")
                return
            }
            #expect(message.contains(target) && message.contains("127.0.0.1:\(server.port)"))
            #expect(receiver.response == nil && receiver.body.isEmpty)
        }
    }

    @Test("take credentials along within an origin, and leave them behind on the way to another")
    func credentials() async throws {
        let other = try OriginServer { _ in .init(body: [1]) }
        defer { other.stop() }
        let target = other.url("/there").absoluteString
        try await withServer { request in
            request.path == "/near" ? .redirect(to: "/far") : .redirect(to: target)
        } _: { server, transport in
            let headers: HTTPFields = [.authorization: "Bearer secret", .cookie: "a=b", .accept: "image/*"]
            let receiver = await receive(transport, TransferRequest.patient(url: server.url("/near"), headers: headers))
            #expect(receiver.response?.status == 200)
            #expect(server.requests.map { $0.headers[.authorization] } == ["Bearer secret", "Bearer secret"])
            #expect(server.requests.map { $0.headers[.cookie] } == ["a=b", "a=b"])
            let final = try #require(other.requests.first)
            #expect(final.headers[.authorization] == nil)
            #expect(final.headers[.cookie] == nil)
            #expect(final.headers[.accept] == "image/*")
        }
    }

    @Test("do not bring credentials back to where they began")
    func thereAndBack() async throws {
        try await withServer { request in
            request.path == "/back" ? .init(body: [1]) : .redirect(to: request.headers[.referer] ?? "")
        } _: { server, transport in
            let back = server.url("/back").absoluteString
            let other = try OriginServer { _ in .redirect(to: back) }
            defer { other.stop() }
            let headers: HTTPFields = [
                .authorization: "Bearer secret", .cookie: "a=b", .proxyAuthorization: "Basic x",
                .referer: other.url("/there").absoluteString,
            ]
            let receiver = await receive(transport, .patient(url: server.url("/start"), headers: headers))
            #expect(receiver.response?.status == 200)
            #expect(receiver.response?.url.absoluteString == back)
            #expect(server.requests.map { $0.headers[.authorization] } == ["Bearer secret", nil])
            #expect(server.requests.map { $0.headers[.cookie] } == ["a=b", nil])
            #expect(server.requests.map { $0.headers[.proxyAuthorization] } == ["Basic x", nil])
        }
    }

    @Test("tell the response all that they say about using it again")
    func rules() async throws {
        let answers: OriginServer.Handler = { request in
            switch request.path {
            case "/first": .redirect(to: "/second", headers: [.cacheControl: "no-cache, max-age=90", .vary: "Accept"])
            case "/second": .redirect(to: "/third", headers: [.cacheControl: "max-age=60", .vary: "DPR"])
            default: .init(body: [1])
            }
        }
        try await withServer(answers) { server, transport in
            let receiver = await receive(transport, .patient(url: server.url("/first")))
            let rules = try #require(receiver.response?.redirects)
            #expect(rules.lifetime == 60 && rules.mustBeAsked && !rules.mustRevalidate)
            #expect(rules.vary == ["Accept", "DPR"])
            let direct = await receive(transport, .patient(url: server.url("/third")))
            #expect(direct.response?.redirects == nil)
        }
    }

    @Test("are asked for each time, whatever they led to, unless they let themselves be kept", arguments: [302, 301])
    func cachedChain(status: Int) async throws {
        let answers: OriginServer.Handler = { request in
            if request.path == "/first" { return .redirect(to: "/image", status: status) }
            let headers: HTTPFields = [.cacheControl: "max-age=600", .eTag: "\"a\""]
            return request.headers[.ifNoneMatch] == nil
                ? .init(headers: headers, body: [1]) : .init(304, headers: headers)
        }
        var cacheRules = HTTPCacheRules()
        cacheRules.defaultLifetime = .seconds(600)
        let fixture = CachingFixture(cacheRules)
        try await withServer(answers) { server, transport in
            let request = TransferRequest.patient(url: server.url("/first"))
            #expect(try await fixture.response(to: request, over: transport).source == .network)
            let second = try await fixture.response(to: request, over: transport).source
            #expect(second == (status == 301 ? .stored : .validated))
        }
    }

    @Test("vary the response that they led to")
    func varyingChain() async throws {
        let answers: OriginServer.Handler = { request in
            let wanted = request.headers[.accept] ?? ""
            guard request.path == "/first" else { return .init(headers: [.cacheControl: "max-age=60"], body: [1]) }
            return .redirect(
                to: "/\(wanted)",
                headers: [.cacheControl: "max-age=60", .vary: wanted == "any" ? "*" : "Accept"]
            )
        }
        let fixture = CachingFixture()
        try await withServer(answers) { server, transport in
            var sources: [HTTPCacheResponse.Source] = []
            for accept in ["avif", "png", "avif", "any", "any"] {
                let request = TransferRequest.patient(url: server.url("/first"), headers: [.accept: accept])
                sources.append(try await fixture.response(to: request, over: transport).source)
            }
            #expect(sources == [.network, .network, .stored, .network, .network])
        }
    }

    @Test("rewrite the method as browsers do", arguments: [301, 302, 303, 307, 308])
    func methods(status: Int) async throws {
        try await withServer { request in
            request.path == "/to" ? .init(body: [1]) : .redirect(to: "/to", status: status)
        } _: { server, transport in
            let request = TransferRequest.patient(
                url: server.url("/from"),
                method: .post,
                headers: [.contentType: "text/plain", .accept: "image/*"],
                body: Data([1, 2, 3])
            )
            #expect(await receive(transport, request).failure() == nil)
            let final = try #require(server.requests.last)
            let isKept = status >= 307
            #expect(final.method == (isKept ? "POST" : "GET"))
            #expect(final.body == (isKept ? [1, 2, 3] : []))
            #expect(final.headers[.contentType] == (isKept ? "text/plain" : nil))
            #expect(final.headers[.accept] == "image/*")
        }
    }

    @Test("are not what other statuses with a target mean", arguments: [300, 304, 305, 306])
    func otherStatuses(status: Int) async throws {
        try await withServer { _ in
            .redirect(to: "/elsewhere", status: status)
        } _: { server, transport in
            let receiver = await receive(transport, .patient(url: server.url()))
            #expect(await receiver.failure() == nil)
            #expect(receiver.response?.status == status)
            #expect(receiver.response?.headers[.location] == "/elsewhere")
            #expect(server.requests.count == 1)
        }
    }

    @Test("are the response where a request wants them to be")
    func unfollowed() async throws {
        try await withServer { _ in
            .init(302, headers: [.location: "/elsewhere"], body: [1, 2])
        } _: { server, transport in
            var request = TransferRequest.patient(url: server.url())
            request.followsRedirects = false
            let receiver = await receive(transport, request)
            #expect(receiver.response?.status == 302)
            #expect(receiver.response?.headers[.location] == "/elsewhere")
            #expect(receiver.body == Data([1, 2]))
            #expect(server.requests.count == 1)
        }
    }

    enum BadBody: CaseIterable {
        case endless, announced, silent, broken
    }

    @Test("are not held up by their bodies", arguments: BadBody.allCases)
    func bodies(kind: BadBody) async throws {
        let location: HTTPFields = [.location: "/to"]
        try await withServer { request in
            guard request.path == "/from" else { return .init(body: [1]) }
            let length: HTTPFields = [.location: "/to", .contentLength: "1000000000"]
            return switch kind {
            case .endless: .scripted(302, headers: location, .endless([UInt8](repeating: 1, count: 4096)))
            case .announced: .scripted(302, headers: length, .awaitDisconnect(opening: Gate()))
            case .silent: .scripted(302, headers: location, .bytes([1]), .awaitDisconnect(opening: Gate()))
            case .broken: .scripted(302, headers: length, .bytes([1]), .reset)
            }
        } _: { server, transport in
            let receiver = await receive(transport, .patient(url: server.url("/from")))
            #expect(await receiver.failure() == nil)
            #expect(receiver.response?.status == 200)
            #expect(receiver.body == Data([1]))
        }
    }

    @Test("use their connection again if the body is short")
    func reuse() async throws {
        try await withServer { request in
            request.path == "/to"
                ? .init(body: [1]) : .init(302, headers: [.location: "/to"], body: [UInt8](repeating: 1, count: 1000))
        } _: { server, transport in
            let receiver = await receive(transport, .patient(url: server.url("/from")))
            let metrics = try await receiver.result().get()
            #expect(metrics.isReusedConnection)
            #expect(server.connectionCount == 1)
        }
    }

    @Test("count against the total time and the header bytes of one transfer")
    func bounds() async throws {
        try await withServer { request in
            guard request.path != "/silent" else { return .silence }
            let padding = String(repeating: "p", count: 1000)
            let target = request.path == "/slow" ? "/silent" : "/again"
            return .redirect(to: target, headers: [.server: padding])
        } _: { server, transport in
            var request = TransferRequest.patient(url: server.url("/again"))
            request.limits.redirects = 100
            request.limits.headerBytes = 10_000
            #expect(await receive(transport, request).failure() == .headersTooLarge(maximum: 10_000))
            #expect((2...10).contains(server.requests.count))
            request.url = server.url("/slow")
            request.timeouts.total = .milliseconds(500)
            #expect(await receive(transport, request).failure() == .timedOut(.total))
        }
    }

    @Test("wait for their turn at a host that is full, and end there at their deadline or when cancelled")
    func queuedHop() async throws {
        let arrived = Gate()
        let release = Gate()
        let redirected = Gate()
        let full = try OriginServer { _ in
            .init(steps: [.open(arrived), .wait(release)] + OriginServer.Response().steps)
        }
        defer { full.stop() }
        defer { release.open() }
        let target = full.url("/target").absoluteString
        try await withServer(configuration: .init(maximumTransfersPerHost: 1)) { request in
            request.path == "/cancelled"
                ? .init(steps: OriginServer.Response.redirect(to: target).steps + [.open(redirected)])
                : .redirect(to: target)
        } _: { server, transport in
            let blocker = RecordingReceiver()
            _ = transport.start(.patient(url: full.url()), receiver: blocker)
            await arrived.wait()
            var request = TransferRequest.patient(url: server.url())
            request.timeouts.total = .milliseconds(300)
            #expect(await receive(transport, request).failure() == .timedOut(.total))
            let receiver = RecordingReceiver()
            let transfer = transport.start(.patient(url: server.url("/cancelled")), receiver: receiver)
            await redirected.wait()
            transfer.cancel()
            #expect(await receiver.failure() == .cancelled)
            #expect(full.requests.count == 1)
            release.open()
            #expect(await blocker.failure() == nil)
        }
    }

    @Test("leave a user name and password of the URL behind on the way to another origin")
    func userInformation() async throws {
        let other = try OriginServer { _ in .init(body: [1]) }
        defer { other.stop() }
        let target = other.url("/there").absoluteString
        try await withServer { _ in
            .redirect(to: target)
        } _: { server, transport in
            let url = try #require(URL(string: "http://user:word@127.0.0.1:\(server.port)/"))
            _ = await receive(transport, TransferRequest.patient(url: url))
            #expect(server.requests.first?.headers[.authorization]?.hasPrefix("Basic ") == true)
            #expect(other.requests.count == 1)
            #expect(other.requests.first?.headers[.authorization] == nil)
            // Neither does the next transfer inherit them.
            _ = await receive(transport, TransferRequest.patient(url: other.url()))
            #expect(other.requests.last?.headers[.authorization] == nil)
        }
    }

    @Test("that say no valid target are an error, and a 3xx without a target is a response")
    func oddTargets() async throws {
        try await withServer { request in
            request.path == "/bad" ? .redirect(to: "http://") : .init(302, body: [5])
        } _: { server, transport in
            let bad = await receive(transport, TransferRequest.patient(url: server.url("/bad")))
            guard case .malformedResponse = await bad.failure() else {
                Issue.record("\(await bad.result())")
                return
            }
            let none = await receive(transport, TransferRequest.patient(url: server.url("/none")))
            #expect(none.response?.status == 302)
            #expect(none.body == Data([5]))
        }
    }
}
