import FoundationEssentials
import HalcyonHTTP
import HalcyonTesting
import Testing

@Suite("certificates", .enabled(if: CertifiedServer.isAvailable, "needs openssl"))
struct CertificateTests {
    @Test("are verified against the authorities given as bytes, and those only")
    func authorities() async throws {
        let server = try CertifiedServer()
        let stranger = try CertifiedServer()
        var configuration = CurlTransport.Configuration()
        configuration.certificateAuthorities = try Data(contentsOf: URL(fileURLWithPath: server.certificate))
        let transport = CurlTransport(configuration: configuration)
        defer { transport.shutdown() }
        #expect(await receive(transport, .patient(url: server.url())).response?.status == 200)
        try await expectDistrust(receive(transport, .patient(url: stranger.url())))
    }

    @Test("that hold no authority trust nobody")
    func noAuthorities() async throws {
        let server = try CertifiedServer()
        for bytes in [Data(), Data("no certificate".utf8)] {
            var configuration = CurlTransport.Configuration()
            configuration.certificateAuthorities = bytes
            let transport = CurlTransport(configuration: configuration)
            defer { transport.shutdown() }
            let receiver = await receive(transport, .patient(url: server.url()))
            #expect(receiver.response == nil)
            #expect(["untrustedServer", "tlsFailure"].contains(await receiver.failure()?.code))
        }
    }

    @Test("that have expired are not trusted, whoever signed them, unless their host is trusted as it is")
    func expired() async throws {
        let server = try CertifiedServer(hasExpired: true)
        let strict = transport { $0.certificateAuthorityFile = server.certificate }
        defer { strict.shutdown() }
        let receiver = await receive(strict, .patient(url: server.url()))
        guard case .untrustedServer(let message) = await receiver.failure() else {
            Issue.record("\(await receiver.result())")
            return
        }
        #expect(message.contains("expired"))
        let trusting = transport { $0.trustedHosts = ["127.0.0.1"] }
        defer { trusting.shutdown() }
        #expect(await receive(trusting, .patient(url: server.url())).response?.status == 200)
    }

    @Test("of trusted hosts are not verified, those of the same server by another name are")
    func trustedHosts() async throws {
        let server = try CertifiedServer()
        let transport = transport { $0.trustedHosts = ["LocalHost"] }
        defer { transport.shutdown() }
        for _ in 0..<2 {
            #expect(await receive(transport, .patient(url: server.url("localhost"))).response?.status == 200)
            try await expectDistrust(receive(transport, .patient(url: server.url("127.0.0.1"))))
        }
    }

    @Test("of trusted hosts need not even be for their name")
    func trustedHostOfAnotherName() async throws {
        let server = try CertifiedServer()
        let transport = transport {
            $0.trustedHosts = ["images.example"]
            $0.overrides.addresses = [
                "images.example:\(server.port):127.0.0.1", "sub.images.example:\(server.port):127.0.0.1",
            ]
        }
        defer { transport.shutdown() }
        #expect(await receive(transport, .patient(url: server.url("images.example"))).response?.status == 200)
        try await expectDistrust(receive(transport, .patient(url: server.url("sub.images.example"))))
    }

    @Test("are verified where a trusted host redirects to")
    func trustedHostRedirects() async throws {
        let target = try CertifiedServer()
        let server = try CertifiedServer(
            answer: "HTTP/1.0 302 Found\r\nLocation: \(target.url("127.0.0.1").absoluteString)\r\n\r\n"
        )
        let transport = transport { $0.trustedHosts = ["localhost"] }
        defer { transport.shutdown() }
        var request = TransferRequest.patient(url: server.url("localhost", "/answer"))
        try await expectDistrust(receive(transport, request))
        // It was the redirect's target that was not trusted.
        request.followsRedirects = false
        #expect(await receive(transport, request).response?.status == 302)
    }

    @Test("protect the transport's credential, which no redirect from https to http takes along in the clear")
    func downgrade() async throws {
        let origin = try OriginServer { _ in .init() }
        defer { origin.stop() }
        let server = try CertifiedServer(
            answer: "HTTP/1.0 302 Found\r\nLocation: \(origin.url().absoluteString)\r\n\r\n"
        )
        let transport = transport {
            $0.trustedHosts = ["127.0.0.1"]
            $0.credentials = ["127.0.0.1": .bearer("token")]
        }
        defer { transport.shutdown() }
        _ = await receive(transport, .patient(url: server.url("127.0.0.1", "/answer")))
        // Whoever asks for it in the clear gets it so.
        _ = await receive(transport, .patient(url: origin.url()))
        #expect(origin.requests.map { $0.headers[.authorization] } == [nil, "Bearer token"])
    }

    @Test("of clients are shown to their host, in PEM or PKCS#12", arguments: ["pem", "encrypted pem", "pkcs12"])
    func clientCertificate(container: String) async throws {
        let files = try ClientFiles()
        let server = try CertifiedServer(demand: .required(authority: files.path("certificate.pem")))
        let certificate: ClientCertificate =
            switch container {
            case "pem": .pem(certificateFile: files.path("certificate.pem"), keyFile: files.path("key.pem"))
            case "encrypted pem": .pem(certificateFile: files.path("both.pem"), passphrase: "word")
            default: .pkcs12(file: files.path("client.p12"), passphrase: "word")
            }
        let transport = transport {
            $0.trustedHosts = ["127.0.0.1", "localhost"]
            $0.clientCertificates = ["127.0.0.1:\(server.port)": certificate]
        }
        defer { transport.shutdown() }
        let receiver = await receive(transport, .patient(url: server.url()))
        #expect(receiver.response?.status == 200)
        #expect(!String(decoding: receiver.body, as: UTF8.self).contains(CertifiedServer.anonymous))
        // By another name it is another host, which gets none, and which refuses that.
        #expect(await receive(transport, .patient(url: server.url("localhost"))).failure() != nil)
    }

    @Test("of clients are not shown to another host that asks for them")
    func clientCertificateOfAnotherHost() async throws {
        let files = try ClientFiles()
        let server = try CertifiedServer(demand: .optional(authority: files.path("certificate.pem")))
        let transport = transport {
            $0.trustedHosts = ["127.0.0.1", "localhost"]
            $0.clientCertificates = [
                "localhost": .pem(certificateFile: files.path("certificate.pem"), keyFile: files.path("key.pem"))
            ]
        }
        defer { transport.shutdown() }
        let known = await receive(transport, .patient(url: server.url("localhost")))
        #expect(!String(decoding: known.body, as: UTF8.self).contains(CertifiedServer.anonymous))
        let other = await receive(transport, .patient(url: server.url("127.0.0.1")))
        #expect(String(decoding: other.body, as: UTF8.self).contains(CertifiedServer.anonymous))
    }

    @Test("of clients that cannot be read are a TLS failure", arguments: ["/nonexistent", "both.pem"])
    func unreadableClientCertificate(file: String) async throws {
        let files = try ClientFiles()
        let server = try CertifiedServer()
        let transport = transport {
            $0.trustedHosts = ["127.0.0.1"]
            let path = file.hasPrefix("/") ? file : files.path(file)
            $0.clientCertificates = ["127.0.0.1": .pem(certificateFile: path, passphrase: "wrong")]
        }
        defer { transport.shutdown() }
        #expect(await receive(transport, .patient(url: server.url())).failure()?.code == "tlsFailure")
    }

    @Test("do not help a server that speaks too old a version")
    func version() async throws {
        let server = try CertifiedServer(options: ["-tls1_2"])
        let transport = transport {
            $0.trustedHosts = ["127.0.0.1"]
            $0.minimumTLSVersion = .v1_3
        }
        defer { transport.shutdown() }
        #expect(await receive(transport, .patient(url: server.url())).failure()?.code == "tlsFailure")
        let usual = self.transport { $0.trustedHosts = ["127.0.0.1"] }
        defer { usual.shutdown() }
        #expect(await receive(usual, .patient(url: server.url())).response?.status == 200)
    }

    @Test("are the server's own behind a proxy", arguments: [ProxyServer.Kind.http, .socks5])
    func tunnel(kind: ProxyServer.Kind) async throws {
        let server = try CertifiedServer()
        let proxy = try ProxyServer(kind, routes: ["localhost:443": server.port], user: "me", password: "p")
        defer { proxy.stop() }
        var configuration = CurlTransport.Configuration(certificateAuthorityFile: server.certificate)
        configuration.proxies = .proxy(Proxy(kind == .http ? .http : .socks5, host: "127.0.0.1", port: proxy.port))
        let transport = CurlTransport(configuration: configuration)
        defer { transport.shutdown() }
        var request = TransferRequest.patient(url: try #require(URL(string: "https://localhost/")))
        #expect(await receive(transport, request).failure() != nil)
        request.proxyCredential = .basic(user: "me", password: "p")
        let receiver = await receive(transport, request)
        #expect(receiver.response?.status == 200)
        // The proxy's answer is not taken for the server's.
        #expect(receiver.response?.headers[.contentType] != nil)
        #expect(proxy.requests.last?.target == "localhost:443")
    }

    private func transport(_ change: (inout CurlTransport.Configuration) -> Void) -> CurlTransport {
        var configuration = CurlTransport.Configuration()
        change(&configuration)
        return CurlTransport(configuration: configuration)
    }

    private func expectDistrust(
        _ receiver: RecordingReceiver,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        guard case .untrustedServer = await receiver.failure() else {
            Issue.record("\(await receiver.result())", sourceLocation: sourceLocation)
            return
        }
        #expect(receiver.response == nil, sourceLocation: sourceLocation)
    }
}

/// A client's certificate and key: plain, encrypted with "word" and together in one file, and as PKCS#12.
private final class ClientFiles {
    private let folder = "/tmp/halcyon-client-\(UUID().uuidString)"

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try CertifiedServer.makeCertificate(in: folder, alternatives: "DNS:client")
        try CertifiedServer.run(
            ["pkey", "-in", "key.pem", "-aes256", "-passout", "pass:word", "-out", "locked.pem"],
            folder: folder
        )
        var both = try Data(contentsOf: URL(fileURLWithPath: path("certificate.pem")))
        both += try Data(contentsOf: URL(fileURLWithPath: path("locked.pem")))
        try both.write(to: URL(fileURLWithPath: path("both.pem")))
        try CertifiedServer.run(
            [
                "pkcs12", "-export", "-in", "certificate.pem", "-inkey", "key.pem", "-passout", "pass:word", "-out",
                "client.p12",
            ],
            folder: folder
        )
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }
}
