import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonTesting
import Testing

// Exit tests run alone in a process of their own, so descriptors and threads can be counted.
#if compiler(>=6.2)
@Suite("a transport gives back")
struct ResourceTests {
    @Test("descriptors and threads, after a thousand transfers cancelled at any moment")
    func storm() async {
        await #expect(processExitsWith: .success) {
            // The first transport of a process initialises libcurl and OpenSSL.
            try await Self.run(transfers: 10)
            let before = try ProcessResources()
            for _ in 0..<3 { try await Self.run(transfers: 1000) }
            let after = try ProcessResources()
            try #require(before == after)
        }
    }

    @Test("its thread and connections when it is released after its transfers")
    func release() async {
        await #expect(processExitsWith: .success) {
            let server = try OriginServer { _ in .init(body: [1]) }
            try await Self.run(transfers: 10)
            let before = try ProcessResources()
            do {
                let transport = CurlTransport()
                _ = try await transport.data(for: TransferRequest.patient(url: server.url()))
            }
            // The thread ends on its own, and nothing tells when; a hang is what this test fails with.
            while try ProcessResources().threads > before.threads { await Task.yield() }
            server.stop()
        }
    }

    private static func run(transfers count: Int) async throws {
        let server = try OriginServer { request in
            request.path.hasSuffix("3") ? .silence : .init(body: [UInt8](repeating: 1, count: 30_000))
        }
        let transport = CurlTransport()
        let receivers = (0..<count).map { _ in RecordingReceiver() }
        let transfers = receivers.enumerated().map { number, receiver in
            transport.start(TransferRequest.patient(url: server.url("/\(number)")), receiver: receiver)
        }
        for (number, transfer) in transfers.enumerated() where number % 5 != 0 || number % 10 == 3 {
            transfer.cancel()
        }
        for (number, receiver) in receivers.enumerated() where number % 10 != 3 { _ = await receiver.result() }
        transport.shutdown()
        for receiver in receivers { try #require(receiver.completionCount == 1) }
        server.stop()
    }
}
#endif
