import FoundationEssentials
import HTTPTypes
import HalcyonConcurrency
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Of two transfers of an image, the one whose request is sent later")
struct TransferOrderTests {
    /// A transport whose transfers wait until the test sends them, as for a connection.
    private final class QueueingTransport: HTTPTransport {
        private struct Queued: Transfer {
            func cancel() {}
            func setPriority(_ priority: LoadPriority) {}
            func resume() {}
        }

        private let transport: ScriptedTransport
        private let queue = Lock<[@Sendable () -> Void]>([])

        init(over transport: ScriptedTransport) {
            self.transport = transport
        }

        var count: Int { queue.withLock { $0.count } }

        func start(_ request: TransferRequest, receiver: any TransferReceiver) -> any Transfer {
            queue.withLock { $0.append { [transport] in _ = transport.start(request, receiver: receiver) } }
            return Queued()
        }

        /// Sends a request of the queue.
        func send(_ index: Int) async -> ScriptedTransfer {
            queue.withLock { $0.remove(at: index) }()
            return await transport.nextTransfer()
        }
    }

    private let url = Sample.url()
    private let test = TestPipeline()

    private var cache: ImageCache { test.pipeline.cache }

    /// A header that the server does not look at keeps two transfers apart.
    private let apart = ImageOption.headers([.accept: "image/*"])

    /// Starts two loads, of which the second is sent first.
    private func overtaken() async -> (
        early: ImageTask, late: ImageTask, earlier: ScriptedTransfer, later: ScriptedTransfer
    ) {
        let queue = QueueingTransport(over: test.transport)
        var configuration = test.pipeline.configuration
        configuration.downloader = ImageDownloader(transport: queue)
        let pipeline = ImagePipeline(configuration: configuration)
        let early = pipeline.task(for: url, options: [apart])
        await eventually { queue.count == 1 }
        let late = pipeline.task(for: url)
        await eventually { queue.count == 2 }
        let earlier = await queue.send(1)
        return (early, late, earlier, await queue.send(0))
    }

    @Test("brings the newer image, although it waited for longer")
    func image() async throws {
        let (early, late, earlier, later) = await overtaken()
        earlier.answer(.init(body: Sample.png(seed: 9)))
        #expect(try await late.image.owner == 9)
        later.answer(.init(body: Sample.png(seed: 10)))
        #expect(try await early.image.owner == 10)
        await test.settle()
        #expect(cache.entryInMemory(for: ImageRequest(url))?.image.owner == 10)
        #expect(await cache.storedData(for: ImageRequest(url)) == Sample.png(seed: 10))
    }
}
