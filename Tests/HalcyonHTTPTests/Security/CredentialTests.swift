import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonTesting
import Testing

@Suite("a credential")
struct CredentialTests {
    @Test(
        "of the request is sent with it",
        arguments: [
            (Credential.basic(user: "Aladdin", password: "open sesame"), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            (.basic(user: "ü", password: ":é"), "Basic w7w6OsOp"), (.basic(user: "", password: ""), "Basic Og=="),
            (.bearer("abc.def-_~+/="), "Bearer abc.def-_~+/="),
        ]
    )
    func request(credential: Credential, expected: String) async throws {
        try await withServer { _ in
            .init()
        } _: { server, transport in
            var request = TransferRequest.patient(url: server.url())
            request.credential = credential
            _ = await receive(transport, request)
            #expect(server.requests.map { $0.headers[.authorization] } == [expected])
            // The next transfer, on the same handle and connection, has none.
            _ = await receive(transport, .patient(url: server.url()))
            #expect(server.requests.last?.headers[.authorization] == nil)
        }
    }

    @Test("that only looks like another is another one")
    func equivalentNames() throws {
        let names = ["caf\u{e9}", "cafe\u{301}"]
        let kinds: [(String) -> Credential] = [
            { .basic(user: $0, password: "a") }, { .basic(user: "a", password: $0) },
            { .digest(user: $0, password: "a") }, { .bearer($0) },
        ]
        for kind in kinds {
            let credentials = names.map(kind)
            #expect(credentials[0] == credentials[0] && credentials[0] != credentials[1])
            #expect(Set(credentials).count == 2)
        }
        #expect(Credential.basic(user: "a", password: "b") != .digest(user: "a", password: "b"))
    }

    @Test("of the request follows redirects within its origin and stays behind on the way to another")
    func redirects() async throws {
        let other = try OriginServer { _ in .init() }
        defer { other.stop() }
        let target = other.url("/there").absoluteString
        for credential in [Credential.basic(user: "a", password: "b"), .bearer("c"), .digest(user: "a", password: "b")]
        {
            try await withServer { request in
                request.path == "/near" ? .redirect(to: "/far") : .redirect(to: target)
            } _: { server, transport in
                var request = TransferRequest.patient(url: server.url("/near"))
                request.credential = credential
                #expect(await receive(transport, request).response?.status == 200)
                if case .digest = credential { return }
                #expect(server.requests.count == 2)
                #expect(server.requests.allSatisfy { $0.headers[.authorization] != nil })
            }
        }
        #expect(other.requests.count == 3)
        #expect(other.requests.allSatisfy { $0.headers[.authorization] == nil })
    }

    @Test("of the transport is sent to its host, or host and port, and to no other")
    func perHost() async throws {
        let other = try OriginServer { _ in .init() }
        defer { other.stop() }
        let server = try OriginServer { request in
            request.path == "/leave" ? .redirect(to: "http://127.0.0.1:\(other.port)/") : .init()
        }
        defer { server.stop() }
        var configuration = CurlTransport.Configuration()
        configuration.credentials = ["127.0.0.1:\(server.port)": .bearer("a"), "LocalHost": .bearer("b")]
        let transport = CurlTransport(configuration: configuration)
        defer { transport.shutdown() }
        _ = await receive(transport, .patient(url: server.url("/leave")))
        #expect(server.requests.last?.headers[.authorization] == "Bearer a")
        #expect(other.requests.map { $0.headers[.authorization] } == [nil])
        let local = try #require(URL(string: "http://localhost:\(other.port)/"))
        _ = await receive(transport, .patient(url: local))
        #expect(other.requests.last?.headers[.authorization] == "Bearer b")
        // Who comes by a redirect gets what the transport has for the place.
        _ = await receive(transport, .patient(url: other.url()))
        #expect(other.requests.last?.headers[.authorization] == nil)
    }

    @Test("of the header goes before that of the request, that before the URL's, that before the transport's")
    func precedence() async throws {
        try await withServer { _ in
            .init()
        } _: { server, _ in
            var configuration = CurlTransport.Configuration()
            configuration.credentials = ["127.0.0.1": .bearer("transport")]
            let transport = CurlTransport(configuration: configuration)
            defer { transport.shutdown() }
            let plain = TransferRequest.patient(url: server.url())
            var named = plain
            named.url = try #require(URL(string: "http://us%40er:p%3Aw@127.0.0.1:\(server.port)/"))
            var proved = named
            proved.credential = .bearer("request")
            var explicit = proved
            explicit.headers[.authorization] = "Token header"
            for request in [plain, named, proved, explicit] { _ = await receive(transport, request) }
            let userAndPassword = Data("us@er:p:w".utf8).base64EncodedString()
            #expect(
                server.requests.map { $0.headers[values: .authorization] } == [
                    ["Bearer transport"], ["Basic \(userAndPassword)"], ["Bearer request"], ["Token header"],
                ]
            )
        }
    }

    @Test("whose user name would be more than one line is refused", arguments: ["a\r\nX-Admin: b", "a\u{7F}", "a\tb"])
    func controlCharacters(user: String) async throws {
        try await withServer { _ in
            .init()
        } _: { server, transport in
            for credential in [Credential.basic(user: user, password: "p"), .digest(user: user, password: "p")] {
                var request = TransferRequest.patient(url: server.url())
                request.credential = credential
                guard case .invalidCredential = await receive(transport, request).failure() else {
                    Issue.record("\(credential) is sent")
                    continue
                }
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test("of the digest kind proves the password without sending it, and the caller sees one response")
    func digest() async throws {
        try await withServer(Self.digestHandler) { server, transport in
            var request = TransferRequest.patient(url: server.url("/x?y"))
            request.credential = .digest(user: "Mufasa", password: "Circle of Life")
            let receiver = await receive(transport, request)
            #expect(receiver.response?.status == 200)
            #expect(receiver.body == Data([1]))
            #expect(receiver.violations == [])
            #expect(server.requests.count == 2)
        }
    }

    @Test(
        "of the digest kind goes through a tunnel, though the server closes the connection after its challenge",
        .enabled(if: SecureServer.isAvailable, "needs nginx and openssl")
    )
    func digestThroughTunnel() async throws {
        try await withServer(Self.digestHandler) { origin, _ in
            let forward = "keepalive_timeout 0; location / { proxy_pass http://127.0.0.1:\(origin.port); }"
            let server = try SecureServer(.init(speaksHTTP2: false, directives: forward))
            let proxy = try ProxyServer(routes: ["images.example:443": server.port])
            defer { proxy.stop() }
            var configuration = CurlTransport.Configuration()
            configuration.proxies = .proxy(Proxy(.http, host: "127.0.0.1", port: proxy.port))
            configuration.trustedHosts = ["images.example"]
            let transport = CurlTransport(configuration: configuration)
            defer { transport.shutdown() }
            var request = TransferRequest.patient(url: try #require(URL(string: "https://images.example/x")))
            request.credential = .digest(user: "Mufasa", password: "Circle of Life")
            let receiver = await receive(transport, request)
            #expect(receiver.response?.status == 200)
            #expect(receiver.response?.headers[.server]?.hasPrefix("nginx") == true)
            #expect(receiver.body == Data([1]))
            #expect(receiver.violations == [])
            #expect(proxy.requests.map(\.method) == ["CONNECT", "CONNECT"])
        }
    }

    @Test("of the digest kind that is wrong leaves the 401 and its body as the response")
    func wrongDigest() async throws {
        try await withServer(Self.digestHandler) { server, transport in
            var request = TransferRequest.patient(url: server.url())
            request.credential = .digest(user: "Mufasa", password: "wrong")
            let receiver = await receive(transport, request)
            #expect(receiver.response?.status == 401)
            #expect(receiver.response?.challenges.first?.realm == "pride")
            #expect(receiver.body == Data("denied".utf8))
            #expect(receiver.violations == [])
        }
    }

    @Test("that is missing makes 401 the response, with the challenges", arguments: [HTTPRequest.Method.get, .head])
    func missing(method: HTTPRequest.Method) async throws {
        try await withServer { request in
            let body = request.method == "HEAD" ? [] : Array("denied".utf8)
            return .init(401, headers: [.wwwAuthenticate: "Basic realm=\"x\", Bearer"], body: body)
        } _: { server, transport in
            for credential in [nil, Credential.digest(user: "a", password: "b")] {
                var request = TransferRequest.patient(url: server.url(), method: method)
                request.credential = credential
                let receiver = await receive(transport, request)
                #expect(receiver.response?.status == 401)
                #expect(receiver.response?.challenges.map(\.scheme) == ["basic", "bearer"])
                #expect(receiver.violations == [])
            }
        }
    }

    @Test(
        "that would become more than one line, or end early, is refused before anything is sent",
        arguments: [
            Credential.bearer("a\r\nX-Evil: 1"), .bearer(""), .bearer("é"), .bearer("a b"),
            .basic(user: "a\0", password: "b"), .basic(user: "a", password: "b\0c"), .basic(user: "a:b", password: "c"),
            .digest(user: "a", password: "\0"),
        ]
    )
    func invalid(credential: Credential) async throws {
        try await withServer { _ in
            .init()
        } _: { server, transport in
            var request = TransferRequest.patient(url: server.url())
            request.credential = credential
            guard case .invalidCredential(let reason) = await receive(transport, request).failure() else {
                Issue.record("sent")
                return
            }
            #expect(reason.contains("127.0.0.1:\(server.port)"))
            #expect(server.requests.isEmpty)
            // The handle is fit for another transfer.
            #expect(await receive(transport, .patient(url: server.url())).response?.status == 200)
        }
    }

    @Test("does not show its secret, and belongs to the identity of a request")
    func identity() throws {
        let url = try #require(URL(string: "http://example.com/"))
        let plain = TransferRequest(url: url)
        var proved = plain
        proved.credential = .basic(user: "user", password: "secret")
        var proxied = plain
        proxied.proxyCredential = .bearer("secret")
        #expect(Set([plain, proved, proxied]).count == 3)
        let certificate = ClientCertificate.pem(certificateFile: "file", passphrase: "secret")
        for value in [proved, proxied, certificate] as [Any] {
            #expect(!String(describing: value).contains("secret") && !String(reflecting: value).contains("secret"))
        }
    }

    /// Checks the answer as RFC 7616, section 3.4.1 computes it.
    @Sendable
    private static func digestHandler(_ request: OriginServer.Request) -> OriginServer.Response {
        let challenge = "Digest realm=\"pride\", nonce=\"7ypf/xlj9X\", qop=\"auth\", algorithm=MD5"
        let denied = OriginServer.Response(
            401,
            headers: [.wwwAuthenticate: challenge],
            body: Array("denied".utf8)
        )
        let fields = request.headers[values: .authorization]
        // The syntax is that of a challenge.
        guard let answer = AuthenticationChallenge.challenges(in: fields).first?.parameters,
            let counter = answer["nc"], let own = answer["cnonce"]
        else { return denied }
        let secret = MD5.hexadecimal("Mufasa:pride:Circle of Life")
        let what = MD5.hexadecimal("\(request.method):\(request.path)")
        let proof = MD5.hexadecimal("\(secret):7ypf/xlj9X:\(counter):\(own):auth:\(what)")
        return answer["response"] == proof ? .init(body: [1]) : denied
    }
}
