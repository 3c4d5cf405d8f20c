import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Shared work")
struct SharingTests {
    private let test = TestPipeline()
    private let url = Sample.url()

    @Test("is done once for ten thousand requests at the same time")
    func tenThousand() async throws {
        let tasks = (0..<10_000).map { _ in test.pipeline.task(for: url) }
        let transfer = await test.transport.nextTransfer()
        await eventually { [test] in test.pipeline.stages.images.waiterCount == 10_000 }
        transfer.answer(.init(body: Sample.png()))
        var first: DecodedImage?
        for task in tasks {
            let image = try await task.image
            if let first { #expect(first.bitmap.buffer === image.bitmap.buffer) } else { first = image }
        }
        #expect(test.transport.startedCount == 1)
        #expect(test.counters.decodes == 1)
    }

    @Test("gives two processors of one URL one transfer and one decoding")
    func twoProcessors() async throws {
        let small = test.pipeline.task(for: url, options: [.processor(.crop(to: .pixels(8, 8)))])
        let large = test.pipeline.task(for: url, options: [.processor(.crop(to: .pixels(16, 16)))])
        let transfer = await test.transport.nextTransfer()
        await eventually { [test] in test.pipeline.stages.decoding.work.waiterCount == 2 }
        transfer.answer(.init(body: Sample.png()))
        #expect(try await small.image.size == PixelSize(8, 8))
        #expect(try await large.image.size == PixelSize(16, 16))
        #expect(test.transport.startedCount == 1)
        #expect(test.counters.decodes == 1)
    }

    @Test("runs a chain of processors once, however its loads keep the result", arguments: [false, true])
    func chain(isStored: Bool) async throws {
        let counting = CountingProcessor()
        let chain = ImageProcessorChain(counting) |> .crop(to: .pixels(8, 8))
        let first = test.pipeline.task(for: url, options: [.processor(chain)])
        let kept: [ImageOption] = isStored ? [] : [.cacheMemoryOnly]
        let second = test.pipeline.task(for: url, options: [.processor(chain)] + kept)
        let transfer = await test.transport.nextTransfer()
        let stages = test.pipeline.stages
        await eventually { stages.images.waiterCount + stages.processing.work.waiterCount == (isStored ? 3 : 4) }
        transfer.answer(.init(body: Sample.png()))
        _ = try await (first.image, second.image)
        #expect(counting.count.withLock { $0 } == 1)
    }

    @Test("decodes once for two chains with a common beginning, whose processors wait for nothing of each other")
    func commonBeginning() async throws {
        let (counting, budget) = (CountingProcessor(), PixelWorkers(threadCount: 2, byteBudget: 1))
        let chains = [8, 4].map { ImageProcessorChain(counting) |> .crop(to: .pixels($0, $0)) }
        let tasks = chains.map { test.pipeline.task(for: url, options: [.processor($0), .workers(budget)]) }
        let transfer = await test.transport.nextTransfer()
        await eventually { [test] in test.pipeline.stages.processing.work.waiterCount == 2 }
        transfer.answer(.init(body: Sample.png()))
        for task in tasks { _ = try await task.image }
        #expect(test.counters.decodes == 1)
        #expect(counting.count.withLock { $0 } == 2)
    }

    @Test("is kept apart for requests that differ in a header")
    func headers() async throws {
        var one = TransferRequest(url: url)
        one.headers[.authorization] = "Bearer one"
        var two = TransferRequest(url: url)
        two.headers[.authorization] = "Bearer two"
        let first = test.pipeline.task(for: ImageRequest(.request(one, cacheKey: "one")))
        let second = test.pipeline.task(for: ImageRequest(.request(two, cacheKey: "two")))
        for _ in 0..<2 {
            let transfer = await test.transport.nextTransfer()
            let seed = transfer.request.headers[.authorization] == "Bearer one" ? 1 : 2
            transfer.answer(.init(body: Sample.png(seed: seed)))
        }
        #expect(try await first.image.bitmap.pixel(0, 0)[0] == 1)
        #expect(try await second.image.bitmap.pixel(0, 0)[0] == 2)
    }

    @Test("is done once for each cache that requests name")
    func caches() async throws {
        let other = TestPipeline()
        let caches = [test, other, test, other].map(\.pipeline.cache)
        let tasks = caches.map { test.pipeline.task(for: url, options: [.targetCache($0)]) }
        let transfer = await test.transport.nextTransfer()
        await eventually { [test] in test.pipeline.stages.images.waiterCount == 4 }
        #expect(test.pipeline.stages.images.count == 2)
        test.transport.serve(url, Sample.png())
        transfer.answer(.init(body: Sample.png()))
        for task in tasks { #expect(try await task.image.size == PixelSize(64, 48)) }
        for test in [test, other] {
            await test.settle()
            #expect(await test.pipeline.cache.tiers(with: ImageRequest(url)) == .all)
        }
    }

    @Test("starts anew for a request after it ended")
    func afterTheEnd() async throws {
        test.transport.serve(url, Sample.png())
        _ = try await test.pipeline.image(from: url, options: [.noCache])
        _ = try await test.pipeline.image(from: url, options: [.noCache])
        #expect(test.transport.startedCount == 2)
    }

    @Test("fails for all waiters when it fails")
    func failure() async throws {
        let tasks = (0..<10).map { _ in test.pipeline.task(for: url) }
        let transfer = await test.transport.nextTransfer()
        await eventually { [test] in test.pipeline.stages.images.waiterCount == 10 }
        transfer.fail(.connectionLost("reset"))
        for task in tasks {
            let error = await #expect(throws: ImageError.self) { try await task.response }
            #expect(error?.reason == .transfer(.connectionLost("reset")))
        }
    }
}

/// Counts its runs and changes nothing. All instances of a test share a counter that is no parameter.
struct CountingProcessor: ImageProcessing {
    let count = Lock(0)

    func encodeParameters(into encoder: inout CacheKeyEncoder) {}

    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        count.withLock { $0 += 1 }
        return image
    }

    static func == (left: CountingProcessor, right: CountingProcessor) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}
