import FoundationEssentials
import HalcyonHTTP
import HalcyonTesting
import Testing

@Suite("name look-ups whose transfers are over")
struct LookupTests {
    @Test(
        "leave their places to as many others, and their threads do not add up while no name server answers",
        .enabled(if: SilentNameServer.isAvailable, "needs the right to a network of its own"),
        arguments: [false, true]
    )
    func places(byTimeout: Bool) async throws {
        var configuration = CurlTransport.Configuration(maximumConcurrentTransfers: 4)
        configuration.proxies = .none
        let server = try #require(SilentNameServer(configuration))
        let transport = server.transport
        defer { transport.shutdown() }
        let nowhere = try #require(URL(string: "nowhere"))
        var names: Set<String> = []
        let start = ContinuousClock.now
        for number in 0..<24 {
            let url = try #require(URL(string: "http://host\(number).invalid/"))
            var request = TransferRequest.patient(url: url)
            if byTimeout { request.timeouts.connect = .milliseconds(20) }
            let receiver = RecordingReceiver()
            let transfer = transport.start(request, receiver: receiver)
            if number < 4 {
                // The name server has the question before the transfer ends.
                while !names.contains("host\(number)") {
                    await Task.yield()
                    names.formUnion(server.takeNames())
                }
                if byTimeout { #expect(await receiver.failure() == .timedOut(.connect)) }
            } else {
                // Completed by the transport's thread, after it has begun with what there is a place for.
                for _ in 0..<3 { _ = await receive(transport, .patient(url: nowhere)) }
            }
            transfer.cancel()
            #expect(await receiver.failure() != nil)
            #expect(receiver.completionCount == 1)
        }
        // Four that were given up, and four in their places.
        while names.count < 8 {
            await Task.yield()
            names.formUnion(server.takeNames())
        }
        for _ in 0..<100 {
            _ = await receive(transport, .patient(url: nowhere))
            names.formUnion(server.takeNames())
        }
        // The resolver gives up after 5 s or more, and then its place is free: on a busy machine that is before this.
        let turns = 1 + Int((ContinuousClock.now - start) / .seconds(5))
        #expect(names.count <= 8 * turns && names.isSuperset(of: (0..<8).map { "host\($0)" }))
    }

    @Test("are left behind when the transport ends, and complete nothing twice")
    func shutdown() async throws {
        let transport = CurlTransport()
        let receivers = (0..<8).map { _ in RecordingReceiver() }
        for (number, receiver) in receivers.enumerated() {
            let url = try #require(URL(string: "http://host\(number).invalid/"))
            transport.start(.patient(url: url), receiver: receiver).cancel()
        }
        for receiver in receivers {
            // On a busy machine, a look-up may fail before its transfer is cancelled.
            switch await receiver.failure() {
            case .cancelled?, .cannotFindHost?: break
            case let other: Issue.record("\(String(describing: other))")
            }
        }
        transport.shutdown()
        #expect(receivers.allSatisfy { $0.completionCount == 1 })
    }
}
