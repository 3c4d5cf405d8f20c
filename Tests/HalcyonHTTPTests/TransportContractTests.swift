import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonTesting
import Testing

/// What every transport must do, run against each.
@Suite("every transport")
struct TransportContractTests {
    enum Kind: String, CaseIterable {
        case curl, scripted
    }

    /// Runs `body` with a transport on which `url` answers as `route` says; `hanging` never answers.
    private func with(
        _ kind: Kind,
        _ route: ScriptedTransport.Route = .init(),
        _ body: (any HTTPTransport, _ url: URL, _ hanging: URL) async throws -> Void
    ) async throws {
        switch kind {
        case .curl:
            try await withServer { request in
                request.path == "/hanging"
                    ? .silence : .init(route.status, headers: route.headers, body: Array(route.body))
            } _: { server, transport in
                try await body(transport, server.url("/route"), server.url("/hanging"))
            }
        case .scripted:
            let transport = ScriptedTransport()
            let url = try #require(URL(string: "http://origin.test/route"))
            let hanging = try #require(URL(string: "http://origin.test/hanging"))
            transport.setRoute(url, route)
            try await body(transport, url, hanging)
        }
    }

    @Test("delivers head, body and end, in this order and once", arguments: Kind.allCases)
    func success(kind: Kind) async throws {
        let route = ScriptedTransport.Route(status: 404, headers: [.eTag: "\"x\""], body: Data([1, 2, 3]))
        try await with(kind, route) { transport, url, _ in
            let receiver = await receive(transport, TransferRequest.patient(url: url))
            #expect(await receiver.failure() == nil)
            #expect(receiver.response?.status == 404)
            #expect(receiver.response?.headers[.eTag] == "\"x\"")
            #expect(receiver.response?.url == url)
            #expect(receiver.response?.expectedBodyBytes == 3)
            #expect(receiver.body == Data([1, 2, 3]))
            #expect(receiver.violations == [])
            #expect(receiver.completionCount == 1)
        }
    }

    @Test("says once that the request is sent, before anything else", arguments: Kind.allCases)
    func sending(kind: Kind) async throws {
        try await with(kind) { transport, url, _ in
            let receiver = await receive(transport, TransferRequest.patient(url: url))
            #expect(await receiver.failure() == nil)
            #expect(receiver.sendCount == 1)
            #expect(receiver.violations == [])
        }
    }

    @Test("delivers no bytes for an empty body", arguments: Kind.allCases)
    func empty(kind: Kind) async throws {
        try await with(kind) { transport, url, _ in
            let receiver = await receive(transport, TransferRequest.patient(url: url))
            #expect(receiver.response?.status == 200)
            #expect(receiver.pieceCount == 0)
            #expect(receiver.violations == [])
        }
    }

    @Test("ends with the receiver's own error", arguments: Kind.allCases)
    func veto(kind: Kind) async throws {
        try await with(kind, .init(body: Data([1]))) { transport, url, _ in
            let receiver = RecordingReceiver(onResponse: { _ throws(TransferError) in throw .responseRefused("no") })
            _ = await receive(transport, TransferRequest.patient(url: url), receiver: receiver)
            #expect(await receiver.failure() == .responseRefused("no"))
            #expect(receiver.pieceCount == 0)
        }
    }

    @Test("keeps to the limit of the body", arguments: Kind.allCases)
    func bodyLimit(kind: Kind) async throws {
        try await with(kind, .init(body: Data(count: 101))) { transport, url, _ in
            var request = TransferRequest.patient(url: url)
            request.limits.bodyBytes = 100
            let receiver = await receive(transport, request)
            #expect(await receiver.failure() == .bodyTooLarge(maximum: 100))
            #expect(receiver.body.isEmpty)
            request.limits.bodyBytes = 101
            #expect(await receive(transport, request).failure() == nil)
        }
    }

    @Test("keeps to the limit of the headers", arguments: Kind.allCases)
    func headerLimit(kind: Kind) async throws {
        try await with(kind, .init(headers: [.server: String(repeating: "s", count: 2000)])) { transport, url, _ in
            var request = TransferRequest.patient(url: url)
            request.limits.headerBytes = 1000
            #expect(await receive(transport, request).failure() == .headersTooLarge(maximum: 1000))
        }
    }

    @Test("completes a cancelled transfer once", arguments: Kind.allCases)
    func cancel(kind: Kind) async throws {
        try await with(kind) { transport, url, hanging in
            let receiver = RecordingReceiver()
            let transfer = transport.start(TransferRequest.patient(url: hanging), receiver: receiver)
            transfer.cancel()
            transfer.cancel()
            #expect(await receiver.failure() == .cancelled)
            transfer.cancel()
            transfer.resume()
            transfer.setPriority(.high)
            #expect(await receive(transport, TransferRequest.patient(url: url)).failure() == nil)
            #expect(receiver.completionCount == 1 && receiver.violations == [])
        }
    }

    @Test("pauses and goes on", arguments: Kind.allCases)
    func pause(kind: Kind) async throws {
        try await with(kind, .init(body: Data([1, 2, 3]))) { transport, url, _ in
            let (pauses, continuation) = AsyncStream<Void>.makeStream()
            let receiver = RecordingReceiver(
                onBytes: { _ in
                    continuation.yield()
                    return .pause
                },
                onCompletion: { _ in continuation.finish() }
            )
            let transfer = transport.start(TransferRequest.patient(url: url), receiver: receiver)
            for await _ in pauses { transfer.resume() }
            #expect(await receiver.failure() == nil)
            #expect(receiver.body == Data([1, 2, 3]))
        }
    }

    @Test("serves data(for:)", arguments: Kind.allCases)
    func conveniences(kind: Kind) async throws {
        try await with(kind, .init(body: Data([4, 5]))) { transport, url, _ in
            let body = try await transport.data(for: TransferRequest.patient(url: url))
            #expect(body.response.status == 200 && body.data == Data([4, 5]))
        }
    }
}
