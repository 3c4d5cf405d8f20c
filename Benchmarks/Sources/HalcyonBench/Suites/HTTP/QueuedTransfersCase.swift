internal import Dispatch
internal import FoundationEssentials
internal import HalcyonHTTP
internal import HalcyonTesting
internal import Synchronization

/// A million transfers that wait and are cancelled before their turn, as a list that is scrolled to its end asks for them.
struct QueuedTransfersCase: BenchmarkCase {
    private static let count = 1_000_000
    private static let budgetSeconds = 2.0

    var name: String { "1,000,000 queued, then cancelled" }

    func results(_ settings: RunSettings) async throws -> [BenchmarkResult] {
        var seconds: [Double] = []
        for _ in 0..<min(settings.samples, 3) {
            seconds.append(try Self.secondsOfOneRun())
        }
        let time = Distribution(seconds)
        return [
            BenchmarkResult(
                name,
                ours: time.median,
                reference: .init(name: "allowed", value: Self.budgetSeconds),
                ratio: time.median / Self.budgetSeconds,
                unit: "s",
                spread: time.spread,
                budget: 1
            )
        ]
    }

    private static func secondsOfOneRun() throws -> Double {
        // The one transfer that may run waits for an answer that never comes.
        let server = try OriginServer { _ in .silence }
        defer { server.stop() }
        let url = server.url("/")
        let transport = CurlTransport(
            configuration: CurlTransport.Configuration(maximumConcurrentTransfers: 1, maximumTransfersPerHost: 1)
        )
        let counter = CompletionCounter(count)
        let request = TransferRequest(url: url)
        let start = TimeSample.now
        let transfers = (0..<count).map { _ in transport.start(request, receiver: counter) }
        for transfer in transfers.reversed() { transfer.cancel() }
        counter.waitForEnd()
        let elapsed = (TimeSample.now - start).wall / 1e9
        transport.shutdown()
        return elapsed
    }
}

/// Signals when so many transfers have ended.
final class CompletionCounter: TransferReceiver {
    private let ended = DispatchSemaphore(value: 0)
    private let remaining: Atomic<Int>

    init(_ count: Int) { remaining = Atomic(count) }

    /// Blocks the calling thread, as a program does that has nothing else to do.
    func waitForEnd() { ended.wait() }

    func didReceive(response: TransferResponse) {}

    func didReceive(bytes: UnsafeRawBufferPointer) -> TransferDemand { .proceed }

    func didComplete(_ result: Result<TransferMetrics, TransferError>) {
        if remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { ended.signal() }
    }
}
