import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonTesting
import Testing

extension HTTP2OriginServer {
    /// A response whose body is the byte 7.
    static func answer(_ stream: Int) -> [Step] {
        [.frame(.headers(stream: stream, [.contentLength: "1"])), .frame(.data(stream: stream, [7]))]
    }
}

/// A server that speaks HTTP/2 without TLS and a transport that does the same, both gone when `body` returns.
func withHTTP2Peer(
    _ handler: @escaping HTTP2OriginServer.Handler,
    _ body: (HTTP2OriginServer, CurlTransport) async throws -> Void
) async throws {
    let server = try HTTP2OriginServer(handler: handler)
    defer { server.stop() }
    let transport = CurlTransport(configuration: .init(cleartextHTTP2: true))
    defer { transport.shutdown() }
    try await body(server, transport)
}

/// A transfer gets ``HTTP2OriginServer/answer(_:)``.
func expectGood(_ server: HTTP2OriginServer, _ transport: CurlTransport) async throws {
    let good = await receive(transport, .patient(url: server.url()))
    #expect(await good.failure() == nil)
    #expect(good.body == Data([7]))
}
