import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonTesting
import Testing

@Suite("limits")
struct LimitTests {
    @Test("a body is refused by its announced length before a byte of it is delivered")
    func announced() async throws {
        try await withServer { _ in
            .scripted(headers: [.contentLength: "1001"])
        } _: { server, transport in
            let receiver = await receive(transport, request(server, bodyBytes: 1000))
            #expect(await receiver.failure() == .bodyTooLarge(maximum: 1000))
            #expect(receiver.response == nil)
        }
    }

    @Test("a body of just the limit passes")
    func exact() async throws {
        let body = [UInt8](repeating: 1, count: 1000)
        try await withServer { _ in
            .chunked(chunks: [body])
        } _: { server, transport in
            let receiver = await receive(transport, request(server, bodyBytes: 1000))
            #expect(await receiver.failure() == nil)
            #expect(receiver.body.count == 1000)
        }
    }

    @Test("an endless body is stopped")
    func endlessBody() async throws {
        try await withServer { _ in
            .scripted(headers: [.contentType: "image/png"], .endless([UInt8](repeating: 1, count: 4096)))
        } _: { server, transport in
            let receiver = await receive(transport, request(server, bodyBytes: 100_000))
            #expect(await receiver.failure() == .bodyTooLarge(maximum: 100_000))
            #expect(receiver.body.count <= 100_000)
        }
    }

    @Test("a gzip bomb is stopped by its decoded size")
    func bomb() async throws {
        try await withServer { _ in
            .scripted(
                headers: [.contentEncoding: "gzip"],
                .bytes(GzipFixture.bombHead),
                .endless([UInt8](repeating: 0, count: 4096))
            )
        } _: { server, transport in
            let receiver = await receive(transport, request(server, bodyBytes: 5 << 20))
            #expect(await receiver.failure() == .bodyTooLarge(maximum: 5 << 20))
            #expect(receiver.body.count > 1 << 20 && receiver.body.count <= 5 << 20)
        }
    }

    @Test("endless header lines are stopped, long or short", arguments: [10, 50_000, 300_000])
    func endlessHeaders(length: Int) async throws {
        let line = Array("X-Padding: \(String(repeating: "a", count: length))\r\n".utf8)
        try await withServer { _ in
            .init(steps: [.bytes(Array("HTTP/1.1 200 OK\r\n".utf8)), .endless(line)])
        } _: { server, transport in
            let receiver = await receive(transport, TransferRequest.patient(url: server.url()))
            guard case .headersTooLarge(let maximum) = await receiver.failure() else {
                Issue.record("\(await receiver.result())")
                return
            }
            #expect(maximum <= 256 << 10)
            #expect(receiver.response == nil)
        }
    }

    @Test("more header fields than anyone sends are stopped, though their bytes are few")
    func floodOfShortFields() async throws {
        try await withServer { _ in
            .init(steps: [.bytes(Array("HTTP/1.1 200 OK\r\n".utf8)), .endless(Array("a:\n".utf8))])
        } _: { server, transport in
            guard case .headersTooLarge = await receive(transport, TransferRequest.patient(url: server.url())).failure()
            else {
                Issue.record("not stopped by the limit of headers")
                return
            }
        }
    }

    @Test("one endless header line is stopped")
    func endlessLine() async throws {
        try await withServer { _ in
            .init(steps: [
                .bytes(Array("HTTP/1.1 200 OK\r\nX: ".utf8)), .endless([UInt8](repeating: 0x61, count: 4096)),
            ])
        } _: { server, transport in
            guard case .headersTooLarge = await receive(transport, TransferRequest.patient(url: server.url())).failure()
            else {
                Issue.record("not stopped by the limit of headers")
                return
            }
        }
    }

    @Test("headers of redirects and informational responses count")
    func headersOfAllResponses() async throws {
        let hints = OriginServer.Response.head(103, headers: [.contentLanguage: String(repeating: "e", count: 500)])
        try await withServer { _ in
            .init(steps: [.endless(hints)])
        } _: { server, transport in
            var request = TransferRequest.patient(url: server.url())
            request.limits.headerBytes = 10_000
            #expect(await receive(transport, request).failure() == .headersTooLarge(maximum: 10_000))
        }
    }

    private func request(_ server: OriginServer, bodyBytes: Int) -> TransferRequest {
        var request = TransferRequest.patient(url: server.url())
        request.limits.bodyBytes = bodyBytes
        return request
    }
}
