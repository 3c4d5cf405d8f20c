import FoundationEssentials
import HTTPTypes
import HalcyonConcurrency
import HalcyonHTTP
import HalcyonTesting
import Testing

@Suite("cookies")
struct CookieTests {
    @Test("are neither kept nor sent unless that is wanted")
    func none() async throws {
        try await withServer(Self.handler) { server, transport in
            _ = await receive(transport, .patient(url: server.url("/set")))
            _ = await receive(transport, .patient(url: server.url("/get")))
            #expect(server.requests.map { $0.headers[.cookie] } == [nil, nil])
        }
    }

    @Test("in memory are sent back by all transfers of the transport, until they are removed")
    func inMemory() async throws {
        try await withServer(configuration: Self.configuration, Self.handler) { server, transport in
            _ = await receive(transport, .patient(url: server.url("/set")))
            // Several handles at a time.
            let receivers = (0..<4).map { _ in RecordingReceiver() }
            for receiver in receivers { _ = transport.start(.patient(url: server.url("/get")), receiver: receiver) }
            for receiver in receivers { _ = await receiver.result() }
            #expect(server.requests.dropFirst().map { $0.headers[.cookie] } == Array(repeating: "name=value", count: 4))
            transport.removeAllCookies()
            _ = await receive(transport, .patient(url: server.url("/get")))
            #expect(server.requests.last?.headers[.cookie] == nil)
        }
    }

    @Test("are set and sent along a redirect, as their attributes say")
    func attributes() async throws {
        try await withServer(configuration: Self.configuration) { request in
            guard request.path == "/login" else { return .init() }
            return .redirect(
                to: "/inner/page",
                headers: HTTPFields([
                    HTTPField(name: .setCookie, value: "inner=1; Path=/inner"),
                    HTTPField(name: .setCookie, value: "outer=2; Path=/outer"),
                    HTTPField(name: .setCookie, value: "old=3; Max-Age=0; Path=/"),
                    HTTPField(name: .setCookie, value: "foreign=4; Domain=example.com; Path=/"),
                ])
            )
        } _: { server, transport in
            _ = await receive(transport, .patient(url: server.url("/login")))
            #expect(server.requests.map { $0.headers[.cookie] } == [nil, "inner=1"])
        }
    }

    @Test("of a redirect are sent with the next requests of its chain, and are gone with it")
    func chain() async throws {
        try await withServer { request in
            guard request.headers[.cookie] == nil else { return .init(body: [7]) }
            return .redirect(to: request.path, headers: [.setCookie: "wall=1; Path=/"])
        } _: { server, transport in
            for _ in 0..<2 {
                let receiver = await receive(transport, .patient(url: server.url("/wall")))
                #expect(await receiver.failure() == nil)
                #expect(receiver.body == Data([7]))
            }
            #expect(server.requests.map { $0.headers[.cookie] } == [nil, "wall=1", nil, "wall=1"])
            // Below a cache that follows redirects itself, what one response sets is sent with no other.
            let cache = HTTPCache(transport: transport, storage: InMemoryHTTPCacheStorage())
            await #expect(throws: TransferError.tooManyRedirects(maximum: 10)) {
                try await cache.response(for: .patient(url: server.url("/wall")))
            }
            #expect(server.requests.dropFirst(4).allSatisfy { $0.headers[.cookie] == nil })
        }
    }

    @Test("of a chain of redirects go only where RFC 6265 lets them")
    func chainRules() async throws {
        try await withServer { request in
            let port = request.headers.first { $0.name.canonicalName == "host" }?.value.split(separator: ":").last ?? ""
            switch request.path {
            case "/first":
                return .redirect(
                    to: "http://localhost:\(port)/second",
                    headers: HTTPFields([
                        HTTPField(name: .setCookie, value: "own=1; Path=/"),
                        HTTPField(name: .setCookie, value: "foreign=2; Domain=localhost; Path=/"),
                        HTTPField(name: .setCookie, value: "secure=3; Secure; Path=/"),
                        HTTPField(name: .setCookie, value: "inner=5; Path=/inner"),
                        HTTPField(name: .setCookie, value: "old=6; Max-Age=0; Path=/"),
                    ])
                )
            case "/second":
                return .redirect(to: "http://127.0.0.1:\(port)/third", headers: [.setCookie: "other=7; Path=/"])
            case "/third": return .redirect(to: "/inner", headers: [.setCookie: "own=8; Path=/"])
            case "/inner": return .redirect(to: "/last", headers: [.setCookie: "own=; Max-Age=0; Path=/"])
            default: return .init(body: [7])
            }
        } _: { server, transport in
            let receiver = await receive(transport, .patient(url: server.url("/first")))
            #expect(await receiver.failure() == nil)
            #expect(server.requests.map { $0.headers[.cookie] } == [nil, nil, "own=1", "inner=5; own=8", nil])
        }
    }

    @Test("of a chain of redirects go to the host that set them alone, whatever domain they name")
    func chainDomains() throws {
        let fields = HTTPFields([
            HTTPField(name: .setCookie, value: "own=1; Path=/"),
            HTTPField(name: .setCookie, value: "wide=2; Domain=shared.example; Path=/"),
        ])
        func next(_ request: TransferRequest, _ target: String, _ headers: HTTPFields = [:]) throws -> TransferRequest {
            var headers = headers
            headers[.location] = target
            let response = TransferResponse(status: 302, headers: headers, url: request.url, expectedBodyBytes: 0)
            return try #require(try Redirection(response, to: request, after: 0)).request
        }
        let first = TransferRequest(url: try #require(URL(string: "https://a.shared.example/")))
        let second = try next(first, "https://b.shared.example/", fields)
        #expect(second.headers[.cookie] == nil)
        #expect(try next(second, "https://shared.example/").headers[.cookie] == nil)
        #expect(try next(second, "https://a.shared.example/x").headers[.cookie] == "own=1; wide=2")
    }

    @Test("of a chain of redirects do not keep it from ending, and stay within limits")
    func endlessChain() async throws {
        let count = Lock(0)
        try await withServer { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            let fields = (0..<100).map { HTTPField(name: .setCookie, value: "n\(number * 100 + $0)=1; Path=/") }
            return .redirect(to: "/", headers: HTTPFields(fields))
        } _: { server, transport in
            let receiver = await receive(transport, .patient(url: server.url()))
            #expect(await receiver.failure() == .tooManyRedirects(maximum: 10))
            #expect(server.requests.count == 11)
            let cookies = server.requests.map { $0.headers[.cookie]?.split(separator: ";").count ?? 0 }
            #expect(cookies == [0] + Array(repeating: 50, count: 10))
        }
    }

    @Test("of a chain of redirects are none where the request has its own")
    func chainOfOwn() async throws {
        try await withServer { request in
            request.path == "/end" ? .init() : .redirect(to: "/end", headers: [.setCookie: "wall=1; Path=/"])
        } _: { server, transport in
            _ = await receive(transport, .patient(url: server.url("/start"), headers: [.cookie: "own=1"]))
            #expect(server.requests.map { $0.headers[.cookie] } == ["own=1", "own=1"])
        }
    }

    @Test("of one host are not sent to another, nor shared between transports")
    func hosts() async throws {
        try await withServer(configuration: Self.configuration, Self.handler) { server, transport in
            _ = await receive(transport, .patient(url: server.url("/set")))
            let other = try #require(URL(string: "http://localhost:\(server.port)/get"))
            _ = await receive(transport, .patient(url: other))
            let stranger = CurlTransport(configuration: Self.configuration)
            defer { stranger.shutdown() }
            _ = await receive(stranger, .patient(url: server.url("/get")))
            #expect(server.requests.map { $0.headers[.cookie] } == [nil, nil, nil])
        }
    }

    @Test("of a request's own header are the only ones sent, and its response sets none")
    func ownHeader() async throws {
        try await withServer(configuration: Self.configuration, Self.handler) { server, transport in
            _ = await receive(transport, .patient(url: server.url("/set"), headers: [.cookie: "own=1"]))
            _ = await receive(transport, .patient(url: server.url("/get")))
            _ = await receive(transport, .patient(url: server.url("/set")))
            _ = await receive(transport, .patient(url: server.url("/get"), headers: [.cookie: "own=2"]))
            _ = await receive(transport, .patient(url: server.url("/get")))
            #expect(
                server.requests.map { $0.headers[values: .cookie] }
                    == [["own=1"], [], [], ["own=2"], ["name=value"]]
            )
        }
    }

    @Test("of one host are kept up to 50, the newest, and those of another host stay")
    func hostLimit() async throws {
        try await withServer(configuration: Self.configuration, Self.handler) { server, transport in
            let other = try #require(URL(string: "http://localhost:\(server.port)"))
            _ = await receive(transport, .patient(url: other.appending(path: "set")))
            for first in [0, 40, 80, 120] {
                _ = await receive(transport, .patient(url: server.url("/set/\(first)/40")))
            }
            _ = await receive(transport, .patient(url: server.url("/get")))
            let names = server.requests.last?.headers[.cookie]?.components(separatedBy: "; ") ?? []
            #expect(Set(names) == Set((110..<160).map { "c\($0)=v" }))
            _ = await receive(transport, .patient(url: other.appending(path: "get")))
            #expect(server.requests.last?.headers[.cookie] == "name=value")
            // And they are as good as before: one is replaced, not doubled.
            _ = await receive(transport, .patient(url: server.url("/set/159/1")))
            _ = await receive(transport, .patient(url: server.url("/get")))
            #expect(server.requests.last?.headers[.cookie]?.components(separatedBy: "; ").count == 50)
        }
    }

    @Test("of all hosts together are kept up to 3,000, and hosts with few of them keep these")
    func totalLimit() async throws {
        let server = try OriginServer(handler: Self.handler)
        defer { server.stop() }
        var configuration = Self.configuration
        let hosts = (0..<70).map { "host\($0).test" }
        configuration.overrides.addresses = (hosts + ["modest.test"]).map { "\($0):\(server.port):127.0.0.1" }
        let transport = CurlTransport(configuration: configuration)
        defer { transport.shutdown() }
        func get(_ host: String, _ path: String) async throws -> Int {
            let url = try #require(URL(string: "http://\(host):\(server.port)\(path)"))
            _ = await receive(transport, .patient(url: url))
            return server.requests.last?.headers[.cookie]?.components(separatedBy: "; ").count ?? 0
        }
        _ = try await get("modest.test", "/set")
        for host in hosts { _ = try await get(host, "/set/0/45") }
        var count = 0
        for host in hosts { count += try await get(host, "/get") }
        let modest = try await get("modest.test", "/get")
        #expect(modest == 1)
        #expect(count + modest <= 3_000)
        #expect(count > 2_900)
    }

    @Test("of more than 4,096 bytes, attributes included, are not kept")
    func size() async throws {
        let path = "/" + String(repeating: "p", count: 1_500)
        try await withServer(configuration: Self.configuration) { request in
            guard request.path == path + "/set" else { return .init() }
            let value = String(repeating: "v", count: 3_000)
            return .init(
                headers: HTTPFields([
                    HTTPField(name: .setCookie, value: "long=\(value); Path=\(path)"),
                    HTTPField(name: .setCookie, value: "short=\(value); Path=/"),
                ])
            )
        } _: { server, transport in
            _ = await receive(transport, .patient(url: server.url(path + "/set")))
            _ = await receive(transport, .patient(url: server.url(path + "/get")))
            #expect(server.requests.last?.headers[.cookie]?.prefix(6) == "short=")
        }
    }

    @Test("keep their attributes when others beyond the limit are removed")
    func attributesAfterRemoval() async throws {
        try await withServer(configuration: Self.configuration) { request in
            guard request.path == "/login" else { return Self.handler(request) }
            return .init(
                headers: HTTPFields([
                    HTTPField(name: .setCookie, value: "inner=1; Path=/inner; HttpOnly"),
                    HTTPField(name: .setCookie, value: "lasting=3; Path=/; Max-Age=3600"),
                    HTTPField(name: .setCookie, value: "empty=; Path=/"),
                ])
            )
        } _: { server, transport in
            for first in [0, 40] { _ = await receive(transport, .patient(url: server.url("/set/\(first)/40"))) }
            _ = await receive(transport, .patient(url: server.url("/login")))
            for path in ["/inner/page", "/outer"] {
                _ = await receive(transport, .patient(url: server.url(path)))
                let names = Set(server.requests.last?.headers[.cookie]?.components(separatedBy: "; ") ?? [])
                #expect(names.isSuperset(of: ["lasting=3", "empty="]))
                #expect(names.contains("inner=1") == (path == "/inner/page"))
            }
        }
    }

    private static var configuration: CurlTransport.Configuration {
        var configuration = CurlTransport.Configuration()
        configuration.cookies = .inMemory
        return configuration
    }

    @Sendable
    private static func handler(_ request: OriginServer.Request) -> OriginServer.Response {
        if request.path == "/set" { return .init(headers: [.setCookie: "name=value; Path=/"]) }
        // "/set/FIRST/COUNT" sets so many cookies, named by their numbers.
        let numbers = request.path.split(separator: "/").compactMap { Int($0) }
        guard request.path.hasPrefix("/set/"), numbers.count == 2 else { return .init() }
        let fields = (numbers[0]..<(numbers[0] + numbers[1])).map { number in
            HTTPField(name: .setCookie, value: "c\(number)=v; Path=/")
        }
        return .init(headers: HTTPFields(fields))
    }
}
