import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The order of content")
struct ContentOrderTests {
    private let url = Sample.url()
    private let test = TestPipeline()

    private var cache: ImageCache { test.pipeline.cache }

    private func firstSample(_ image: DecodedImage?) -> UInt8? { image?.bitmap.pixel(0, 0)[0] }

    /// Starts a load that ends after a forced refresh which began later.
    private func overtakenLoad(_ options: [ImageOption]) async throws {
        // A header that the server does not look at keeps the two transfers apart.
        let early = test.pipeline.task(
            for: url,
            options: options + [.headers([.accept: "image/*"])]
        )
        let earlyTransfer = await test.transport.nextTransfer()
        let late = test.pipeline.task(for: url, options: options + [.forceRefresh])
        let lateTransfer = await test.transport.nextTransfer()
        lateTransfer.answer(.init(body: Sample.png(seed: 10)))
        #expect(try await firstSample(late.image) == 10)
        earlyTransfer.answer(.init(body: Sample.png(seed: 9)))
        #expect(try await firstSample(early.image) == 9)
        await test.settle()
    }

    @Test("keeps what a forced refresh brought when a load that began before it ends", arguments: [false, true])
    func refresh(isProcessed: Bool) async throws {
        var options: [ImageOption] = [.cacheOriginalImage]
        if isProcessed { options.append(.processor(.crop(to: .pixels(9, 9), anchor: .topLeft))) }
        try await overtakenLoad(options)
        #expect(firstSample(cache.entryInMemory(for: ImageRequest(url, options: options))?.image) == 10)
        cache.removeAllFromMemory()
        let fromDisk = try await test.pipeline.response(for: url, options: options)
        #expect(fromDisk.source == .disk)
        #expect(firstSample(fromDisk.image) == 10)
        let original = try #require(await cache.storedData(for: ImageRequest(url)))
        #expect(try firstSample(ImageCodecs.standard.decode(original)) == 10)
    }

    @Test("keeps what a forced refresh brought when an image read from disk before it is decoded")
    func readFromDisk() async throws {
        let (hasBegun, gate) = (Gate(), DispatchGate())
        let old = Sample.png(seed: 9)
        let codecs = ImageCodecs.observed { call, data in
            guard call == .decode, data == old else { return }
            hasBegun.open()
            gate.wait()
        }
        let test = TestPipeline(codecs: codecs)
        try await test.pipeline.cache.store(old, for: ImageRequest(url))
        let early = test.pipeline.task(for: url)
        await hasBegun.wait()
        test.transport.serve(url, Sample.png(seed: 10))
        _ = try await test.pipeline.response(for: url, options: [.forceRefresh])
        gate.open()
        #expect(try await firstSample(early.image) == 9)
        await test.settle()
        #expect(firstSample(test.pipeline.cache.entryInMemory(for: ImageRequest(url))?.image) == 10)
    }

    @Test("takes an explicit store for later than a load that began before it and asks for its original after it")
    func explicitStoreBetweenStages() async throws {
        for isProcessed in [false, true] {
            let options: [ImageOption] = isProcessed ? [.processor(.crop(to: .pixels(9, 9)))] : []
            let key = try #require(ImageKey(ImageRequest(url, options: options)))
            let load = ContentRegistrations(for: key, with: [cache])
            let image = try ImageCodecs.standard.decode(Sample.png(seed: 10))
            #expect(try await cache.store(image, for: ImageRequest(url, options: options)))
            let claim = ContentClaim(registrations: load, transfer: WorkNumber.next(), digest: ContentDigest(9))
            #expect(!cache.adopt(claim, for: key))
            let late = try ImageCodecs.standard.decode(Sample.png(seed: 9))
            cache.remember(.image(late), byteCount: 1, nil, for: key, claim, CachePolicy(), sizes: nil)
            #expect(firstSample(cache.entryInMemory(for: ImageRequest(url, options: options))?.image) == 10)
            #expect(!cache.admission(of: claim, key)())
        }
        // The disk lets go of what it stored on its own thread.
        await eventually { [cache] in cache.order.recordCount == 0 }
    }

    @Test("keeps images apart whose names differ in their bytes alone")
    func equivalentNames() async throws {
        // "é" as one scalar and as two.
        let requests = ["caf\u{e9}", "cafe\u{301}"].map {
            ImageRequest(.request(TransferRequest(url: url), cacheKey: $0))
        }
        let task = test.pipeline.task(for: requests[0])
        let transfer = await test.transport.nextTransfer()
        try await cache.store(Sample.png(seed: 9), for: requests[1])
        #expect(try await cache.remove(for: requests[1]) == 1)
        transfer.answer(.init(body: Sample.png(seed: 10)))
        _ = try await task.response
        await test.settle()
        #expect(firstSample(cache.entryInMemory(for: requests[0])?.image) == 10)
        #expect(await cache.storedData(for: requests[0]) == Sample.png(seed: 10))
    }

    @Test("takes an explicit store for later than a load that began before it")
    func explicitStore() async throws {
        let task = test.pipeline.task(for: url)
        let transfer = await test.transport.nextTransfer()
        try await cache.store(Sample.png(seed: 10), for: ImageRequest(url))
        transfer.answer(.init(body: Sample.png(seed: 9)))
        _ = try await task.response
        await test.settle()
        #expect(try await firstSample(test.pipeline.image(from: url)) == 10)
    }

    @Test("takes an explicitly stored image for later than a load that began before it")
    func explicitImage() async throws {
        let options: [ImageOption] = [.processor(.crop(to: .pixels(9, 9)))]
        let task = test.pipeline.task(for: url, options: options)
        let transfer = await test.transport.nextTransfer()
        let image = try ImageCodecs.standard.decode(Sample.png(9, 9, seed: 10))
        #expect(try await cache.store(image, for: ImageRequest(url, options: options)))
        transfer.answer(.init(body: Sample.png(seed: 9)))
        _ = try await task.response
        await test.settle()
        #expect(firstSample(cache.entryInMemory(for: ImageRequest(url, options: options))?.image) == 10)
        cache.removeAllFromMemory()
        #expect(try await firstSample(test.pipeline.response(for: url, options: options).image) == 10)
    }

    @Test("lets an explicit store take the place of one that is still being written")
    func pendingStore() async throws {
        for _ in 0..<30 {
            let test = TestPipeline()
            let url = Sample.url()
            test.transport.serve(url, Sample.png(seed: 9))
            _ = try await test.pipeline.response(for: url)
            try await test.pipeline.cache.store(Sample.png(seed: 10), for: ImageRequest(url))
            await test.settle()
            test.pipeline.cache.removeAllFromMemory()
            #expect(try await firstSample(test.pipeline.image(from: url)) == 10)
        }
    }

    @Test("lets a load that is called during a store by the program find what is stored")
    func loadDuringStore() async throws {
        let (held, isHeld) = (DispatchGate(), Gate())
        let cache = cache
        async let holding: Void = cache.disk.change { _ in
            isHeld.open()
            held.wait()
        }
        await isHeld.wait()
        let request = ImageRequest(url)
        let store = Task { try await cache.store(Sample.png(seed: 10), for: request) }
        await eventually { cache.order.recordCount == 1 && cache.disk.writing.waitingCount > 0 }
        let task = test.pipeline.task(for: url)
        await eventually { cache.tiers.waitingReadCount > 0 }
        held.open()
        try await holding
        #expect(try await store.value)
        #expect(try await task.response.source == .disk)
        #expect(try await firstSample(task.image) == 10)
        #expect(test.transport.startedCount == 0)
    }

    @Test("removes nothing for an image that may have been cut short unseen")
    func cutShort() async throws {
        let crop = ImageOption.processor(.crop(to: .pixels(9, 9)))
        test.transport.serve(url, Sample.png())
        _ = try await test.pipeline.response(for: url, options: [crop, .cacheOriginalImage])
        await test.settle()
        test.transport.setRoute(url, nil)
        let task = test.pipeline.task(for: url, options: [crop, .forceRefresh])
        let transfer = await test.transport.nextTransfer()
        transfer.respond(headers: [:])
        transfer.send(Sample.pngCutShort())
        transfer.finish()
        #expect(try await task.image.isPartial)
        await test.settle()
        cache.removeAllFromMemory()
        #expect(await cache.storedData(for: ImageRequest(url)) == Sample.png())
        #expect(await cache.tiers(with: ImageRequest(url, options: [crop])) == .disk)
    }

    @Test("keeps what the program stored as a result when its original is confirmed, and not when it is replaced")
    func resultOfProgram() async throws {
        let crop = ImageOption.processor(.crop(to: .pixels(9, 9)))
        let stored = ImageRequest(url, options: [crop])
        let image = try ImageCodecs.standard.decode(Sample.png(9, 9, seed: 7))
        test.transport.serve(url, Sample.png(seed: 1))
        _ = try await test.pipeline.response(for: url, options: [.cacheOriginalImage])
        #expect(try await cache.store(image, for: stored))
        // The same bytes once more, and then others.
        for (seed, isKept) in [(1, true), (2, false)] {
            test.transport.serve(url, Sample.png(seed: seed))
            _ = try await test.pipeline.response(for: url, options: [.forceRefresh, .cacheOriginalImage])
            await test.settle()
            #expect(await cache.tiers(with: stored) == (isKept ? .all : []))
        }
    }

    @Test("keeps no result that the program stored before its original changed, although it stores another afterwards")
    func resultsOfProgram() async throws {
        let stored = [9, 7].map { ImageRequest(url, options: [.processor(.crop(to: .pixels($0, $0)))]) }
        let images = try [9, 7].map { try ImageCodecs.standard.decode(Sample.png($0, $0)) }
        test.transport.serve(url, Sample.png(seed: 1))
        _ = try await test.pipeline.response(for: url, options: [.cacheOriginalImage])
        #expect(try await cache.store(images[0], for: stored[0]))
        let (held, isHeld) = (DispatchGate(), Gate())
        let cache = cache
        async let holding: Void = cache.disk.change { _ in
            isHeld.open()
            held.wait()
        }
        await isHeld.wait()
        test.transport.serve(url, Sample.png(seed: 2))
        _ = try await test.pipeline.response(for: url, options: [.forceRefresh, .cacheOriginalImage])
        // What the change has made outdated is still on disk.
        let store = Task { try await cache.store(images[1], for: stored[1]) }
        await eventually { cache.isInMemory(stored[1]) }
        held.open()
        try await holding
        #expect(try await store.value)
        await test.settle()
        #expect(await cache.tiers(with: stored[0]) == [])
        #expect(await cache.tiers(with: stored[1]) == .all)
    }

    @Test(
        "keeps no result that the program stored before its original changed, although that had expired on disk",
        arguments: [ImageOption.fromDiskCacheOrRefresh, .forceRefresh],
        [true, false]
    )
    func resultOfExpiredOriginal(reads: ImageOption, isChanged: Bool) async throws {
        let clock = ManualStoreClock()
        let test = TestPipeline(clock: clock.clock)
        let cache = test.pipeline.cache
        let stored = ImageRequest(url, options: [.processor(.crop(to: .pixels(9, 9)))])
        test.transport.serve(url, Sample.png(seed: 1))
        _ = try await test.pipeline.response(for: url, options: [.diskCacheExpiration(.seconds(100)), .waitForCache])
        #expect(try await cache.store(ImageCodecs.standard.decode(Sample.png(9, 9, seed: 7)), for: stored))
        await cache.flush()
        await eventually { cache.order.recordCount == 0 }
        clock.advance(by: 200)
        test.transport.serve(url, Sample.png(seed: isChanged ? 2 : 1))
        #expect(try await test.pipeline.response(for: url, options: [reads]).source == .network)
        await test.settle()
        #expect(await cache.tiers(with: stored) == (isChanged ? [] : .all))
    }

    @Test("keeps no result of a provider's original that had expired on disk once that has changed")
    func resultOfExpiredProvider() async throws {
        let clock = ManualStoreClock()
        let test = TestPipeline(clock: clock.clock)
        let (cache, seed) = (test.pipeline.cache, Lock(1))
        let source = Source.closure(cacheKey: "page") { Sample.png(seed: seed.withLock { $0 }) }
        let stored = ImageRequest(source, options: [.processor(.crop(to: .pixels(9, 9)))])
        let options: [ImageOption] = [.fromDiskCacheOrRefresh, .diskCacheExpiration(.seconds(100)), .waitForCache]
        _ = try await test.pipeline.response(for: ImageRequest(source, options: options))
        #expect(try await cache.store(ImageCodecs.standard.decode(Sample.png(9, 9, seed: 7)), for: stored))
        await cache.flush()
        await eventually { cache.order.recordCount == 0 }
        clock.advance(by: 200)
        seed.withLock { $0 = 2 }
        #expect(try await test.pipeline.response(for: ImageRequest(source, options: options)).source == .data)
        await test.settle()
        #expect(await cache.tiers(with: stored) == [])
    }

    @Test("stores both of two results that one original was processed to")
    func twoResults() async throws {
        let sizes = [PixelSize(8, 8), PixelSize(16, 16)]
        let tasks = sizes.map { test.pipeline.task(for: url, options: [.processor(.crop(to: .pixels($0)))]) }
        let transfer = await test.transport.nextTransfer()
        await eventually { [test] in test.pipeline.stages.decoding.work.waiterCount == 2 }
        transfer.answer(.init(body: Sample.png()))
        for task in tasks { _ = try await task.response }
        await test.settle()
        #expect(cache.memoryStatistics.count == 2)
        #expect(try await cache.diskStatistics().count == 2)
    }

    @Test("puts an image from disk into memory although the load that stored it there is just writing it")
    func readWhileWritten() async throws {
        let crops = (1...30).map { ImageOption.processor(.crop(to: .pixels($0, 9))) }
        test.transport.serve(url, Sample.png())
        _ = try await test.pipeline.response(for: url, options: [.forceRefresh])
        for (index, crop) in crops.enumerated() {
            _ = try await test.pipeline.response(for: url, options: [crop, .cacheOriginalImage])
            #expect(cache.memoryStatistics.count == index + 2)
        }
    }

    @Test("is tracked only while something is loaded")
    func bookkeeping() async throws {
        test.transport.serve(url, Sample.png())
        for _ in 0..<10 {
            _ = try await test.pipeline.response(for: url, options: [.forceRefresh])
            try await cache.remove(for: ImageRequest(url))
        }
        await test.settle()
        await eventually { [cache] in cache.order.recordCount == 0 }
    }
}
