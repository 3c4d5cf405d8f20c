import FoundationEssentials
import HalcyonHTTP
import HalcyonTesting

/// A server and a transport, both gone when `body` returns.
func withServer<Value>(
    configuration: CurlTransport.Configuration = .init(),
    _ handler: @escaping OriginServer.Handler,
    _ body: (OriginServer, CurlTransport) async throws -> Value
) async throws -> Value {
    let server = try OriginServer(handler: handler)
    defer { server.stop() }
    let transport = CurlTransport(configuration: configuration)
    defer { transport.shutdown() }
    return try await body(server, transport)
}

/// Runs one transfer to its end.
func receive(
    _ transport: any HTTPTransport,
    _ request: TransferRequest,
    receiver: RecordingReceiver = RecordingReceiver()
) async -> RecordingReceiver {
    _ = transport.start(request, receiver: receiver)
    _ = await receiver.result()
    return receiver
}
