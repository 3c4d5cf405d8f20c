import FoundationEssentials
import HTTPTypes
import Halcyon
import HalcyonTesting
import Testing

@testable import HalcyonHTTP

/// Redirects that are followed above the transport, which is asked for each request apart.
@Suite("a credential", .enabled(if: CertifiedServer.isAvailable, "needs openssl"))
struct RedirectedCredentialTests {
    enum Way: CaseIterable {
        case transport, responder, handler, newRequest
    }

    private func load(_ request: TransferRequest, over transport: CurlTransport, _ way: Way) async throws {
        var policy = NetworkPolicy()
        switch way {
        case .transport:
            _ = await receive(transport, request)
            return
        case .responder:
            policy.hooks = Hooks(credential: { _ in nil })
        case .handler:
            policy.hooks = Hooks(redirect: { $0 })
        case .newRequest:
            policy.hooks = Hooks(redirect: { .patient(url: $0.url) })
        }
        _ = try? await ImageDownloader(transport: transport).download(request, policy: policy)
    }

    private func redirect(to url: URL) throws -> CertifiedServer {
        try CertifiedServer(
            answer: "HTTP/1.0 302 Found\r\nLocation: \(url.absoluteString)\r\nContent-Length: 0\r\n\r\n"
        )
    }

    /// A transport that trusts the servers of these tests.
    private func transport(_ change: (inout CurlTransport.Configuration) -> Void) -> CurlTransport {
        var configuration = CurlTransport.Configuration()
        configuration.trustedHosts = ["127.0.0.1"]
        change(&configuration)
        return CurlTransport(configuration: configuration)
    }

    /// A transport that sends what is for https to one proxy, and the rest to another.
    private func transport(over secure: ProxyServer, _ plain: ProxyServer) -> CurlTransport {
        transport {
            $0.overrides.environment = [
                "https_proxy": "http://127.0.0.1:\(secure.port)", "http_proxy": "http://127.0.0.1:\(plain.port)",
            ]
        }
    }

    /// A request with a credential for its proxy.
    private func proxiedRequest(to server: CertifiedServer) -> TransferRequest {
        var request = TransferRequest.patient(url: server.url("127.0.0.1", "/answer"))
        request.proxyCredential = .basic(user: "me", password: "secret")
        return request
    }

    @Test("of the transport is not sent in the clear after a redirect from https", arguments: Way.allCases)
    func downgrade(way: Way) async throws {
        let origin = try OriginServer { _ in .init() }
        defer { origin.stop() }
        let server = try redirect(to: origin.url())
        let transport = transport { $0.credentials = ["127.0.0.1": .bearer("token")] }
        defer { transport.shutdown() }
        try await load(.patient(url: server.url("127.0.0.1", "/answer")), over: transport, way)
        #expect(origin.requests.map { $0.headers[.authorization] } == [nil])
    }

    @Test("of the transport is not sent in the clear on the way from http over https to http", arguments: Way.allCases)
    func detour(way: Way) async throws {
        let last = try OriginServer { _ in .init() }
        defer { last.stop() }
        let server = try redirect(to: last.url())
        let target = server.url("127.0.0.1", "/answer").absoluteString
        let first = try OriginServer { _ in .redirect(to: target) }
        defer { first.stop() }
        let transport = transport { $0.credentials = ["127.0.0.1": .bearer("token")] }
        defer { transport.shutdown() }
        try await load(.patient(url: first.url()), over: transport, way)
        #expect(first.requests.map { $0.headers[.authorization] } == ["Bearer token"])
        #expect(last.requests.map { $0.headers[.authorization] } == [nil])
    }

    @Test("for one proxy is not sent to another that a redirect leads to", arguments: Way.allCases)
    func proxies(way: Way) async throws {
        let origin = try OriginServer { _ in .init() }
        defer { origin.stop() }
        let server = try redirect(to: origin.url())
        let (secure, plain) = (try ProxyServer(), try ProxyServer())
        defer {
            secure.stop()
            plain.stop()
        }
        let transport = transport(over: secure, plain)
        defer { transport.shutdown() }
        try await load(proxiedRequest(to: server), over: transport, way)
        #expect(secure.requests.map { $0.headers[.proxyAuthorization] != nil } == [true])
        #expect(plain.requests.map { $0.headers[.proxyAuthorization] } == [nil])
        #expect(origin.requests.count == 1)
    }

    @Test("that a responder gives for the proxy after a redirect is sent to it")
    func proxyResponder() async throws {
        let origin = try OriginServer { _ in .init(body: [1]) }
        defer { origin.stop() }
        let server = try redirect(to: origin.url())
        let secure = try ProxyServer()
        let plain = try ProxyServer(user: "other", password: "word")
        defer {
            secure.stop()
            plain.stop()
        }
        let transport = transport(over: secure, plain)
        defer { transport.shutdown() }
        var policy = NetworkPolicy()
        policy.hooks = Hooks(credential: { $0.isProxy ? .basic(user: "other", password: "word") : nil })
        let body = try await ImageDownloader(transport: transport).download(proxiedRequest(to: server), policy: policy)
        #expect(body.data == Data([1]))
        let me = "Basic \(Data("me:secret".utf8).base64EncodedString())"
        #expect(plain.requests.allSatisfy { $0.headers[.proxyAuthorization] != me })
    }

    @Test("that a redirect within the origin brought along does not go where a handler leads it")
    func handlerLeaves() async throws {
        let other = try OriginServer { _ in .init() }
        defer { other.stop() }
        let server = try OriginServer { _ in .redirect(to: "/near") }
        defer { server.stop() }
        let transport = CurlTransport()
        defer { transport.shutdown() }
        var request = TransferRequest.patient(url: server.url())
        request.credential = .bearer("token")
        request.headers[.cookie] = "a=b"
        request.headers[.accept] = "image/png"
        var policy = NetworkPolicy()
        policy.hooks = Hooks(redirect: { proposed in
            var proposed = proposed
            proposed.url = other.url()
            return proposed
        })
        _ = try await ImageDownloader(transport: transport).download(request, policy: policy)
        policy.hooks = Hooks(redirect: { proposed in
            var proposed = proposed
            proposed.url = other.url()
            proposed.credential = .bearer("for-the-other")
            return proposed
        })
        _ = try await ImageDownloader(transport: transport).download(request, policy: policy)
        #expect(other.requests.map { $0.headers[.authorization] } == [nil, "Bearer for-the-other"])
        #expect(other.requests.allSatisfy { $0.headers[.cookie] == nil && $0.headers[.accept] == "image/png" })
    }
}

/// Hooks of closures, equal to themselves only.
private final class Hooks: DownloadHooks {
    let cacheIdentity: DownloadIdentity? = nil
    private let redirect: @Sendable (TransferRequest) -> TransferRequest
    private let credential: @Sendable (AuthenticationDemand) -> Credential?

    init(
        redirect: @escaping @Sendable (TransferRequest) -> TransferRequest = { $0 },
        credential: @escaping @Sendable (AuthenticationDemand) -> Credential? = { _ in nil }
    ) {
        self.redirect = redirect
        self.credential = credential
    }

    func request(
        after response: TransferResponse,
        proposed request: TransferRequest
    ) async throws -> TransferRequest? {
        redirect(request)
    }

    func credential(for demand: AuthenticationDemand) async throws -> Credential? { credential(demand) }

    static func == (left: Hooks, right: Hooks) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
