import FoundationEssentials
import HalcyonHTTP
import HalcyonTesting
import Testing

@Suite("TLS and HTTP/2", .enabled(if: SecureServer.isAvailable, "needs nginx and openssl"))
struct SecureTransferTests {
    private let body = Data((0..<30_000).map { UInt8(truncatingIfNeeded: $0) })

    @Test("fifty transfers share one connection")
    func multiplexing() async throws {
        let server = try SecureServer(body: body)
        let transport = CurlTransport(configuration: .init(certificateAuthorityFile: server.certificate))
        defer { transport.shutdown() }
        let request = TransferRequest.patient(url: try url(server))
        let receivers = (0..<50).map { _ in RecordingReceiver() }
        for receiver in receivers { _ = transport.start(request, receiver: receiver) }
        var newConnections = 0
        for receiver in receivers {
            let metrics = try await receiver.result().get()
            #expect(metrics.networkProtocol == "h2")
            #expect(receiver.response?.status == 200)
            #expect(firstDifference(receiver.body, body) == nil)
            #expect(receiver.violations == [])
            if !metrics.isReusedConnection {
                newConnections += 1
                #expect(metrics.secureConnection > metrics.connect)
            }
        }
        #expect(newConnections == 1)
    }

    @Test("a server that says goodbye again and again gets every transfer all the same, on new connections")
    func goodbyes() async throws {
        let server = try SecureServer(body: body, .init(directives: "keepalive_requests 7;"))
        let transport = CurlTransport(configuration: .init(certificateAuthorityFile: server.certificate))
        defer { transport.shutdown() }
        let request = TransferRequest.patient(url: try url(server))
        var newConnections = 0
        for _ in 0..<30 {
            let receivers = (0..<3).map { _ in RecordingReceiver() }
            for receiver in receivers { _ = transport.start(request, receiver: receiver) }
            for receiver in receivers {
                let metrics = try await receiver.result().get()
                #expect(metrics.networkProtocol == "h2")
                #expect(receiver.body == body && receiver.violations == [] && receiver.completionCount == 1)
                if !metrics.isReusedConnection { newConnections += 1 }
            }
        }
        #expect(newConnections > 1)
    }

    @Test("a server that says goodbye after five requests gets each of sixty at once")
    func goodbyesToMany() async throws {
        let server = try SecureServer(body: body, .init(directives: "keepalive_requests 5;"))
        let transport = CurlTransport(configuration: .init(certificateAuthorityFile: server.certificate))
        defer { transport.shutdown() }
        let request = TransferRequest.patient(url: try url(server))
        for _ in 0..<5 {
            let receivers = (0..<60).map { _ in RecordingReceiver() }
            for receiver in receivers { _ = transport.start(request, receiver: receiver) }
            for receiver in receivers {
                let failure = await receiver.failure()
                #expect(failure == nil, "\(String(describing: failure))")
                #expect(receiver.body == body && receiver.violations == [] && receiver.completionCount == 1)
            }
        }
    }

    @Test("cancelling one stream leaves the others alone")
    func cancelStream() async throws {
        let server = try SecureServer(body: body)
        let transport = CurlTransport(configuration: .init(certificateAuthorityFile: server.certificate))
        defer { transport.shutdown() }
        let request = TransferRequest.patient(url: try url(server))
        let receivers = (0..<20).map { _ in RecordingReceiver() }
        let transfers = receivers.map { transport.start(request, receiver: $0) }
        for number in stride(from: 0, to: 20, by: 2) { transfers[number].cancel() }
        for (number, receiver) in receivers.enumerated() {
            let failure = await receiver.failure()
            #expect(failure == nil || (failure == .cancelled && number % 2 == 0))
            if failure == nil { #expect(firstDifference(receiver.body, body) == nil) }
            #expect(receiver.completionCount == 1)
        }
    }

    @Test("a transfer that is cancelled before its response leaves no connection for which the next waits in vain")
    func cancelBeforeResponse() async throws {
        let arrived = Gate()
        try await withServer { request in
            guard request.path == "/held" else { return .init(body: [7]) }
            return .init(steps: [.open(arrived), .awaitDisconnect(opening: Gate())])
        } _: { origin, _ in
            let setting = SecureServer.Setting(directives: "location / { proxy_pass http://127.0.0.1:\(origin.port); }")
            let server = try SecureServer(setting)
            let transport = CurlTransport(configuration: .init(certificateAuthorityFile: server.certificate))
            defer { transport.shutdown() }
            let first = RecordingReceiver()
            let transfer = transport.start(.patient(url: try url(server, "/held")), receiver: first)
            await arrived.wait()
            transfer.cancel()
            #expect(await first.failure() == .cancelled)
            let second = await receive(transport, .patient(url: try url(server, "/next")))
            #expect(await second.failure() == nil)
            #expect(second.body == Data([7]))
        }
    }

    @Test("a certificate that nobody vouches for, or for another name, is not trusted")
    func untrusted() async throws {
        let server = try SecureServer(body: body)
        let stranger = CurlTransport()
        defer { stranger.shutdown() }
        let request = TransferRequest.patient(url: try url(server))
        guard case .untrustedServer(let message) = await receive(stranger, request).failure() else {
            Issue.record("trusted")
            return
        }
        #expect(message.contains("127.0.0.1:\(server.port)"))

        let friend = CurlTransport(configuration: .init(certificateAuthorityFile: server.certificate))
        defer { friend.shutdown() }
        let otherName = try #require(URL(string: "https://localhost:\(server.port)/file"))
        guard case .untrustedServer = await receive(friend, TransferRequest.patient(url: otherName)).failure() else {
            Issue.record("another name was trusted")
            return
        }
    }

    @Test("a TLS greeting that nobody answers is a connect timeout")
    func plainServer() async throws {
        try await withServer { _ in
            .init()
        } _: { server, transport in
            let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
            let request = TransferRequest.patient(url: url, timeouts: .init(connect: .milliseconds(300)))
            #expect(await receive(transport, request).failure() == .timedOut(.connect))
        }
    }

    @Test("a kept connection of a trusted host, which is not verified, serves no host that is to be verified")
    func trustedConnection() async throws {
        let server = try SecureServer(body: body)
        var configuration = CurlTransport.Configuration()
        configuration.trustedHosts = ["localhost"]
        let transport = CurlTransport(configuration: configuration)
        defer { transport.shutdown() }
        let trusted = try #require(URL(string: "https://localhost:\(server.port)/file"))
        for number in 0..<3 {
            let metrics = try await receive(transport, .patient(url: trusted)).result().get()
            #expect(metrics.isReusedConnection == (number > 0))
            let other = await receive(transport, .patient(url: try url(server)))
            guard case .untrustedServer = await other.failure() else {
                Issue.record("\(await other.result())")
                return
            }
        }
    }

    @Test("a server that is reloaded while it serves ends each transfer, or completes it, and serves the next ones")
    func reload() async throws {
        let slow = "limit_rate 20k; limit_rate_after 5k;"
        let server = try SecureServer(body: body, .init(hasMaster: true, directives: slow))
        let transport = CurlTransport(configuration: .init(certificateAuthorityFile: server.certificate))
        defer { transport.shutdown() }
        let request = TransferRequest.patient(url: try url(server))
        for _ in 0..<2 {
            let receivers = (0..<10).map { _ in RecordingReceiver() }
            for receiver in receivers { _ = transport.start(request, receiver: receiver) }
            for receiver in receivers { _ = await receiver.responseHead() }
            server.reload()
            // These meet the server in the middle of it.
            let late = (0..<10).map { _ in RecordingReceiver() }
            for receiver in late { _ = transport.start(request, receiver: receiver) }
            for receiver in receivers + late {
                let failure = await receiver.failure()
                if failure == nil { #expect(firstDifference(receiver.body, body) == nil) }
                #expect(failure == nil || failure?.code == "connectionLost", "\(String(describing: failure))")
                #expect(receiver.completionCount == 1 && receiver.violations == [])
            }
            let next = await receive(transport, request)
            #expect(await next.failure() == nil)
            #expect(firstDifference(next.body, body) == nil)
        }
    }

    private func url(_ server: SecureServer, _ path: String = "/file") throws -> URL {
        try #require(URL(string: "https://127.0.0.1:\(server.port)\(path)"))
    }
}
