import FoundationEssentials
import HalcyonConcurrency
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A removal from the caches")
struct RemovalTests {
    /// How an image is removed.
    enum Removal: CaseIterable {
        case all, source, prefix

        func perform(_ cache: ImageCache, _ url: URL, _ options: ImageOptions) async throws {
            switch self {
            case .all: try await cache.removeAll()
            case .source: try await cache.remove(for: ImageRequest(url, options: options))
            case .prefix: try await cache.removeAll(originalsBeginningWith: url.absoluteString)
            }
        }
    }

    private let url = Sample.url()

    private func options(isProcessed: Bool) -> ImageOptions {
        isProcessed ? [.processor(.crop(to: PixelSize(9, 9))), .cacheOriginalImage] : [.cacheOriginalImage]
    }

    private func isEmpty(_ cache: ImageCache) async throws -> Bool {
        await cache.flush()
        let onDisk = try await cache.diskStatistics().count
        return cache.memoryStatistics.count == 0 && onDisk == 0
    }

    @Test(
        "leaves nothing of a load that goes on meanwhile",
        arguments: Removal.allCases,
        [false, true]
    )
    func loading(removal: Removal, isProcessed: Bool) async throws {
        let test = TestPipeline()
        let options = options(isProcessed: isProcessed)
        let task = test.pipeline.task(for: url, options: options)
        let transfer = await test.transport.nextTransfer()
        try await removal.perform(test.pipeline.cache, url, options)
        transfer.answer(.init(body: Sample.png()))
        _ = try await task.response
        await test.settle()
        #expect(try await isEmpty(test.pipeline.cache))
    }

    @Test("leaves nothing of what is being stored", arguments: Removal.allCases)
    func storing(removal: Removal) async throws {
        for _ in 0..<30 {
            let test = TestPipeline()
            let url = Sample.url()
            let options = options(isProcessed: true)
            test.transport.serve(url, Sample.encoded(Sample.noise(120, 100), .png))
            _ = try await test.pipeline.response(for: url, options: options)
            try await removal.perform(test.pipeline.cache, url, options)
            #expect(try await isEmpty(test.pipeline.cache))
        }
    }

    @Test("leaves nothing of what is being encoded to be stored")
    func encoding() async throws {
        let (hasBegun, gate) = (Gate(), DispatchGate())
        let codecs = ImageCodecs.observed { call, _ in
            guard call == .encode else { return }
            hasBegun.open()
            gate.wait()
        }
        let test = TestPipeline(codecs: codecs)
        test.transport.serve(url, Sample.png())
        _ = try await test.pipeline.response(for: url, options: options(isProcessed: true))
        await hasBegun.wait()
        async let removal: Void = test.pipeline.cache.removeAll()
        gate.open()
        try await removal
        #expect(try await isEmpty(test.pipeline.cache))
    }

    @Test("leaves nothing of a load that was started but has not begun")
    func started() async throws {
        let test = TestPipeline()
        test.transport.serve(url, Sample.png())
        let task = test.pipeline.task(for: url)
        test.pipeline.cache.removeAllFromMemory()
        _ = try await task.response
        await test.settle()
        #expect(test.pipeline.cache.memoryStatistics.count == 0)
        #expect(try await test.pipeline.cache.diskStatistics().count == 1)
    }

    @Test("leaves nothing of a file that was asked for, and is looked at only then")
    func file() async throws {
        let path = TestPipeline.temporaryPath()
        try Sample.png().write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let test = TestPipeline()
        let task = test.pipeline.task(for: ImageRequest(.file(path)))
        test.pipeline.cache.removeAllFromMemory()
        _ = try await task.image
        #expect(test.pipeline.cache.memoryStatistics.count == 0)
    }

    @Test("leaves nothing of an alternative that is tried only then")
    func alternative() async throws {
        let test = TestPipeline()
        let (first, second) = (Sample.url(), Sample.url())
        let task = test.pipeline.task(for: first, options: [.alternativeSources([.url(second)])])
        let transfer = await test.transport.nextTransfer()
        try await test.pipeline.cache.removeAll()
        test.transport.serve(second, Sample.png())
        transfer.answer(.init(status: 500))
        _ = try await task.image
        await test.settle()
        #expect(test.pipeline.cache.memoryStatistics.count == 0)
        #expect(try await test.pipeline.cache.diskStatistics().count == 0)
    }

    @Test("leaves nothing of a prefetch that goes on meanwhile")
    func prefetching() async throws {
        let test = TestPipeline()
        let prefetcher = ImagePrefetcher(urls: [url], pipeline: test.pipeline, destination: .disk)
        prefetcher.start()
        let transfer = await test.transport.nextTransfer()
        try await test.pipeline.cache.removeAll()
        transfer.answer(.init(body: Sample.png()))
        _ = await prefetcher.run()
        #expect(try await isEmpty(test.pipeline.cache))
    }

    @Test("leaves nothing of a stale image that is asked for anew")
    func refreshing() async throws {
        let fixture = ServerCachingFixture()
        fixture.serve(Sample.png(), [.cacheControl: "max-age=1, stale-while-revalidate=60", .eTag: "\"a\""])
        _ = try await fixture.load()
        fixture.forgetMemory()
        fixture.clock.advance(by: 2)
        fixture.transport.setRoute(fixture.url, nil)
        #expect(try await fixture.load().source == .disk)
        let transfer = await fixture.transport.nextTransfer()
        try await fixture.test.pipeline.cache.removeAll()
        transfer.answer(.init(headers: [.cacheControl: "max-age=60"], body: Sample.png(seed: 1)))
        await fixture.test.pipeline.stages.original.refresher.wait()
        #expect(try await isEmpty(fixture.test.pipeline.cache))
    }

    @Test("leaves nothing of what is read from disk meanwhile", arguments: Removal.allCases)
    func reading(removal: Removal) async throws {
        let (hasRead, gate) = (Gate(), DispatchGate())
        let codecs = ImageCodecs.observed { call, _ in
            guard call == .decode else { return }
            hasRead.open()
            gate.wait()
        }
        let test = TestPipeline(codecs: codecs)
        let cache = test.pipeline.cache
        try await cache.store(Sample.png(), for: ImageRequest(url))
        let held = DispatchGate()
        let isHeld = Gate()
        async let holding: Void = cache.disk.change { _ in
            isHeld.open()
            held.wait()
        }
        await isHeld.wait()
        // The removal has been asked for, and cannot go on on disk yet.
        let removing = Task { [url] in try await removal.perform(cache, url, []) }
        await eventually { cache.order.isChanging }
        let task = test.pipeline.task(for: url)
        await hasRead.wait()
        held.open()
        try await holding
        try await removing.value
        gate.open()
        #expect(try await task.response.source == .disk)
        await test.settle()
        #expect(try await isEmpty(cache))
    }

    @Test("from memory leaves what is stored on disk, and the other way round")
    func tiers() async throws {
        let test = TestPipeline()
        let cache = test.pipeline.cache
        let task = test.pipeline.task(for: url)
        let transfer = await test.transport.nextTransfer()
        try await cache.removeAllFromDisk()
        transfer.answer(.init(body: Sample.png()))
        _ = try await task.response
        await test.settle()
        #expect(cache.isInMemory(ImageRequest(url)))
        #expect(try await cache.diskStatistics().count == 0)
    }

    @Test("leaves alone what is loaded under other names")
    func otherNames() async throws {
        let test = TestPipeline()
        let other = Sample.url()
        let tasks = [url, other].map { test.pipeline.task(for: $0) }
        let transfers = [await test.transport.nextTransfer(), await test.transport.nextTransfer()]
        try await test.pipeline.cache.remove(for: ImageRequest(url))
        for transfer in transfers { transfer.answer(.init(body: Sample.png())) }
        for task in tasks { _ = try await task.response }
        await test.settle()
        #expect(await test.pipeline.cache.tiers(with: ImageRequest(url)) == [])
        #expect(test.pipeline.cache.isInMemory(ImageRequest(other)))
        #expect(await test.pipeline.cache.storedData(for: ImageRequest(other)) != nil)
    }

    @Test("does not keep later loads from being stored")
    func later() async throws {
        let test = TestPipeline()
        test.transport.serve(url, Sample.png())
        _ = try await test.pipeline.response(for: url)
        try await test.pipeline.cache.removeAll()
        _ = try await test.pipeline.response(for: url)
        await test.settle()
        #expect(test.pipeline.cache.isInMemory(ImageRequest(url)))
        #expect(try await test.pipeline.cache.diskStatistics().count == 1)
    }
}
