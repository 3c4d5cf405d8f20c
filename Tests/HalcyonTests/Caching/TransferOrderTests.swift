import FoundationEssentials
import HTTPTypes
import HalcyonSystem
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

        var cacheScope: String? { transport.cacheScope }

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
    // Both requests are of one time, so that the order of sending alone tells.
    private let test = TestPipeline(clock: ManualStoreClock().clock)

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

    @Test("is believed if its server has the image no more, although it waited for longer")
    func absence() async throws {
        let (early, late, earlier, later) = await overtaken()
        earlier.answer(.init(body: Sample.png(seed: 9)))
        #expect(try await late.image.owner == 9)
        later.answer(.init(status: 404))
        #expect(await reason { try await early.image } == .status(404))
        await test.settle()
        #expect(await cache.tiers(with: ImageRequest(url)) == [])
    }

    @Test("keeps its image although the other one's server had none, for a load that was called after both")
    func lateAbsence() async throws {
        let early = test.pipeline.task(for: url, options: [apart])
        let earlier = await test.transport.nextTransfer()
        let late = test.pipeline.task(for: url)
        let later = await test.transport.nextTransfer()
        let crop = ImageOption.processor(.crop(to: .pixels(9, 9)))
        let last = test.pipeline.task(for: url, options: [apart, crop])
        await eventually { [stages = test.pipeline.stages, downloader = test.pipeline.configuration.downloader] in
            stages.decoding.work.waiterCount == 3
                && stages.original.work.waiterCount == stages.decoding.work.count
                && downloader.transfers.waiterCount == stages.original.work.count
        }
        later.answer(.init(body: Sample.png(seed: 10)))
        #expect(try await late.image.owner == 10)
        earlier.answer(.init(status: 404))
        for task in [early, last] { #expect(await reason { try await task.image } == .status(404)) }
        await test.settle()
        #expect(await cache.tiers(with: ImageRequest(url)) == .all)
        #expect(test.transport.startedCount == 2)
    }

    @Test(
        "is the one that was refused before and then accepted; a redirect is as old as the request that led to it",
        arguments: [401, 302]
    )
    func laterRequest(status: Int) async throws {
        let policy = NetworkPolicy.with { $0.hooks = TestHooks.credential { _ in .bearer("token") } }
        let context = WorkContext(priority: PriorityBox(.normal), report: { _ in })
        let downloader = ImageDownloader(transport: test.transport)
        async let body = downloader.download(TransferRequest(url: url), policy: policy, context: context)
        let first = await test.transport.nextTransfer()
        let between = WorkNumber.next()
        let headers: HTTPFields = status == 401 ? [.wwwAuthenticate: "Bearer"] : [.location: "/other.png"]
        first.answer(.init(status: status, headers: headers))
        await test.transport.nextTransfer().answer(.init(body: Sample.png()))
        let isLater = try await body.number > between
        #expect(isLater == (status == 401))
    }
}
