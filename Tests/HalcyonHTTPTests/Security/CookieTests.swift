import FoundationEssentials
import HTTPTypes
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

    private static var configuration: CurlTransport.Configuration {
        var configuration = CurlTransport.Configuration()
        configuration.cookies = .inMemory
        return configuration
    }

    @Sendable
    private static func handler(_ request: OriginServer.Request) -> OriginServer.Response {
        request.path == "/set" ? .init(headers: [.setCookie: "name=value; Path=/"]) : .init()
    }
}
