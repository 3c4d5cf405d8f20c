import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Loads that meet older work")
struct SharedLoadOrderTests {
    private let url = Sample.url()
    private let test = TestPipeline()

    private var cache: ImageCache { test.pipeline.cache }

    private func firstSample(_ image: DecodedImage?) -> UInt8? { image?.bitmap.pixel(0, 0)[0] }

    private func cropped(_ side: Int) -> ImageOption {
        .processor(.crop(to: .pixels(side, side), anchor: .topLeft))
    }

    /// Starts a load whose transfer goes on, does something, and starts another load.
    ///
    /// - Returns: The first sample of the later load's image: 9 from the earlier transfer, 10 from one of its own.
    private func sampleOfLaterLoad(
        _ options: [ImageOption],
        after change: () async throws -> Void
    ) async throws -> UInt8? {
        let early = test.pipeline.task(for: url)
        let transfer = await test.transport.nextTransfer()
        try await change()
        test.transport.serve(url, Sample.png(seed: 10))
        let late = test.pipeline.task(for: url, options: options)
        await eventually { [test] in
            test.pipeline.configuration.downloader.transfers.waiterCount == 2
                || test.pipeline.stages.images.waiterCount == 2 && test.pipeline.stages.images.count == 1
                || test.transport.startedCount == 2
        }
        transfer.answer(.init(body: Sample.png(seed: 9)))
        #expect(try await firstSample(early.image) == 9)
        return try await firstSample(late.image)
    }

    @Test("a load that begins after a removal gets nothing of what was under way before")
    func removal() async throws {
        let sample = try await sampleOfLaterLoad([]) { try await cache.remove(for: ImageRequest(url)) }
        #expect(sample == 10)
        await test.settle()
        #expect(firstSample(cache.entryInMemory(for: ImageRequest(url))?.image) == 10)
    }

    @Test("a load that begins after everything was removed gets nothing of what was under way before")
    func removalOfAll() async throws {
        #expect(try await sampleOfLaterLoad([]) { try await cache.removeAll() } == 10)
    }

    @Test("a load that begins after all images of a server were removed gets nothing of what was under way before")
    func removalByPrefix() async throws {
        let sample = try await sampleOfLaterLoad([]) {
            try await cache.removeAll(originalsBeginningWith: "https://images.example/")
        }
        #expect(sample == 10)
    }

    @Test("a forced refresh of a result replaces an older original that the disk keeps", arguments: [true, false])
    func refreshOfResult(varies: Bool) async throws {
        let headers: HTTPFields = varies ? [.vary: "Accept-Language", .cacheControl: "max-age=86400"] : [:]
        test.transport.setRoute(url, .init(headers: headers, body: Sample.png(seed: 9)))
        _ = try await test.pipeline.response(for: url)
        test.transport.setRoute(url, .init(headers: headers, body: Sample.png(seed: 10)))
        _ = try await test.pipeline.response(for: url, options: [cropped(5), .forceRefresh])
        await test.settle()
        cache.removeAllFromMemory()
        // Another result than the one that is kept.
        #expect(try await firstSample(test.pipeline.image(from: url, options: [cropped(6)])) == 10)
    }

    @Test("a forced refresh of a result stores no original where there was none")
    func refreshWithoutOriginal() async throws {
        test.transport.serve(url, Sample.png(seed: 9))
        _ = try await test.pipeline.response(for: url, options: [cropped(5), .forceRefresh])
        await test.settle()
        #expect(try await cache.diskStatistics().count == 1)
    }

    @Test("a load shares what is under way after another image was removed")
    func otherRemoval() async throws {
        #expect(try await sampleOfLaterLoad([]) { try await cache.remove(for: ImageRequest(Sample.url())) } == 9)
    }

    @Test("a load shares what is under way after memory was cleared")
    func clearedMemory() async throws {
        #expect(try await sampleOfLaterLoad([]) { cache.removeAllFromMemory() } == 9)
    }

    @Test("a forced refresh does not share a transfer that began before it")
    func refresh() async throws {
        #expect(try await sampleOfLaterLoad([.forceRefresh]) {} == 10)
    }

    @Test("a load that begins after a forced refresh shares that, and not what was under way before")
    func afterRefresh() async throws {
        let early = test.pipeline.task(for: url)
        let earlyTransfer = await test.transport.nextTransfer()
        let refresh = test.pipeline.task(for: url, options: [.forceRefresh])
        let lateTransfer = await test.transport.nextTransfer()
        let late = test.pipeline.task(for: url)
        await eventually { [test] in
            test.pipeline.configuration.downloader.transfers.waiterCount == 3
                || test.pipeline.stages.images.waiterCount == 3 && test.pipeline.stages.images.count == 2
        }
        earlyTransfer.answer(.init(body: Sample.png(seed: 9)))
        #expect(try await firstSample(early.image) == 9)
        lateTransfer.answer(.init(body: Sample.png(seed: 10)))
        #expect(try await firstSample(refresh.image) == 10)
        #expect(try await firstSample(late.image) == 10)
        #expect(test.transport.startedCount == 2)
        await test.settle()
        #expect(firstSample(cache.entryInMemory(for: ImageRequest(url))?.image) == 10)
    }

    @Test("a load after a refresh does not join one that began with the older image while the refresh went on")
    func beganDuringRefresh() async throws {
        let (gate, isWaiting) = (DispatchGate(), Lock(false))
        let processed = ImageOption.processor(
            .closure(name: "waiting") { image, _ in
                isWaiting.withLock { $0 = true }
                gate.wait()
                return image
            }
        )
        test.transport.serve(url, Sample.png(seed: 9))
        _ = try await test.pipeline.response(for: url, options: [.waitForCache])
        test.transport.setRoute(url, nil)
        let refresh = test.pipeline.task(for: url, options: [.forceRefresh])
        let transfer = await test.transport.nextTransfer()
        let early = test.pipeline.task(for: url, options: [processed])
        await eventually { isWaiting.withLock { $0 } }
        transfer.answer(.init(body: Sample.png(seed: 10)))
        #expect(try await firstSample(refresh.image) == 10)
        let late = test.pipeline.task(for: url, options: [processed])
        await eventually { [test] in test.pipeline.stages.images.waiterCount == 2 }
        gate.open()
        #expect(try await firstSample(early.image) == 9)
        #expect(try await firstSample(late.image) == 10)
    }

    @Test("forced refreshes that go on at the same time share one transfer")
    func twoRefreshes() async throws {
        let tasks = [8, 16].map { test.pipeline.task(for: url, options: [cropped($0), .forceRefresh]) }
        let transfer = await test.transport.nextTransfer()
        await eventually { [test] in test.pipeline.stages.decoding.work.waiterCount == 2 }
        transfer.answer(.init(body: Sample.png(seed: 9)))
        for task in tasks { #expect(try await firstSample(task.image) == 9) }
        #expect(test.transport.startedCount == 1)
    }

    @Test("a load joins no transfer that is older than what was loaded since, and that transfer overwrites nothing")
    func olderTransfer() async throws {
        let early = test.pipeline.task(for: url, options: [cropped(8)])
        let transfer = await test.transport.nextTransfer()
        test.transport.serve(url, Sample.png(seed: 10))
        // A header that the server does not look at keeps the two transfers apart.
        _ = try await test.pipeline.response(
            for: url,
            options: [cropped(9), .cacheOriginalImage, .waitForCache, .headers([.accept: "image/*"])]
        )
        let late = test.pipeline.task(
            for: url,
            options: [cropped(10), .cacheOriginalImage, .waitForCache, .fromMemoryCacheOrRefresh]
        )
        #expect(try await firstSample(late.image) == 10)
        transfer.answer(.init(body: Sample.png(seed: 9)))
        #expect(try await firstSample(early.image) == 9)
        await test.settle()
        let original = try #require(await cache.storedData(for: ImageRequest(url)))
        #expect(try firstSample(ImageCodecs.standard.decode(original)) == 10)
    }

    @Test("an image read from disk gives way to what a forced refresh brings that had begun before it was read")
    func readDuringRefresh() async throws {
        try await cache.store(Sample.png(seed: 9), for: ImageRequest(url))
        let refresh = test.pipeline.task(for: url, options: [.forceRefresh])
        let transfer = await test.transport.nextTransfer()
        #expect(try await firstSample(test.pipeline.response(for: url).image) == 9)
        transfer.answer(.init(body: Sample.png(seed: 10)))
        #expect(try await firstSample(refresh.image) == 10)
        await test.settle()
        #expect(firstSample(cache.entryInMemory(for: ImageRequest(url))?.image) == 10)
    }

    @Test("an image read from disk keeps its place when a load ends that is older than what was read")
    func readAfterRefresh() async throws {
        let early = test.pipeline.task(for: url)
        let earlyTransfer = await test.transport.nextTransfer()
        test.transport.serve(url, Sample.png(seed: 10))
        _ = try await test.pipeline.response(for: url, options: [.forceRefresh, .waitForCache])
        cache.removeAllFromMemory()
        let fromDisk = try await test.pipeline.response(for: url)
        #expect(fromDisk.source == .disk)
        earlyTransfer.answer(.init(body: Sample.png(seed: 9)))
        _ = try await early.image
        await test.settle()
        #expect(firstSample(cache.entryInMemory(for: ImageRequest(url))?.image) == 10)
    }

    @Test("an image read from disk after memory was cleared goes when a forced refresh ends that had begun before")
    func clearedDuringRefresh() async throws {
        try await cache.store(Sample.png(seed: 9), for: ImageRequest(url))
        let refresh = test.pipeline.task(for: url, options: [.forceRefresh])
        let transfer = await test.transport.nextTransfer()
        cache.removeAllFromMemory()
        #expect(try await firstSample(test.pipeline.response(for: url).image) == 9)
        transfer.answer(.init(body: Sample.png(seed: 10)))
        _ = try await refresh.image
        await test.settle()
        #expect(try await firstSample(test.pipeline.response(for: url).image) == 10)
    }

    @Test("a load finds what the load before it brought although that is still being written")
    func readWhileWritten() async throws {
        let gate = DispatchGate()
        let mustWait = Lock(false)
        let codecs = ImageCodecs.observed { call, _ in
            if call == .encode, mustWait.withLock({ $0 }) { gate.wait() }
        }
        let test = TestPipeline(codecs: codecs)
        let options = [cropped(9)]
        test.transport.serve(url, Sample.png(seed: 9))
        _ = try await test.pipeline.response(for: url, options: options + [.waitForCache])
        mustWait.withLock { $0 = true }
        test.transport.serve(url, Sample.png(seed: 10))
        _ = try await test.pipeline.response(for: url, options: options + [.forceRefresh])
        test.pipeline.cache.removeAllFromMemory()
        let task = test.pipeline.task(for: url, options: options)
        await eventually { task.finishedResponse != nil || test.pipeline.cache.tiers.waitingReadCount > 0 }
        gate.open()
        let response = try await task.response
        #expect(firstSample(response.image) == 10)
        #expect(response.source == .disk)
    }

    /// Runs a test while an image is not in memory, and its store waits until a gate is opened.
    private func withWaitingStore(_ body: (DispatchGate) async throws -> Void) async throws {
        let gate = DispatchGate()
        let isBlocked = Lock(false)
        async let blocker: Void = cache.disk.change { _ in
            isBlocked.withLock { $0 = true }
            gate.wait()
        }
        await eventually { isBlocked.withLock { $0 } }
        test.transport.serve(url, Sample.png(seed: 9))
        _ = try await test.pipeline.response(for: url)
        cache.removeAllFromMemory()
        try await body(gate)
        try await blocker
    }

    @Test("what is read from disk after waiting for its store is kept in memory")
    func keptAfterWaiting() async throws {
        try await withWaitingStore { gate in
            let reader = test.pipeline.task(for: url)
            await eventually { cache.tiers.waitingReadCount == 1 }
            gate.open()
            let response = try await reader.response
            #expect(response.source == .disk)
        }
        #expect(test.pipeline.responseFromMemory(for: url) != nil)
    }

    @Test("an image whose store is under way counts as on disk")
    func typeWhileWritten() async throws {
        try await withWaitingStore { gate in
            async let type = cache.tiers(with: ImageRequest(url))
            await eventually { cache.tiers.waitingReadCount == 1 }
            gate.open()
            #expect(await type == .disk)
        }
    }

    @Test("a load that waits to read what is being written can be cancelled at once")
    func leavingReader() async throws {
        let gate = DispatchGate()
        let test = TestPipeline(codecs: .observed { call, _ in if call == .encode { gate.wait() } })
        test.transport.serve(url, Sample.png())
        _ = try await test.pipeline.response(for: url, options: [cropped(9)])
        let cache = test.pipeline.cache
        cache.removeAllFromMemory()
        let request = ImageRequest(url, options: [cropped(9)])
        let reader = Task { try await cache.entry(for: request) }
        await eventually { cache.tiers.waitingReadCount == 1 }
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        gate.open()
        await test.settle()
    }
}
