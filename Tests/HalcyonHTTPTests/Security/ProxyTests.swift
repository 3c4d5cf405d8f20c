import FoundationEssentials
import Glibc
import HTTPTypes
import HalcyonHTTP
import HalcyonTesting
import Testing

@Suite("a proxy")
struct ProxyTests {
    private let url = URL(string: "http://images.example/a?b=c")

    @Test("is asked for names that only it knows", arguments: [ProxyServer.Kind.http, .socks5])
    func names(kind: ProxyServer.Kind) async throws {
        let server = try OriginServer { _ in .init(body: [7]) }
        defer { server.stop() }
        let proxy = try ProxyServer(kind, routes: ["images.example:80": server.port])
        defer { proxy.stop() }
        let transport = transport(via: proxy)
        defer { transport.shutdown() }
        let receiver = await receive(transport, .patient(url: try #require(url)))
        #expect(receiver.body == Data([7]))
        #expect(proxy.requests.map(\.target) == [kind == .http ? "http://images.example/a?b=c" : "images.example:80"])
        #expect(server.requests.map(\.path) == ["/a?b=c"])
    }

    @Test("gets its own credential, which the server does not see", arguments: [ProxyServer.Kind.http, .socks5])
    func credentials(kind: ProxyServer.Kind) async throws {
        let server = try OriginServer { _ in .init(body: [7]) }
        defer { server.stop() }
        let proxy = try ProxyServer(kind, routes: ["images.example:80": server.port], user: "me", password: "p w")
        defer { proxy.stop() }
        let transport = transport(via: proxy, .basic(user: "me", password: "p w"))
        defer { transport.shutdown() }
        var request = TransferRequest.patient(url: try #require(url))
        request.credential = .bearer("for-the-server")
        #expect(await receive(transport, request).body == Data([7]))
        #expect(server.requests.map { $0.headers[.authorization] } == ["Bearer for-the-server"])
        #expect(server.requests.map { $0.headers[.proxyAuthorization] } == [nil])

        // One of the request goes before it.
        request.proxyCredential = .basic(user: "me", password: "wrong")
        let wrong = await receive(transport, request)
        if kind == .http {
            #expect(wrong.response?.status == 407)
            #expect(wrong.response?.challenges == [.init(scheme: "basic", parameters: ["realm": "proxy"])])
        } else {
            guard case .cannotConnect = await wrong.failure() else {
                Issue.record("\(await wrong.result())")
                return
            }
        }
        // And is gone with it.
        request.proxyCredential = nil
        #expect(await receive(transport, request).body == Data([7]))
    }

    @Test("that is spoken to by TLS is verified like a server", .enabled(if: SecureServer.isAvailable, "needs nginx"))
    func secureProxy() async throws {
        let server = try OriginServer { _ in .init(body: [7]) }
        defer { server.stop() }
        let forward = "location / { proxy_pass http://127.0.0.1:\(server.port); }"
        let proxy = try SecureServer(.init(speaksHTTP2: false, directives: forward))
        let request = TransferRequest.patient(url: try #require(url))
        func result(_ change: (inout CurlTransport.Configuration) -> Void) async -> RecordingReceiver {
            var configuration = CurlTransport.Configuration()
            configuration.proxies = .proxy(Proxy(.https, host: "127.0.0.1", port: proxy.port))
            change(&configuration)
            let transport = CurlTransport(configuration: configuration)
            defer { transport.shutdown() }
            return await receive(transport, request)
        }
        let stranger = await result { _ in }
        guard case .untrustedServer = await stranger.failure() else {
            Issue.record("\(await stranger.result())")
            return
        }
        #expect(server.requests.isEmpty)
        #expect(await result { $0.certificateAuthorityFile = proxy.certificate }.body == Data([7]))
        #expect(await result { $0.trustedHosts = ["127.0.0.1"] }.body == Data([7]))
        #expect(server.requests.map(\.path) == ["/a?b=c", "/a?b=c"])
    }

    @Test("that wants a credential before it makes a tunnel is an error that tells how to go on")
    func tunnelRefused() async throws {
        let proxy = try ProxyServer(
            user: "me",
            password: "p",
            challenge: "Basic realm=\"Intranet\", Digest realm=\"d\", nonce=\"n\""
        )
        defer { proxy.stop() }
        let transport = transport(via: proxy)
        defer { transport.shutdown() }
        let request = TransferRequest.patient(url: try #require(URL(string: "https://images.example/")))
        let receiver = await receive(transport, request)
        let error = await receiver.failure()
        #expect(
            error
                == .proxyRefused(
                    status: 407,
                    challenges: [
                        .init(scheme: "basic", parameters: ["realm": "Intranet"]),
                        .init(scheme: "digest", parameters: ["realm": "d", "nonce": "n"]),
                    ]
                )
        )
        #expect(error?.description.contains("Intranet") == true)
        #expect(receiver.response == nil)
        #expect(proxy.requests.map(\.target) == ["images.example:443"])
    }

    @Test("that makes no tunnel for another reason says which status it gave")
    func tunnelFails() async throws {
        // Nobody listens on port 1.
        let proxy = try ProxyServer(routes: ["images.example:443": 1])
        defer { proxy.stop() }
        let transport = transport(via: proxy)
        defer { transport.shutdown() }
        let request = TransferRequest.patient(url: try #require(URL(string: "https://images.example/")))
        #expect(await receive(transport, request).failure() == .proxyRefused(status: 502, challenges: []))
    }

    @Test("gets a bearer token, and the tunnel's other end does not")
    func bearer() async throws {
        let server = try OriginServer { _ in .init() }
        defer { server.stop() }
        let proxy = try ProxyServer(routes: ["images.example:80": server.port])
        defer { proxy.stop() }
        let transport = transport(via: proxy)
        defer { transport.shutdown() }
        for address in ["http://images.example/", "https://images.example/"] {
            var request = TransferRequest.patient(url: try #require(URL(string: address)))
            request.proxyCredential = .bearer("token")
            _ = await receive(transport, request)
        }
        #expect(proxy.requests.map { $0.headers[.proxyAuthorization] } == ["Bearer token", "Bearer token"])
        #expect(server.requests.map { $0.headers[.proxyAuthorization] } == [nil])
    }

    @Test(
        "of the SOCKS kind takes no digest and no token",
        arguments: [Credential.bearer("a"), .digest(user: "a", password: "b")]
    )
    func socksCredential(credential: Credential) async throws {
        let proxy = try ProxyServer(.socks5)
        defer { proxy.stop() }
        let transport = transport(via: proxy, credential)
        defer { transport.shutdown() }
        guard case .invalidCredential = await receive(transport, .patient(url: try #require(url))).failure() else {
            Issue.record("not refused")
            return
        }
        #expect(proxy.connectionCount == 0)
    }

    @Test(
        "makes a tunnel for each credential: one made with another, or with none, serves no request",
        .enabled(if: SecureServer.isAvailable, "needs nginx"),
        arguments: [false, true]
    )
    func tunnels(speaksHTTP2: Bool) async throws {
        let server = try SecureServer(body: Data([7]), .init(speaksHTTP2: speaksHTTP2))
        let proxy = try ProxyServer(user: "me", password: "p")
        defer { proxy.stop() }
        let transport = transport(via: proxy, trusting: server.certificate)
        defer { transport.shutdown() }
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/file"))
        func load(_ credential: Credential?) async -> RecordingReceiver {
            var request = TransferRequest.patient(url: url)
            request.proxyCredential = credential
            return await receive(transport, request)
        }
        for _ in 0..<2 { #expect(await load(.basic(user: "me", password: "p")).body == Data([7])) }
        #expect(proxy.requests.count == 1, "the same credential uses the tunnel again")
        for stranger in [Credential.basic(user: "me", password: "wrong"), .bearer("p"), nil] {
            guard case .proxyRefused(status: 407, _) = await load(stranger).failure() else {
                Issue.record("served with \(String(describing: stranger))")
                return
            }
        }
        #expect(await load(.basic(user: "me", password: "p")).body == Data([7]))
    }

    @Test(
        "makes tunnels of their own for bearer tokens that are asked for at the same time",
        .enabled(if: SecureServer.isAvailable, "needs nginx"),
        arguments: [false, true]
    )
    func tokenTunnels(speaksHTTP2: Bool) async throws {
        let server = try SecureServer(body: Data([7]), .init(speaksHTTP2: speaksHTTP2))
        let proxy = try ProxyServer()
        defer { proxy.stop() }
        let transport = transport(via: proxy, trusting: server.certificate)
        defer { transport.shutdown() }
        var request = TransferRequest.patient(url: try #require(URL(string: "https://127.0.0.1:\(server.port)/file")))
        let tokens = ["a", "b", "c"]
        for _ in 0..<2 {
            let receivers = tokens.map { token in
                request.proxyCredential = .bearer(token)
                let receiver = RecordingReceiver()
                _ = transport.start(request, receiver: receiver)
                return receiver
            }
            for receiver in receivers {
                #expect(await receiver.failure() == nil)
                #expect(receiver.body == Data([7]))
            }
        }
        request.proxyCredential = nil
        #expect(await receive(transport, request).body == Data([7]))
        let shown = Set(proxy.requests.map { $0.headers[.proxyAuthorization] })
        #expect(shown == Set(tokens.map { "Bearer \($0)" } + [nil]))
    }

    @Test("is left out for hosts it is not for")
    func bypass() async throws {
        let proxy = try ProxyServer()
        defer { proxy.stop() }
        let server = try OriginServer { _ in .init() }
        defer { server.stop() }
        let transport = transport(via: proxy, bypassing: ["127.0.0.0/8"])
        defer { transport.shutdown() }
        #expect(await receive(transport, .patient(url: server.url())).response?.status == 200)
        #expect(proxy.connectionCount == 0)
        let named = try #require(URL(string: "http://localhost:\(server.port)/"))
        #expect(await receive(transport, .patient(url: named)).response?.status == 200)
        #expect(proxy.requests.count == 1)
    }

    @Test("of the environment is used by default, with its password, and not if there is to be none")
    func environment() async throws {
        let server = try OriginServer { _ in .init() }
        defer { server.stop() }
        let proxy = try ProxyServer(user: "m@e", password: "p:w")
        defer { proxy.stop() }
        var configuration = CurlTransport.Configuration()
        configuration.overrides.environment = ["http_proxy": "http://m%40e:p%3Aw@127.0.0.1:\(proxy.port)/"]
        let usual = CurlTransport(configuration: configuration)
        defer { usual.shutdown() }
        #expect(await receive(usual, .patient(url: server.url())).response?.status == 200)
        #expect(proxy.requests.count == 1)
        configuration.proxies = .none
        let direct = CurlTransport(configuration: configuration)
        defer { direct.shutdown() }
        #expect(await receive(direct, .patient(url: server.url())).response?.status == 200)
        #expect(proxy.requests.count == 1)
    }

    // An exit test has an environment of its own to change.
    #if compiler(>=6.2)
    @Test("is read from the process's environment once, when the transport is made")
    func process() async {
        await #expect(processExitsWith: .success) {
            let server = try OriginServer { _ in .init() }
            let proxy = try ProxyServer()
            setenv("http_proxy", "127.0.0.1:\(proxy.port)", 1)
            unsetenv("no_proxy")
            unsetenv("NO_PROXY")
            let transport = CurlTransport()
            setenv("http_proxy", "127.0.0.1:1", 1)
            setenv("no_proxy", "*", 1)
            _ = try await transport.data(for: .patient(url: server.url()))
            try #require(proxy.requests.count == 1)
            transport.shutdown()
            proxy.stop()
            server.stop()
        }
    }
    #endif

    private func transport(
        via proxy: ProxyServer,
        _ credential: Credential? = nil,
        bypassing exceptions: [String] = [],
        trusting certificate: String? = nil
    ) -> CurlTransport {
        var configuration = CurlTransport.Configuration(certificateAuthorityFile: certificate)
        let kind: Proxy.Kind = proxy.kind == .socks5 ? .socks5 : .http
        configuration.proxies = .proxy(
            Proxy(kind, host: "127.0.0.1", port: proxy.port, credential: credential),
            bypassing: exceptions
        )
        return CurlTransport(configuration: configuration)
    }
}
