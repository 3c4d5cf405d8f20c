import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A removal from the caches")
struct RemovalTests {
    /// A way to remove an image.
    enum Removal: CaseIterable {
        case all, source, prefix

        func perform(_ cache: ImageCache, _ url: URL, _ options: [ImageOption]) async throws {
            switch self {
            case .all: try await cache.removeAll()
            case .source: try await cache.remove(for: ImageRequest(url, options: options))
            case .prefix: try await cache.removeAll(originalsBeginningWith: url.absoluteString)
            }
        }
    }

    private let url = Sample.url()

    private func options(isProcessed: Bool) -> [ImageOption] {
        isProcessed ? [.processor(.crop(to: .pixels(9, 9))), .cacheOriginalImage] : [.cacheOriginalImage]
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

    @Test("takes every variant of an original, from the parts that it names")
    func variants() async throws {
        let test = TestPipeline()
        test.transport.serve(url, Sample.png())
        let variants = [ImageRequest(url), ImageRequest(url, options: options(isProcessed: true))]
        let cache = test.pipeline.cache
        func load() async throws {
            for request in variants { _ = try await test.pipeline.response(for: request) }
            await test.settle()
            for request in variants { #expect(await cache.tiers(with: request) == .all) }
        }
        try await load()
        #expect(try await cache.remove(for: variants[1], from: .memory) == 0)
        for request in variants { #expect(await cache.tiers(with: request) == .disk) }
        try await load()
        #expect(try await cache.remove(for: variants[1], from: .disk) == 2)
        for request in variants { #expect(await cache.tiers(with: request) == .memory) }
        cache.removeAllFromMemory()
        try await load()
        #expect(try await cache.remove(for: variants[0]) == 2)
        for request in variants { #expect(await cache.tiers(with: request) == []) }
        #expect(try await cache.remove(for: variants[0], from: []) == 0)
    }

    @Test("from memory alone lets a load under way store on disk alone")
    func memoryOfLoad() async throws {
        let test = TestPipeline()
        let request = ImageRequest(url)
        let task = test.pipeline.task(for: request)
        let transfer = await test.transport.nextTransfer()
        try await test.pipeline.cache.remove(for: request, from: .memory)
        transfer.answer(.init(body: Sample.png()))
        _ = try await task.response
        await test.settle()
        #expect(await test.pipeline.cache.tiers(with: request) == .disk)
    }

    @Test("takes the image of a file in its present state")
    func presentFile() async throws {
        let path = TestPipeline.temporaryPath()
        try Sample.png().write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let test = TestPipeline()
        let request = ImageRequest(.file(path))
        _ = try await test.pipeline.image(from: request)
        let cache = test.pipeline.cache
        #expect(await cache.tiers(with: request) == .memory)
        #expect(try await cache.entry(for: request)?.tier == .memory)
        try await cache.remove(for: request)
        #expect(await cache.tiers(with: request) == [])
        #expect(cache.memoryStatistics.count == 0)
        #expect(try await cache.remove(for: ImageRequest(.file(path + ".missing"))) == 0)
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

    @Test("leaves nothing of a file whose name was not known yet")
    func fileByPrefix() async throws {
        let path = TestPipeline.temporaryPath()
        try Sample.png().write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let test = TestPipeline()
        let stages = test.pipeline.stages
        let pending = stages.resolver.begin(ImageRequest(.file(path)))
        try await test.pipeline.cache.removeAll(originalsBeginningWith: "")
        let context = WorkContext(priority: PriorityBox(.normal), report: { _ in })
        _ = try await Load(ImageForm(stages)).intercepted(pending, context: context)
        #expect(test.pipeline.cache.memoryStatistics.count == 0)
    }

    /// Loads the second of two sources, because the first fails after `body` has run.
    private func loadAlternative(
        _ test: TestPipeline,
        _ second: URL,
        _ options: [ImageOption] = [],
        body: () async throws -> Void
    ) async throws {
        let options = options + [.alternativeSources([.url(second)])]
        let task = test.pipeline.task(for: Sample.url(), options: options)
        let transfer = await test.transport.nextTransfer()
        try await body()
        test.transport.serve(second, Sample.png(seed: 9))
        transfer.answer(.init(status: 500))
        _ = try await task.image
        await test.settle()
    }

    @Test("leaves nothing of an alternative that is tried only then", arguments: Removal.allCases)
    func alternative(removal: Removal) async throws {
        let test = TestPipeline()
        let cache = test.pipeline.cache
        try await loadAlternative(test, url) { try await removal.perform(cache, url, []) }
        #expect(try await isEmpty(cache))
        // A load that begins afterwards is stored.
        _ = try await test.pipeline.response(for: url)
        await test.settle()
        #expect(cache.memoryStatistics.count == 1)
        #expect(try await cache.diskStatistics().count == 1)
        await eventually { cache.order.recordCount == 0 }
    }

    @Test("of one tier leaves the other to an alternative that is tried only then")
    func alternativeOfOneTier() async throws {
        let test = TestPipeline()
        let cache = test.pipeline.cache
        try await loadAlternative(test, url) { _ = try await cache.remove(for: ImageRequest(url), from: .disk) }
        #expect(cache.isInMemory(ImageRequest(url)))
        #expect(try await cache.diskStatistics().count == 0)
    }

    @Test("leaves alone what a program stores of an alternative that is tried only then", arguments: [false, true])
    func alternativeStored(isImage: Bool) async throws {
        let test = TestPipeline()
        let cache = test.pipeline.cache
        let stored = Sample.png(seed: 10)
        try await loadAlternative(test, url, [.forceRefresh]) {
            if isImage {
                let image = try ImageCodecs.standard.decode(stored)
                try await cache.store(image, original: stored, for: ImageRequest(url))
            } else {
                try await cache.store(stored, for: ImageRequest(url))
            }
        }
        #expect(try #require(await test.pipeline.cache.entry(for: ImageRequest(url))).image.owner == 10)
        cache.removeAllFromMemory()
        #expect(try #require(await test.pipeline.cache.entry(for: ImageRequest(url))).image.owner == 10)
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

    @Test("leaves nothing of a stale image that is being revalidated")
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

    @Test("leaves nothing of a refresh that a load begins which began before")
    func refreshingLater() async throws {
        let fixture = ServerCachingFixture()
        let stages = fixture.test.pipeline.stages
        let cache = fixture.test.pipeline.cache
        fixture.serve(Sample.png(), [.cacheControl: "max-age=60"])
        let request = try #require(stages.resolver.begin(ImageRequest(fixture.url)).resolved)
        try await cache.removeAll()
        stages.original.refresher.refresh(request, try #require(request.cacheableTransfer), nil)
        await stages.original.refresher.wait()
        #expect(fixture.requestCount == 1)
        #expect(try await isEmpty(cache))
    }

    @Test("leaves nothing of what was read from disk before", arguments: Removal.allCases, [false, true])
    func reading(removal: Removal, isProcessed: Bool) async throws {
        let held = HeldCall()
        let test = TestPipeline(codecs: .observed { call, _ in if call == .decode { held.pass() } })
        let cache = test.pipeline.cache
        let options = options(isProcessed: isProcessed)
        test.transport.serve(url, Sample.png())
        _ = try await test.pipeline.response(for: url, options: options)
        await test.settle()
        cache.removeAllFromMemory()
        held.arm()
        let task = test.pipeline.task(for: url, options: options)
        await held.waitUntilReached()
        try await removal.perform(cache, url, options)
        held.release()
        #expect(try await task.response.source == .disk)
        await test.settle()
        #expect(try await isEmpty(cache))
    }

    @Test("hides what is still on disk while it is being made, from loads and from the cache's own look-ups")
    func hiding() async throws {
        let test = TestPipeline()
        let cache = test.pipeline.cache
        let request = ImageRequest(url)
        let key = try #require(ImageKey(request))
        #expect(try await cache.store(Sample.png(seed: 1), for: request))
        let removal = cache.order.begin(.name(key.originalDiskKey), from: .all)
        #expect(try await cache.entry(for: request) == nil)
        test.transport.serve(url, Sample.png(seed: 2))
        let response = try await test.pipeline.response(for: request)
        #expect(response.source == .network && response.image.owner == 2)
        await test.settle()
        cache.order.end(removal)
        #expect(await cache.storedData(for: request) == Sample.png(seed: 2))
    }

    @Test("is made in memory and on disk in a task that was cancelled, too", arguments: Removal.allCases)
    func cancelled(removal: Removal) async throws {
        let test = TestPipeline()
        let (cache, url) = (test.pipeline.cache, url)
        let processing = options(isProcessed: true)
        test.transport.serve(url, Sample.png())
        for options in [[], processing] { _ = try await test.pipeline.response(for: url, options: options) }
        await test.settle()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await removal.perform(cache, url, processing)
        }
        try await task.value
        #expect(try await isEmpty(cache))
    }

    @Test("leaves nothing of a load whose interceptor waits meanwhile", arguments: Removal.allCases)
    func interceptedLoad(removal: Removal) async throws {
        let test = TestPipeline()
        let cache = test.pipeline.cache
        test.transport.serve(url, Sample.png())
        let (isWaiting, gate) = (Gate(), Gate())
        let interceptor = TestInterceptor { load in
            isWaiting.open()
            await gate.wait()
            return try await load.proceed(with: load.request)
        }
        let task = test.pipeline.task(for: url, options: [.interceptors(interceptor)])
        await isWaiting.wait()
        try await removal.perform(cache, url, [])
        gate.open()
        #expect(try await task.response.source == .network)
        await test.settle()
        #expect(try await isEmpty(cache))
    }

    @Test("leaves nothing to a load that is called before it has been made on disk", arguments: Removal.allCases)
    func callingMeanwhile(removal: Removal) async throws {
        let test = TestPipeline()
        let cache = test.pipeline.cache
        try await cache.store(Sample.png(seed: 1), for: ImageRequest(url))
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
        let transfer = await test.transport.nextTransfer()
        transfer.answer(.init(body: Sample.png(seed: 2)))
        #expect(try await task.response.source == .network)
        held.open()
        try await holding
        try await removing.value
        await test.settle()
        #expect(await cache.storedData(for: ImageRequest(url)) == Sample.png(seed: 2))
        #expect(cache.isInMemory(ImageRequest(url)))
    }

    @Test(
        "leaves nothing of a broken transfer to go on with, of this process or an earlier one",
        arguments: Removal.allCases
    )
    func brokenTransfer(removal: Removal) async throws {
        let folder = TestPipeline.temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for isRestarted in [false, true] {
            let first = pipeline(keepingPartsIn: folder)
            let other = Sample.url()
            for url in [url, other] { try await breakOff(ImageRequest(url), first) }
            let second = isRestarted ? pipeline(keepingPartsIn: folder) : first
            try await removal.perform(second.pipeline.cache, url, [])
            #expect(try await range(ImageRequest(url), second) == nil)
            #expect(try await (range(ImageRequest(other), second) == nil) == (removal == .all))
        }
    }

    @Test("leaves nothing of a transfer that breaks off only then", arguments: Removal.allCases, [false, true])
    func breakingTransfer(removal: Removal, hasBegun: Bool) async throws {
        let folder = TestPipeline.temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let test = pipeline(keepingPartsIn: folder)
        let task = test.pipeline.task(for: url)
        let transfer = await test.transport.nextTransfer()
        if hasBegun { send(transfer) }
        try await removal.perform(test.pipeline.cache, url, [])
        if !hasBegun { send(transfer) }
        transfer.fail(.connectionLost("cut off"))
        await #expect(throws: ImageError.self) { try await task.response }
        #expect(try await range(ImageRequest(url), test) == nil)
    }

    @Test("leaves nothing of a broken transfer from another URL than that of the request")
    func brokenTransferElsewhere() async throws {
        let folder = TestPipeline.temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let test = pipeline(keepingPartsIn: folder)
        let mirror = Sample.url()
        let hooks = TestHooks.request("mirror") { request in
            var request = request
            request.url = mirror
            return request
        }
        let hooked = ImageRequest(url, options: [.hooks(hooks)])
        let signed = try [1, 2].map { number in
            ImageRequest(.url(try #require(URL(string: "\(url)?signature=\(number)")), cacheKey: "photograph"))
        }
        for (request, removed) in [(hooked, hooked), (signed[0], signed[1])] {
            try await breakOff(request, test)
            try await test.pipeline.cache.remove(for: removed)
            #expect(try await range(request, test) == nil)
        }
    }

    @Test("from memory alone leaves what was kept of a broken transfer")
    func brokenTransferInMemory() async throws {
        let folder = TestPipeline.temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let test = pipeline(keepingPartsIn: folder)
        try await breakOff(ImageRequest(url), test)
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await range(ImageRequest(url), test) != nil)
    }

    private func pipeline(keepingPartsIn folder: String) -> TestPipeline {
        var configuration = PartialBodyStore.Configuration(folder: folder)
        configuration.minimumBytes = 1
        return TestPipeline(partialBodies: PartialBodyStore(configuration))
    }

    /// Sends the beginning of a body that can be gone on with.
    private func send(_ transfer: ScriptedTransfer) {
        let body = Sample.png()
        transfer.respond(headers: [.eTag: "\"1\"", .contentLength: "\(body.count)"])
        transfer.send(body.prefix(body.count / 2))
    }

    /// Begins to load an image whose transfer breaks off.
    private func breakOff(_ request: ImageRequest, _ test: TestPipeline) async throws {
        let task = test.pipeline.task(for: request)
        let transfer = await test.transport.nextTransfer()
        send(transfer)
        transfer.fail(.connectionLost("cut off"))
        await #expect(throws: ImageError.self) { try await task.response }
    }

    /// Returns the part of an image that is asked for.
    private func range(_ request: ImageRequest, _ test: TestPipeline) async throws -> String? {
        let task = test.pipeline.task(for: request)
        let transfer = await test.transport.nextTransfer()
        task.cancel()
        _ = try? await task.response
        return transfer.request.headers[.range]
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
