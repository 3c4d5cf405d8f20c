import FoundationEssentials
import HTTPTypes
import HalcyonConcurrency
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The order in which images are stored")
struct StoreOrderTests {
    private let url = Sample.url()
    private let test = TestPipeline()

    private var cache: ImageCache { test.pipeline.cache }

    private func firstSample(_ image: DecodedImage?) -> UInt8? { image?.bitmap.pixel(0, 0)[0] }

    /// Starts a load that ends after a forced refresh which began later.
    private func overtakenLoad(_ options: [ImageOption]) async throws {
        // A header that the server does not look at keeps the two transfers apart.
        let early = test.pipeline.task(
            for: url,
            options: ImageOptions().applying(options + [.headers([.accept: "image/*"])])
        )
        let earlyTransfer = await test.transport.nextTransfer()
        let late = test.pipeline.task(for: url, options: ImageOptions(options + [.forceRefresh]))
        let lateTransfer = await test.transport.nextTransfer()
        lateTransfer.answer(.init(body: Sample.png(seed: 10)))
        #expect(try await firstSample(late.image) == 10)
        earlyTransfer.answer(.init(body: Sample.png(seed: 9)))
        #expect(try await firstSample(early.image) == 9)
        await test.settle()
    }

    @Test("lets the program store under a name that an earlier load learns of meanwhile, and not that load")
    func replacementOfOpenLoad() {
        let order = StoreOrder()
        let open = order.beginOpenLoad()
        let begun = WorkNumber.next()
        let replacement = StorePermits(order.permit(for: "b", .replacement))
        let load = StorePermits(order.permit(for: "b", begun: begun))
        #expect(!order.admitsUnchanged(load))
        #expect(order.admitsUnchanged(replacement))
        withExtendedLifetime(open) {}
    }

    @Test("refuses no other work under a name of which more was removed than is noted for a load")
    func overflowOfOpenLoad() throws {
        let order = StoreOrder()
        let open = order.beginOpenLoad()
        let begun = WorkNumber.next()
        let removal = order.begin(.name("x"), from: .all)
        for number in 0...OpenLoads.removalLimit { order.clear(.all, of: .name("n\(number)")) }
        let load = StorePermits(order.permit(for: "x", begun: begun))
        #expect(!order.admitsUnchanged(load))
        #expect(order.admitsUnchanged(try #require(removal.permits)))
        order.end(removal)
        withExtendedLifetime(open) {}
    }

    @Test("keeps what a forced refresh brought when a load that began before it ends", arguments: [false, true])
    func refresh(isProcessed: Bool) async throws {
        var options: [ImageOption] = [.cacheOriginalImage]
        if isProcessed { options.append(.processor(.crop(to: PixelSize(9, 9), anchor: .topLeft))) }
        try await overtakenLoad(options)
        #expect(
            firstSample(cache.entryInMemory(for: ImageRequest(url, options: ImageOptions(options)))?.image) == 10
        )
        cache.removeAllFromMemory()
        let fromDisk = try await test.pipeline.response(for: url, options: ImageOptions(options))
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
            let options: ImageOptions = isProcessed ? [.processor(.crop(to: PixelSize(9, 9)))] : []
            let key = try #require(ImageKey(.url(url), options: options))
            let load = StorePermits(for: key, in: [cache])
            let image = try ImageCodecs.standard.decode(Sample.png(seed: 10))
            #expect(try await cache.store(image, for: ImageRequest(url, options: options)))
            let original = StorePermits(for: key, in: [cache])
            let claim = StoreClaim(load: load, original: original, age: .transferred(began: WorkNumber.next()))
            let late = CachedImage(image: try ImageCodecs.standard.decode(Sample.png(seed: 9)), byteCount: 1)
            cache.remember(late, for: key, with: isProcessed ? nil : .original, claim, expiration: nil)
            #expect(firstSample(cache.entryInMemory(for: ImageRequest(url, options: options))?.image) == 10)
            let items: [StoreOrder.Item] = isProcessed ? [.image(key)] : [.image(key), .original]
            for item in items { #expect(!cache.admission(of: claim, item).isGranted()) }
        }
        #expect(cache.order.permitCount == 0)
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
        let options: ImageOptions = [.processor(.crop(to: PixelSize(9, 9)))]
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

    @Test("stores both of two results that one original was processed to")
    func twoResults() async throws {
        let sizes = [PixelSize(8, 8), PixelSize(16, 16)]
        let tasks = sizes.map { test.pipeline.task(for: url, options: [.processor(.crop(to: $0))]) }
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
        let crops = (1...30).map { ImageOption.processor(.crop(to: PixelSize($0, 9))) }
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
        await eventually { [cache] in cache.order.permitCount == 0 }
    }
}
