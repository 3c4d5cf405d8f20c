import FoundationEssentials
import HalcyonHTTP
import HalcyonTesting
import Testing

@Suite("name look-ups whose transfers are over")
struct LookupTests {
    // An exit test has the threads of its process to itself.
    #if compiler(>=6.2)
    /// Where name servers answer, or refuse, the look-ups end too soon to add up.
    @Test(
        "keep their places, so that their threads do not add up where no name server answers",
        arguments: [false, true]
    )
    func threads(byTimeout: Bool) async {
        await #expect(processExitsWith: .success) { [byTimeout] in
            var configuration = CurlTransport.Configuration(maximumConcurrentTransfers: 4)
            configuration.proxies = .none
            let transport = CurlTransport(configuration: configuration)
            let nowhere = try #require(URL(string: "nowhere"))
            for number in 0..<40 {
                let url = try #require(URL(string: "http://host\(number).invalid/"))
                var request = TransferRequest.patient(url: url)
                if byTimeout { request.timeouts.connect = .milliseconds(1) }
                let receiver = RecordingReceiver()
                let transfer = transport.start(request, receiver: receiver)
                // Their answers come from the transport's thread, after libcurl has begun with the first.
                for _ in 0..<3 { _ = await receive(transport, .patient(url: nowhere)).failure() }
                if byTimeout, number < 4 { _ = await receiver.failure() }
                transfer.cancel()
                try #require(await receiver.failure() != nil)
            }
            // Its own thread and a look-up for each place.
            try #require(ProcessResources().threads <= 5)
            transport.shutdown()
        }
    }
    #endif

    @Test("are left behind when the transport ends, and complete nothing twice")
    func shutdown() async throws {
        let transport = CurlTransport()
        let receivers = (0..<8).map { _ in RecordingReceiver() }
        for (number, receiver) in receivers.enumerated() {
            let url = try #require(URL(string: "http://host\(number).invalid/"))
            transport.start(.patient(url: url), receiver: receiver).cancel()
        }
        for receiver in receivers { #expect(await receiver.failure() == .cancelled) }
        transport.shutdown()
        #expect(receivers.allSatisfy { $0.completionCount == 1 })
    }
}
