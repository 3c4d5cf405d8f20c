import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonSystem
import HalcyonTesting
import Testing

@Suite("the queue of transfers")
struct PriorityTests {
    @Test("goes by priority, then by arrival, and follows a change of priority")
    func order() async throws {
        let arrived = Gate()
        let release = Gate()
        try await withServer(configuration: .init(maximumConcurrentTransfers: 1)) { request in
            guard request.path == "/blocker" else { return .init() }
            return .init(steps: [.open(arrived), .wait(release)] + OriginServer.Response().steps)
        } _: { server, transport in
            func start(_ path: String, _ priority: LoadPriority) -> (any Transfer, RecordingReceiver) {
                let receiver = RecordingReceiver()
                let request = TransferRequest.patient(url: server.url(path), priority: priority)
                return (transport.start(request, receiver: receiver), receiver)
            }
            _ = start("/blocker", .normal)
            await arrived.wait()
            let transfers = [
                start("/low", .low), start("/normal1", .normal), start("/high", .high), start("/normal2", .normal),
                start("/veryLow", .veryLow), start("/veryHigh", .veryHigh), start("/raised", .veryLow),
                start("/lowered", .veryHigh),
            ]
            transfers[6].0.setPriority(.high)
            transfers[7].0.setPriority(.low)
            release.open()
            for (_, receiver) in transfers { #expect(await receiver.failure() == nil) }
            #expect(
                server.requests.map(\.path) == [
                    "/blocker", "/veryHigh", "/high", "/raised", "/normal1", "/normal2", "/low", "/lowered", "/veryLow",
                ]
            )
        }
    }

    @Test("a host that is full does not hold up another one")
    func fullHost() async throws {
        let other = try OriginServer { _ in .init(body: [1]) }
        defer { other.stop() }
        let release = Gate()
        try await withServer(configuration: .init(maximumTransfersPerHost: 2)) { _ in
            .init(steps: [.wait(release)] + OriginServer.Response().steps)
        } _: { server, transport in
            let receivers = (0..<20).map { _ in RecordingReceiver() }
            for receiver in receivers {
                _ = transport.start(TransferRequest.patient(url: server.url(), priority: .veryHigh), receiver: receiver)
            }
            let request = TransferRequest.patient(url: other.url(), priority: .veryLow)
            #expect(await receive(transport, request).failure() == nil)
            #expect(receivers.allSatisfy { $0.completionCount == 0 })
            release.open()
            for receiver in receivers { #expect(await receiver.failure() == nil) }
            #expect(server.connectionCount == 2)
        }
    }

    @Test("lets the last come go first where it is told to, and wakes for the next token")
    func lastInFirstOut() async throws {
        let arrived = Gate()
        let release = Gate()
        let configuration = CurlTransport.Configuration(
            maximumConcurrentTransfers: 1,
            order: .lastInFirstOut,
            startRate: StartRate(startsPerSecond: 100, burst: 1)
        )
        try await withServer(configuration: configuration) { request in
            guard request.path == "/blocker" else { return .init() }
            return .init(steps: [.open(arrived), .wait(release)] + OriginServer.Response().steps)
        } _: { server, transport in
            let paths = ["/blocker", "/1", "/2", "/3"]
            let receivers = paths.map { _ in RecordingReceiver() }
            _ = transport.start(.patient(url: server.url("/blocker")), receiver: receivers[0])
            await arrived.wait()
            for number in 1...3 {
                _ = transport.start(.patient(url: server.url(paths[number])), receiver: receivers[number])
            }
            release.open()
            for receiver in receivers { #expect(await receiver.failure() == nil) }
            #expect(server.requests.map(\.path) == ["/blocker", "/3", "/2", "/1"])
        }
    }
}
