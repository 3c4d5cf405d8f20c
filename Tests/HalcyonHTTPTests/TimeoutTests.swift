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
            request.timeouts.idle = .milliseconds(200)
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

    @Test("waiting in the queue is not on the clock")
    func queueTime() async throws {
        let gate = Gate()
        try await withServer(configuration: .init(maximumConcurrentTransfers: 1)) { request in
            request.path == "/slow" ? .silence : .init(body: [1])
        } _: { server, transport in
            var slow = TransferRequest.patient(url: server.url("/slow"))
            slow.timeouts.idle = .milliseconds(300)
            var quick = TransferRequest.patient(url: server.url("/quick"))
            quick.timeouts = TransferTimeouts(
                connect: .milliseconds(200),
                idle: .milliseconds(200),
                total: .milliseconds(200)
            )
            let first = RecordingReceiver(onCompletion: { _ in gate.open() })
            _ = transport.start(slow, receiver: first)
            let second = await receive(transport, quick)
            #expect(gate.isOpen)
            #expect(await first.failure() == .timedOut(.idle))
            let metrics = try? await second.result().get()
            #expect(metrics.map { $0.queued >= .milliseconds(250) } == true)
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

/// A listening port whose queue is full, so that the system drops every further connection attempt.
private struct FullBacklog {
    let number: Int
    private let sockets: [Int32]

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        var sockets = [listener]
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                guard bind(listener, generic, length) == 0, listen(listener, 0) == 0,
                    getsockname(listener, generic, &length) == 0
                else { return false }
                // The queue takes one more than it is told to.
                for _ in 0..<3 {
                    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
                    _ = Glibc.connect(client, generic, length)
                    sockets.append(client)
                }
                return true
            }
        }
        try #require(isListening)
        self.sockets = sockets
        number = Int(in_port_t(bigEndian: address.sin_port))
    }

    func close() {
        for socket in sockets { Glibc.close(socket) }
    }
}
