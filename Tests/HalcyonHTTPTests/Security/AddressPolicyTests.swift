import FoundationEssentials
import HalcyonHTTP
import HalcyonTesting
import Testing

@Suite("the policy for public addresses only")
struct AddressPolicyTests {
    @Test(
        "lets no connection go to this machine, however its address is written",
        arguments: [
            "127.0.0.1", "127.1", "0x7f.1", "2130706433", "017700000001", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]", "[::]", "localhost", "LOCALHOST", "127.0.0.2",
        ]
    )
    func literals(host: String) async throws {
        try await withServer(configuration: configuration(.publicOnly)) { _ in
            .init()
        } _: { server, transport in
            let url = try #require(URL(string: "http://\(host):\(server.port)/"))
            try await expectRefusal(receive(transport, .patient(url: url)))
            #expect(server.connectionCount == 0)
        }
    }

    @Test("goes by what a name resolves to", arguments: ["127.0.0.1", "[::1]", "127.0.0.1,[::1]"])
    func names(addresses: String) async throws {
        let server = try OriginServer { _ in .init() }
        defer { server.stop() }
        var configuration = configuration(.publicOnly)
        configuration.overrides.addresses = ["images.example:\(server.port):\(addresses)"]
        let transport = CurlTransport(configuration: configuration)
        defer { transport.shutdown() }
        let url = try #require(URL(string: "http://images.example:\(server.port)/"))
        let receiver = await receive(transport, .patient(url: url))
        try await expectRefusal(receiver, mentioning: "images.example:\(server.port)", "loopback")
        #expect(server.connectionCount == 0)
    }

    @Test("holds for redirects", arguments: ["127.0.0.1", "localhost", "2130706433", "inside.example"])
    func redirects(host: String) async throws {
        let inside = try OriginServer { _ in .init(body: [1]) }
        defer { inside.stop() }
        let outside = try OriginServer { _ in .redirect(to: "http://\(host):\(inside.port)/secret") }
        defer { outside.stop() }
        // Stands for a server out there.
        var configuration = configuration(.publicOnly(allowing: ["outside.example"]))
        configuration.overrides.addresses = [
            "outside.example:\(outside.port):127.0.0.1", "inside.example:\(inside.port):127.0.0.1",
        ]
        let transport = CurlTransport(configuration: configuration)
        defer { transport.shutdown() }
        let url = try #require(URL(string: "http://outside.example:\(outside.port)/"))
        try await expectRefusal(receive(transport, .patient(url: url)))
        #expect(outside.requests.count == 1)
        #expect(inside.connectionCount == 0)
    }

    @Test(
        "has exceptions for names, addresses and networks",
        arguments: ["127.0.0.0/8", "127.0.0.1", "0x7f.1", "images.example", "Images.Example"]
    )
    func exceptions(exception: String) async throws {
        let server = try OriginServer { _ in .init(body: [7]) }
        defer { server.stop() }
        var configuration = configuration(.publicOnly(allowing: [exception]))
        configuration.overrides.addresses = ["images.example:\(server.port):127.0.0.1"]
        let transport = CurlTransport(configuration: configuration)
        defer { transport.shutdown() }
        let url = try #require(URL(string: "http://images.example:\(server.port)/"))
        #expect(await receive(transport, .patient(url: url)).body == Data([7]))
        // Nothing else is allowed with it.
        let other = try #require(URL(string: "http://[::1]:\(server.port)/"))
        try await expectRefusal(receive(transport, .patient(url: other)))
    }

    @Test("does not go by the name of another host")
    func exceptionOfAnotherHost() async throws {
        try await withServer(configuration: configuration(.publicOnly(allowing: ["example", "host"]))) { _ in
            .init()
        } _: { server, transport in
            let url = try #require(URL(string: "http://localhost:\(server.port)/"))
            try await expectRefusal(receive(transport, .patient(url: url)))
            #expect(server.connectionCount == 0)
        }
    }

    @Test("is not the default, and leaves nothing to transfers of other transports")
    func any() async throws {
        try await withServer { _ in
            .init(body: [1])
        } _: { server, transport in
            #expect(await receive(transport, .patient(url: server.url())).body == Data([1]))
        }
    }

    @Test("refuses a proxy of this machine, unless it is an exception, and the private targets behind it")
    func proxies() async throws {
        let server = try OriginServer { _ in .init(body: [1]) }
        defer { server.stop() }
        let proxy = try ProxyServer(routes: ["images.example:80": server.port])
        defer { proxy.stop() }
        func transport(_ policy: AddressPolicy) -> CurlTransport {
            var configuration = CurlTransport.Configuration()
            configuration.proxies = .proxy(Proxy(host: "127.0.0.1", port: proxy.port))
            configuration.addresses = policy
            return CurlTransport(configuration: configuration)
        }
        let url = try #require(URL(string: "http://images.example/"))
        let strict = transport(.publicOnly)
        defer { strict.shutdown() }
        try await expectRefusal(receive(strict, .patient(url: url)))
        #expect(proxy.connectionCount == 0)

        let usual = transport(.publicOnly(allowing: ["127.0.0.1"]))
        defer { usual.shutdown() }
        #expect(await receive(usual, .patient(url: url)).body == Data([1]))

        // With the proxy allowed by its name, no address is.
        var configuration = CurlTransport.Configuration()
        configuration.proxies = .proxy(Proxy(host: "proxy.example", port: proxy.port))
        configuration.addresses = .publicOnly(allowing: ["proxy.example"])
        configuration.overrides.addresses = ["proxy.example:\(proxy.port):127.0.0.1"]
        let named = CurlTransport(configuration: configuration)
        defer { named.shutdown() }
        #expect(await receive(named, .patient(url: url)).body == Data([1]))
        let before = proxy.requests.count
        for host in ["10.0.0.1", "0x7f.1", "%31%32%37.1", "[::1]", "localhost", "a.localhost.", "169.254.169.254"] {
            let url = try #require(URL(string: "http://\(host)/"))
            try await expectRefusal(receive(named, .patient(url: url)))
        }
        #expect(proxy.requests.count == before)
    }

    @Test("sees through characters that become an address on the way to a proxy")
    func compatibilityCharacters() {
        let policy = AddressPolicy.publicOnly
        for host in ["１２７.0.0.1", "127。0。0。1", "①②⑦.0.0.1", "%EF%BC%91%32%37.1"] {
            #expect(policy.objection(toProxied: host) != nil, "\(host)")
        }
        for host in ["bücher.example", "例え.jp", "example.com", "8.8.8.8"] {
            #expect(policy.objection(toProxied: host) == nil, "\(host)")
        }
    }

    private func configuration(_ policy: AddressPolicy) -> CurlTransport.Configuration {
        var configuration = CurlTransport.Configuration()
        configuration.addresses = policy
        configuration.proxies = .none
        return configuration
    }

    private func expectRefusal(
        _ receiver: RecordingReceiver,
        mentioning words: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        guard case .addressRefused(let reason) = await receiver.failure() else {
            Issue.record("not refused: \(await receiver.result())", sourceLocation: sourceLocation)
            return
        }
        for word in words { #expect(reason.contains(word), sourceLocation: sourceLocation) }
        #expect(receiver.response == nil, sourceLocation: sourceLocation)
    }
}
