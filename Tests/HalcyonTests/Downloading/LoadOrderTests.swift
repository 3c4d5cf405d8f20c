import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Loads of equal priority")
struct LoadOrderTests {
    /// Keeps transfers until a number of them has come, and starts them in the reverse order.
    private final class ReversingTransport: HTTPTransport {
        private let transport: CurlTransport
        private let count: Int
        private let kept = Lock<[@Sendable () -> Void]>([])
        /// Opened once all have been started.
        let haveCome = Gate()

        init(over transport: CurlTransport, count: Int) {
            (self.transport, self.count) = (transport, count)
        }

        var cacheScope: String? { transport.cacheScope }

        func start(_ request: TransferRequest, receiver: any TransferReceiver) -> any Transfer {
            guard request.url.path != "/first" else { return transport.start(request, receiver: receiver) }
            let all = kept.withLock { kept in
                kept.append { [transport] in _ = transport.start(request, receiver: receiver) }
                return kept.count == count ? kept : []
            }
            for start in all.reversed() { start() }
            if !all.isEmpty { haveCome.open() }
            return Started()
        }
    }

    private struct Started: Transfer {
        func cancel() {}
        func setPriority(_ priority: LoadPriority) {}
        func resume() {}
    }

    @Test(
        "are sent in the order of their calls, whichever comes to the transport first",
        arguments: TransferOrder.allCases
    )
    func order(order: TransferOrder) async throws {
        let (hasBegun, mayEnd) = (Gate(), Gate())
        let server = try OriginServer { request in
            let image = OriginServer.Response(body: Array(Sample.png(seed: 1)))
            guard request.path == "/first" else { return image }
            return .init(steps: [.open(hasBegun), .wait(mayEnd)] + image.steps)
        }
        defer { server.stop() }
        let transport = CurlTransport(configuration: .init(maximumTransfersPerHost: 1, order: order))
        defer { transport.shutdown() }
        let test = TestPipeline()
        var configuration = test.pipeline.configuration
        let reversing = ReversingTransport(over: transport, count: 30)
        configuration.downloader = ImageDownloader(transport: reversing)
        let pipeline = ImagePipeline(configuration: configuration)
        let first = pipeline.task(for: server.url("/first"))
        await hasBegun.wait()
        let paths = (0..<30).map { "/\($0)" }
        let tasks = paths.map { pipeline.task(for: server.url($0)) }
        await reversing.haveCome.wait()
        // What another host answers came to the transport after them.
        let other = try OriginServer { _ in .init(body: [1]) }
        defer { other.stop() }
        _ = try await transport.data(for: TransferRequest(url: other.url()))
        mayEnd.open()
        for task in [first] + tasks { _ = try await task.image }
        let sent = server.requests.map(\.path).filter { $0 != "/first" }
        #expect(sent == (order == .firstInFirstOut ? paths : paths.reversed()))
    }
}
