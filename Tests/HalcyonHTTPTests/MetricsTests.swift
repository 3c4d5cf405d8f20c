import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonTesting
import Testing

@Suite("the metrics of a transfer")
struct MetricsTests {
    @Test("tell the moments in their order, the bytes on the wire and the address")
    func plain() async throws {
        try await withServer { request in
            .init(body: [UInt8](repeating: 1, count: 1000))
        } _: { server, transport in
            let request = TransferRequest.patient(url: server.url(), method: .post, body: Data(count: 500))
            let metrics = try await receive(transport, request).result().get()
            #expect(metrics.queued <= metrics.nameLookup && metrics.nameLookup <= metrics.connect)
            #expect(metrics.connect <= metrics.firstByte && metrics.firstByte <= metrics.total)
            #expect(metrics.body == metrics.total - metrics.firstByte)
            #expect(metrics.secureConnection == .zero && metrics.redirected == .zero)
            #expect(metrics.bodyBytesReceived == 1000)
            #expect(metrics.bytesReceived == 1000 + OriginServer.Response.head(headers: [.contentLength: "1000"]).count)
            // At least a line and a Host field, at most what such a request may have beside.
            #expect((540...1000).contains(metrics.bytesSent))
            #expect(metrics.remoteAddress == "127.0.0.1")
            #expect(metrics.remotePort == server.port)

            let next = try await receive(transport, .patient(url: server.url())).result().get()
            #expect(next.isReusedConnection && next.remotePort == server.port)
            #expect(next.bytesSent < 300, "nothing of the transfer before")
        }
    }

    @Test("count the bytes of a body that is sent once, however long it is", arguments: [1, 500, 40_000, 3_000_000])
    func upload(count: Int) async throws {
        try await withServer { _ in
            .init()
        } _: { server, transport in
            let request = TransferRequest.patient(url: server.url(), method: .post, body: Data(count: count))
            let metrics = try await receive(transport, request).result().get()
            #expect((40...500).contains(metrics.bytesSent - count))
        }
    }

    @Test("count all hops of a redirected transfer")
    func redirected() async throws {
        let other = try OriginServer { _ in .init(body: [UInt8](repeating: 1, count: 1000)) }
        defer { other.stop() }
        let redirect = OriginServer.Response(
            302,
            headers: [.location: other.url("/to").absoluteString],
            body: [UInt8](repeating: 2, count: 300)
        )
        guard case .bytes(let redirectBytes) = redirect.steps.first else { return }
        try await withServer { _ in
            redirect
        } _: { server, transport in
            let direct = try await receive(transport, .patient(url: other.url("/to"))).result().get()
            let metrics = try await receive(transport, .patient(url: server.url("/from"))).result().get()
            #expect(metrics.redirectCount == 1)
            #expect(metrics.redirected > .zero && metrics.redirected <= metrics.firstByte)
            // Both hops wait in the queue, and how long depends on what else runs; all of it is before the response.
            #expect(metrics.queued < metrics.firstByte)
            #expect(metrics.bytesReceived == direct.bytesReceived + redirectBytes.count)
            #expect(metrics.bytesSent > direct.bytesSent + 40)
            #expect(metrics.bodyBytesReceived == 1000)
            #expect(metrics.remotePort == other.port && metrics.isReusedConnection)
        }
    }

    @Test("name protocol and TLS", .enabled(if: SecureServer.isAvailable, "needs nginx and openssl"))
    func secure() async throws {
        let server = try SecureServer(body: Data(count: 1000))
        let transport = CurlTransport(configuration: .init(certificateAuthorityFile: server.certificate))
        defer { transport.shutdown() }
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/file"))
        let metrics = try await receive(transport, .patient(url: url)).result().get()
        #expect(metrics.networkProtocol == "h2")
        #expect(metrics.connect < metrics.secureConnection && metrics.secureConnection <= metrics.firstByte)
        #expect(metrics.bytesReceived > 1000 && metrics.bytesSent > 0)
        #expect(metrics.remoteAddress == "127.0.0.1" && metrics.remotePort == server.port)
    }
}
