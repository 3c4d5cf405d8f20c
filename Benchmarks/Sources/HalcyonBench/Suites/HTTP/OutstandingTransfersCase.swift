internal import CReferences
internal import FoundationEssentials
internal import HalcyonHTTP

/// The memory that ten thousand outstanding transfers of one transport take: 64 under way, the others in the queue.
struct OutstandingTransfersCase: BenchmarkCase {
    private static let count = 10_000

    let origin: NginxOrigin

    var name: String { "memory, 10,000 outstanding" }

    func results(_ settings: RunSettings) async throws -> [BenchmarkResult] {
        guard let url = URL(string: try origin.url(.http1)) else { throw BenchmarkError("no URL") }
        let transport = CurlTransport()
        let warmUp = CompletionCounter(1)
        _ = transport.start(TransferRequest(url: url), receiver: warmUp)
        warmUp.waitForEnd()
        let before = halcyon_reference_allocated_bytes()
        let counter = CompletionCounter(Self.count)
        for index in 0..<Self.count {
            // Each has a URL of its own, as in a program.
            let own = url.appending(queryItems: [URLQueryItem(name: "image", value: "\(index)")])
            _ = transport.start(TransferRequest(url: own), receiver: counter)
        }
        let after = halcyon_reference_allocated_bytes()
        counter.waitForEnd()
        transport.shutdown()
        let bytes = Double(after) - Double(before)
        return [BenchmarkResult(name, ours: bytes / Double(Self.count), unit: "bytes each")]
    }
}
