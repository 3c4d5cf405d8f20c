import FoundationEssentials
import Glibc
import HTTPTypes
import HalcyonHTTP
import HalcyonTesting
import Testing

@Suite("timeouts")
struct TimeoutTests {
    @Test("silence is an idle timeout, before the response and inside the body", arguments: [false, true])
    func silence(inBody: Bool) async throws {
        try await withServer { _ in
            inBody
                ? .scripted(headers: [.contentLength: "9"], .bytes([1]), .awaitDisconnect(opening: Gate())) : .silence
        } _: { server, transport in
            var request = TransferRequest.patient(url: server.url())
            // Time enough for the first byte beside tests that keep both processors busy.
            request.timeouts.idle = .seconds(inBody ? 2 : 1)
            let receiver = await receive(transport, request)
            #expect(await receiver.failure() == .timedOut(.idle))
            #expect(receiver.body.count == (inBody ? 1 : 0))
        }
    }

    @Test("an endless trickle ends at the total timeout")
    func total() async throws {
        try await withServer { _ in
            .scripted(headers: [.acceptRanges: "none"], .endless([1]))
        } _: { server, transport in
            var request = TransferRequest.patient(url: server.url())
            request.timeouts.total = .milliseconds(300)
            request.limits.bodyBytes = .max
            #expect(await receive(transport, request).failure() == .timedOut(.total))
        }
    }

    @Test("a byte now and then keeps the idle timeout away, but not the total one")
    func trickle() async throws {
        let body = [UInt8](repeating: 1, count: 100_000)
        try await withServer { _ in
            .scripted(headers: [.contentLength: "100000"], .trickle(body, every: .milliseconds(20)))
        } _: { server, transport in
            var request = TransferRequest.patient(url: server.url())
            request.timeouts.total = .milliseconds(300)
            let receiver = await receive(transport, request)
            #expect(await receiver.failure() == .timedOut(.total))
            #expect(receiver.body.count < body.count)
        }
    }

    @Test("headers that come a byte now and then end at the total timeout")
    func trickledHeaders() async throws {
        try await withServer { _ in
            let head = OriginServer.Response.head(headers: [.contentType: String(repeating: "a", count: 100_000)])
            return .init(steps: [.trickle(head, every: .milliseconds(20))])
        } _: { server, transport in
            var request = TransferRequest.patient(url: server.url())
            request.timeouts.total = .milliseconds(300)
            #expect(await receive(transport, request).failure() == .timedOut(.total))
        }
    }

    @Test("a byte less often than the idle timeout allows is too slow")
    func slowTrickle() async throws {
        try await withServer { _ in
            .scripted(headers: [.contentLength: "3"], .trickle([1, 2, 3], every: .seconds(3600)))
        } _: { server, transport in
            var request = TransferRequest.patient(url: server.url())
            request.timeouts.idle = .milliseconds(200)
            #expect(await receive(transport, request).failure() == .timedOut(.idle))
        }
    }

    @Test("what ended at a timeout leaves room and connection to what comes after")
    func afterwards() async throws {
        try await withServer(configuration: .init(maximumConcurrentTransfers: 1)) { request in
            request.path == "/silence" ? .silence : .init(body: [1])
        } _: { server, transport in
            var request = TransferRequest.patient(url: server.url("/silence"))
            request.timeouts.idle = .milliseconds(50)
            #expect(await receive(transport, request).failure() == .timedOut(.idle))
            #expect(await receive(transport, .patient(url: server.url())).body == Data([1]))
        }
    }

    @Test("a server that accepts no connection is a connect timeout")
    func connect() async throws {
        let port = try FullBacklog()
        defer { port.close() }
        let transport = CurlTransport()
        defer { transport.shutdown() }
        let url = try #require(URL(string: "http://127.0.0.1:\(port.number)/"))
        var request = TransferRequest.patient(url: url)
        request.timeouts.connect = .milliseconds(200)
        // Shorter than connecting takes, and yet not what runs out: there is no transfer to be idle.
        request.timeouts.idle = .milliseconds(50)
        #expect(await receive(transport, request).failure() == .timedOut(.connect))
    }

    /// Those after the first wait inside libcurl for its connection, to share it.
    @Test("each of several transfers to a server that never answers the TLS greeting ends at its own connect timeout")
    func heldBack() async throws {
        try await withServer { _ in
            .init()
        } _: { server, transport in
            let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
            var request = TransferRequest.patient(url: url)
            request.timeouts.connect = .milliseconds(300)
            // Less than two of them take one after the other.
            request.timeouts.total = .milliseconds(500)
            let receivers = (0..<6).map { _ in RecordingReceiver() }
            for receiver in receivers { _ = transport.start(request, receiver: receiver) }
            for receiver in receivers { #expect(await receiver.failure() == .timedOut(.connect)) }
        }
    }

    @Test("a wait for room at the host is not on the clock of connecting")
    func hostLimitTime() async throws {
        try await withServer(configuration: .init(maximumTransfersPerHost: 1)) { _ in
            .init()
        } _: { server, transport in
            let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
            var request = TransferRequest.patient(url: url)
            request.timeouts.connect = .milliseconds(200)
            let receivers = (0..<3).map { _ in RecordingReceiver() }
            for receiver in receivers { _ = transport.start(request, receiver: receiver) }
            for receiver in receivers { #expect(await receiver.failure() == .timedOut(.connect)) }
            // Each has tried: none ended while it waited.
            #expect(server.connectionCount == 3)
        }
    }

    @Test("waiting in the queue is not on the clock")
    func queueTime() async throws {
        let gate = Gate()
        try await withServer(configuration: .init(maximumConcurrentTransfers: 1)) { request in
            request.path == "/slow" ? .silence : .init(body: [1])
        } _: { server, transport in
            var slow = TransferRequest.patient(url: server.url("/slow"))
            slow.timeouts.idle = .milliseconds(3000)
            var quick = TransferRequest.patient(url: server.url("/quick"))
            quick.timeouts = TransferTimeouts(
                connect: .milliseconds(2000),
                idle: .milliseconds(2000),
                total: .milliseconds(2000)
            )
            let first = RecordingReceiver(onCompletion: { _ in gate.open() })
            _ = transport.start(slow, receiver: first)
            let second = await receive(transport, quick)
            #expect(gate.isOpen)
            #expect(await first.failure() == .timedOut(.idle))
            let metrics = try? await second.result().get()
            #expect(metrics.map { $0.queued >= .milliseconds(2500) } == true)
        }
    }

    @Test("extreme durations are taken as they come")
    func extremes() async throws {
        try await withServer { request in
            request.path == "/" ? .init(body: [1]) : .silence
        } _: { server, transport in
            var request = TransferRequest.patient(url: server.url())
            let forever = Duration(secondsComponent: .max, attosecondsComponent: 0)
            request.timeouts = TransferTimeouts(connect: forever, idle: forever, total: forever)
            #expect(await receive(transport, request).failure() == nil)
            request.url = server.url("/silence")
            request.timeouts.total = .seconds(-5)
            #expect(await receive(transport, request).failure() == .timedOut(.total))
        }
    }
}
