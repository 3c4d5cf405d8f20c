import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonTesting
import Testing

@Suite("kept connections")
struct KeptConnectionTests {
    @Test("a request that one loses is sent on a new one, and not again if that loses it, too", arguments: [1, 3])
    func lost(count: Int) async throws {
        let arrivals = (0..<count).map { _ in Gate() }
        let all = Gate()
        try await withServer { request in
            guard request.path.hasPrefix("/good") else { return .init(steps: [.close]) }
            guard let number = Int(request.path.dropFirst(5)) else { return .init(body: [7]) }
            return .init(steps: [.open(arrivals[number]), .wait(all)] + OriginServer.Response(body: [7]).steps)
        } _: { server, transport in
            // As many connections, each of which is kept.
            let receivers = (0..<count).map { _ in RecordingReceiver() }
            for (number, receiver) in receivers.enumerated() {
                _ = transport.start(.patient(url: server.url("/good\(number)")), receiver: receiver)
            }
            for arrival in arrivals { await arrival.wait() }
            all.open()
            for receiver in receivers { #expect(await receiver.failure() == nil) }
            let failed = await receive(transport, .patient(url: server.url("/bad")))
            #expect(await failed.failure()?.code == "connectionLost")
            // Once on each of those that were kept at most, by libcurl, and on one of its own.
            let sent = server.requests.count { $0.path == "/bad" }
            #expect((2...count + 1).contains(sent))
            #expect(await receive(transport, .patient(url: server.url("/good"))).failure() == nil)
        }
    }
}
