import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonSystem
import HalcyonTesting
import Testing

@Suite("under stress")
struct StressTests {
    @Test("2,000 rounds of faults, cancelling, pausing and changing priority complete each transfer once")
    func rounds() async throws {
        try await withServer(configuration: .init(maximumConcurrentTransfers: 16)) { request in
            switch Int(request.path.dropFirst()).map({ $0 % 8 }) {
            case 0: .init(steps: [.close])
            case 1: .init(steps: [.reset])
            case 2: .scripted(headers: [.contentLength: "100"], .bytes([1]), .close)
            case 3: .redirect(to: "/7")
            case 4: .chunked(chunks: [[1], [2, 3]])
            case 5: .init(404, body: [4])
            default: .init(body: [UInt8](repeating: 7, count: 50_000))
            }
        } _: { server, transport in
            await withTaskGroup(of: Void.self) { group in
                for worker in 0..<4 {
                    group.addTask { await Self.run(worker: worker, rounds: 500, server, transport) }
                }
            }
            // What is left over would show in the next transfer.
            #expect(await receive(transport, TransferRequest.patient(url: server.url("/7"))).failure() == nil)
        }
    }

    private static func run(worker: Int, rounds: Int, _ server: OriginServer, _ transport: CurlTransport) async {
        var random = SeededGenerator(seed: UInt64(worker))
        for batch in 0..<(rounds / 20) {
            let started = (0..<20).map { number -> (any Transfer, RecordingReceiver) in
                let slot = TransferSlot()
                let receiver = RecordingReceiver(onBytes: { bytes in
                    guard bytes.count % 3 == 0 else { return .proceed }
                    slot.wait().resume()
                    return .pause
                })
                let request = TransferRequest.patient(url: server.url("/\(random.next() % 8)"))
                let transfer = transport.start(request, receiver: receiver)
                slot.fill(transfer)
                if (batch + number) % 3 == 0 { transfer.setPriority(.high) }
                return (transfer, receiver)
            }
            for (transfer, _) in started where random.next() % 3 == 0 { transfer.cancel() }
            for (_, receiver) in started { _ = await receiver.result() }
            for (_, receiver) in started {
                #expect(receiver.completionCount == 1 && receiver.violations == [])
            }
        }
    }
}
