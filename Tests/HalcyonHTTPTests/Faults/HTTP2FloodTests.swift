import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonTesting
import Testing

/// Frames that a server may send without end, and that bring the answer no nearer.
enum Flood: CaseIterable {
    case ping, pingAnswer, settings, windowUpdate, priority, emptyData, data, reset

    /// A frame of it, while that stream waits for its response.
    func frame(stream: Int = 1) -> HTTP2Frame {
        switch self {
        case .ping: HTTP2Frame(.ping, payload: [UInt8](repeating: 1, count: 8))
        case .pingAnswer: HTTP2Frame(.ping, flags: HTTP2Frame.endStream, payload: [UInt8](repeating: 1, count: 8))
        case .settings: .settings()
        case .windowUpdate: HTTP2Frame(.windowUpdate, stream: stream, payload: [0, 0, 0, 1])
        case .priority: HTTP2Frame(.priority, stream: stream, payload: [0, 0, 0, 0, 16])
        case .emptyData: HTTP2Frame(.data, stream: stream)
        // Of no stream that there ever was.
        case .data: HTTP2Frame(.data, stream: 99, payload: [UInt8](repeating: 1, count: 16_000))
        case .reset: HTTP2Frame(.resetStream, stream: 99, payload: [0, 0, 0, 8])
        }
    }
}

@Suite("floods over HTTP/2")
struct HTTP2FloodTests {
    @Test(
        "a flood of frames that bring nothing starves nobody: the idle or total timeout ends it",
        arguments: Flood.allCases
    )
    func floods(_ flood: Flood) async throws {
        try await expectEndOfFlood { request in
            request.connection == 0 ? [.endless(flood.frame())] : HTTP2OriginServer.answer(request.stream)
        }
    }

    @Test(
        "a flood on a connection that has brought a response before ends as well, and the connection with it",
        arguments: Flood.allCases
    )
    func laterFloods(_ flood: Flood) async throws {
        let answered = Gate()
        let ended = Gate()
        try await expectEndOfFlood(after: 1, opening: ended) { request in
            guard answered.isOpen, !ended.isOpen else {
                answered.open()
                return HTTP2OriginServer.answer(request.stream)
            }
            // Also for the request that is sent again, where nghttp2 has had enough of the first flood.
            return [.endless(flood.frame(stream: request.stream))]
        }
    }

    @Test(
        "a transfer that is cancelled before its response leaves no connection for which others wait in vain",
        arguments: [false, true]
    )
    func cancelledBeforeResponse(othersWait: Bool) async throws {
        let arrived = Gate()
        try await withHTTP2Peer { request in
            request.connection == 0 ? [.open(arrived), .awaitDisconnect] : HTTP2OriginServer.answer(request.stream)
        } _: { server, transport in
            let first = RecordingReceiver()
            let transfer = transport.start(.patient(url: server.url()), receiver: first)
            await arrived.wait()
            let second = RecordingReceiver()
            if othersWait { _ = transport.start(.patient(url: server.url()), receiver: second) }
            transfer.cancel()
            #expect(await first.failure() == .cancelled)
            if !othersWait { _ = transport.start(.patient(url: server.url()), receiver: second) }
            #expect(await second.failure() == nil)
            #expect(second.body == Data([7]))
        }
    }

    @Test(
        "a head that goes on for ever in CONTINUATION frames over TLS ends, and leaves other transfers alone",
        .enabled(if: CertifiedServer.isAvailable, "needs openssl")
    )
    func continuationsOverTLS() async throws {
        let server = try HTTP2OriginServer { request in
            let field = HTTP2Frame.block(status: nil, [.contentType: String(repeating: "a", count: 1_000)])
            return [
                .frame(.headers(stream: request.stream, endsHeaders: false)),
                .endless(.continuation(stream: request.stream, block: field, endsHeaders: false)),
            ]
        }
        defer { server.stop() }
        let secured = try CertifiedServer(options: ["-alpn", "h2"], relaysTo: server.port)
        let other = try OriginServer { _ in .init(body: [7]) }
        defer { other.stop() }
        let transport = CurlTransport(configuration: .init(certificateAuthorityFile: secured.certificate))
        defer { transport.shutdown() }
        var request = TransferRequest.patient(url: secured.url())
        request.timeouts.total = .seconds(2)
        let flooded = RecordingReceiver()
        _ = transport.start(request, receiver: flooded)
        #expect(await receive(transport, .patient(url: other.url())).body == Data([7]))
        let failure = await flooded.failure()
        #expect(
            ["timedOut", "connectionLost", "malformedResponse", "headersTooLarge"].contains(failure?.code),
            "\(String(describing: failure))"
        )
        // The flood began, in answer to a request.
        #expect(server.requests.count == 1)
    }

    /// After some good transfers, one meets the flood that the handler sends; it fails, and the next transfer does not.
    private func expectEndOfFlood(
        after goodCount: Int = 0,
        opening ended: Gate = Gate(),
        _ handler: @escaping HTTP2OriginServer.Handler
    ) async throws {
        try await withHTTP2Peer(handler) { server, transport in
            for _ in 0..<goodCount { try await expectGood(server, transport) }
            var request = TransferRequest.patient(url: server.url())
            request.timeouts.total = .milliseconds(500)
            let failure = await receive(transport, request).failure()
            ended.open()
            // nghttp2 may have had enough before.
            #expect(
                ["timedOut", "connectionLost", "malformedResponse"].contains(failure?.code),
                "\(String(describing: failure))"
            )
            try await expectGood(server, transport)
        }
    }
}
