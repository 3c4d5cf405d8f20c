import FoundationEssentials
import Glibc
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Prefetching")
struct ImagePrefetcherTests {
    private let test = TestPipeline()
    private let urls = (0..<6).map { Sample.url("\($0).png") }
    private var requests: [ImageRequest] { urls.map { ImageRequest($0) } }

    private func serveAll() {
        for url in urls { test.transport.serve(url, Sample.png()) }
    }

    @Test("brings images into memory, decoded and processed")
    func memory() async {
        serveAll()
        let options: [ImageOption] = [.processor(.resize(to: .pixels(8, 6)))]
        let prefetcher = ImagePrefetcher(urls: urls, options: options, pipeline: test.pipeline)
        let result = await prefetcher.run()
        #expect(Set(result.completed) == Set(urls.map { ImageRequest($0, options: options) }))
        #expect(result.skipped.isEmpty && result.failed.isEmpty)
        for url in urls {
            #expect(test.pipeline.responseFromMemory(for: url, options: options)?.image.size == PixelSize(8, 6))
        }
    }

    @Test("onto the disk decodes nothing, and a later load needs no server")
    func disk() async throws {
        serveAll()
        let prefetcher = ImagePrefetcher(urls: urls, pipeline: test.pipeline, destination: .disk)
        #expect(await prefetcher.run().completed.count == 6)
        #expect(test.counters.decodes == 0)
        #expect(try await test.pipeline.cache.diskStatistics().count == 6)
        let response = try await test.pipeline.response(
            for: urls[0],
            options: [.processor(.resize(to: .pixels(8, 6)))]
        )
        #expect(response.source == .disk)
        #expect(test.transport.startedCount == 6)
    }

    @Test("skips what memory or the disk has", arguments: [ImagePrefetcher.Destination.memory, .disk])
    func skipped(destination: ImagePrefetcher.Destination) async throws {
        serveAll()
        for url in urls[..<3] { _ = try await test.pipeline.image(from: url, options: [.waitForCache]) }
        test.pipeline.cache.removeAllFromMemory()
        _ = try await test.pipeline.image(from: urls[0])
        let prefetcher = ImagePrefetcher(urls: urls, pipeline: test.pipeline, destination: destination)
        let result = await prefetcher.run()
        #expect(Set(result.skipped) == Set(requests[..<3]))
        #expect(Set(result.completed) == Set(requests[3...]))
        #expect(test.transport.startedCount == 6)
    }

    @Test(
        "skips what the cache for originals has, and looks where the default options say",
        arguments: [ImagePrefetcher.Destination.memory, .disk]
    )
    func skippedInOriginalCache(destination: ImagePrefetcher.Destination) async throws {
        serveAll()
        let originals = TestPipeline()
        var configuration = test.pipeline.configuration
        configuration.defaultOptions.processing = .resize(to: .pixels(8, 6))
        configuration.defaultOptions.cache.originalCache = originals.pipeline.cache
        let pipeline = ImagePipeline(configuration: configuration)
        var storing = configuration.defaultOptions
        storing.processing = .resize(to: .pixels(4, 3))
        storing.cache.storesOriginal = true
        storing.cache.waitsForStore = true
        _ = try await pipeline.response(for: ImageRequest(urls[0], exactly: storing))
        let prefetcher = ImagePrefetcher(urls: Array(urls[..<2]), pipeline: pipeline, destination: destination)
        let result = await prefetcher.run()
        #expect(result.skipped == [requests[0]])
        #expect(result.completed == [requests[1]])
        #expect(test.transport.startedCount == 2)
    }

    @Test(
        "loads what is cached anew if the options say so",
        arguments: [ImagePrefetcher.Destination.memory, .disk]
    )
    func forceRefresh(destination: ImagePrefetcher.Destination) async throws {
        serveAll()
        _ = try await test.pipeline.image(from: urls[0], options: [.waitForCache])
        let prefetcher = ImagePrefetcher(
            urls: [urls[0]],
            options: [.forceRefresh],
            pipeline: test.pipeline,
            destination: destination
        )
        #expect(await prefetcher.run().completed.map(\.source) == [requests[0].source])
        #expect(test.transport.startedCount == 2)
    }

    @Test(
        "reports the failed requests and their errors, and stores no error page",
        arguments: [ImagePrefetcher.Destination.memory, .disk]
    )
    func failed(destination: ImagePrefetcher.Destination) async throws {
        test.transport.serve(urls[0], Data(), status: 404)
        test.transport.serve(urls[1], Data("<html>".utf8))
        let prefetcher = ImagePrefetcher(
            urls: Array(urls[..<2]),
            pipeline: test.pipeline,
            destination: destination,
            maxConcurrentLoads: 1
        )
        let failed = await prefetcher.run().failed
        #expect(failed.map(\.request) == Array(requests[..<2]))
        #expect(failed.map(\.error?.stage) == [.load, .decode])
        #expect(try await test.pipeline.cache.diskStatistics().count == 0)
    }

    @Test("counts requests as equal that differ in priority, or say what the pipeline says anyway")
    func equalRequests() async {
        serveAll()
        let requests = [
            ImageRequest(urls[0]), ImageRequest(urls[0], options: [.priority(.high)]),
            ImageRequest(urls[0], options: [.frame(0)]), ImageRequest(urls[0], options: [.frame(1)]),
        ]
        let prefetcher = ImagePrefetcher(requests: requests, pipeline: test.pipeline, destination: .disk)
        let result = await prefetcher.run()
        #expect(prefetcher.progress.totalCount == 2)
        #expect(Set(result.completed + result.skipped) == [requests[0], requests[3]])
    }

    @Test("loads what is named twice once, and counts it once")
    func duplicates() async {
        serveAll()
        let prefetcher = ImagePrefetcher(urls: urls + urls + [urls[0]], pipeline: test.pipeline)
        #expect(prefetcher.progress.totalCount == 6)
        #expect(await prefetcher.run().completed.count == 6)
        #expect(test.transport.startedCount == 6)
    }

    @Test("runs as many loads at a time as it may, five by default", arguments: [nil, 1, 2, 0])
    func concurrency(limit: Int?) async {
        let prefetcher =
            if let limit {
                ImagePrefetcher(urls: urls, pipeline: test.pipeline, maxConcurrentLoads: limit)
            } else {
                ImagePrefetcher(urls: urls, pipeline: test.pipeline)
            }
        prefetcher.start()
        let expected = max(1, limit ?? 5)
        var running: [ScriptedTransfer] = []
        for _ in 0..<expected { running.append(await test.transport.nextTransfer()) }
        for done in 0..<6 {
            #expect(test.transport.startedCount == min(6, done + expected))
            running.removeFirst().answer(.init(body: Sample.png()))
            if done + expected < 6 { running.append(await test.transport.nextTransfer()) }
        }
        #expect(await prefetcher.run().completed.count == 6)
    }

    @Test("stopped with two running of many fails all of them, once, and sends nothing more")
    func stop() async {
        let completions = Lock<[PrefetchResult]>([])
        let prefetcher = ImagePrefetcher(
            urls: urls,
            pipeline: test.pipeline,
            maxConcurrentLoads: 2,
            onCompletion: { result in completions.withLock { $0.append(result) } }
        )
        prefetcher.start()
        let running = [await test.transport.nextTransfer(), await test.transport.nextTransfer()]
        prefetcher.stop()
        let result = await prefetcher.run()
        #expect(Set(result.failed.map(\.request)) == Set(requests))
        #expect(result.failed.count == 6)
        #expect(result.failed.allSatisfy { $0.error == nil })
        for transfer in running { await transfer.waitUntilCancelled() }
        prefetcher.stop()
        prefetcher.start()
        prefetcher.isPaused = false
        await test.settle()
        #expect(test.transport.startedCount == 2)
        #expect(completions.withLock { $0 } == [result])
    }

    @Test("stopped while it passes over cached images sends no request")
    func stopWhileSkipping() async throws {
        serveAll()
        for url in urls[..<5] { _ = try await test.pipeline.image(from: url) }
        let holder = Lock<ImagePrefetcher?>(nil)
        let prefetcher = ImagePrefetcher(
            urls: urls,
            pipeline: test.pipeline,
            maxConcurrentLoads: 1,
            onProgress: { _ in holder.withLock { $0 }?.stop() }
        )
        holder.withLock { $0 = prefetcher }
        let result = await prefetcher.run()
        holder.withLock { $0 = nil }
        #expect(result.skipped == [requests[0]])
        #expect(result.failed.map(\.request) == Array(requests[1...]))
        #expect(test.transport.startedCount(urls[5]) == 0)
    }

    @Test("pauses after what runs, and goes on where it was")
    func pause() async {
        let prefetcher = ImagePrefetcher(urls: urls, pipeline: test.pipeline, maxConcurrentLoads: 2)
        prefetcher.start()
        let running = [await test.transport.nextTransfer(), await test.transport.nextTransfer()]
        prefetcher.isPaused = true
        for transfer in running { transfer.answer(.init(body: Sample.png())) }
        await eventually { prefetcher.progress.completedCount == 2 }
        await test.settle()
        #expect(test.transport.startedCount == 2)
        for url in urls { test.transport.serve(url, Sample.png()) }
        prefetcher.isPaused = false
        #expect(await prefetcher.run().completed.count == 6)
    }

    @Test("is of low priority, which can be changed while it runs")
    func priority() async {
        let prefetcher = ImagePrefetcher(urls: [urls[0]], pipeline: test.pipeline)
        prefetcher.start()
        let transfer = await test.transport.nextTransfer()
        #expect(transfer.request.priority == .low)
        prefetcher.priority = .high
        #expect(transfer.priority == .high)
        transfer.answer(.init(body: Sample.png()))
        _ = await prefetcher.run()
    }

    @Test("shares its loads with a view that needs the image now, which makes them urgent")
    func shared() async throws {
        let prefetcher = ImagePrefetcher(urls: [urls[0]], pipeline: test.pipeline)
        prefetcher.start()
        let transfer = await test.transport.nextTransfer()
        let task = test.pipeline.task(for: urls[0], options: [.priority(.veryHigh)])
        await eventually { transfer.priority == .veryHigh }
        prefetcher.stop()
        _ = await prefetcher.run()
        #expect(!transfer.isCancelled)
        transfer.answer(.init(body: Sample.png()))
        _ = try await task.response
        #expect(test.transport.startedCount == 1)
    }

    @Test("ends when its last reference is released")
    func released() async {
        let completion = Gate()
        var prefetcher: ImagePrefetcher? = ImagePrefetcher(
            urls: urls,
            pipeline: test.pipeline,
            maxConcurrentLoads: 1,
            onCompletion: { _ in completion.open() }
        )
        prefetcher?.start()
        let transfer = await test.transport.nextTransfer()
        prefetcher = nil
        await transfer.waitUntilCancelled()
        await completion.wait()
        await test.settle()
        #expect(test.transport.startedCount == 1)
    }

    @Test("ends when the task that waits for it is cancelled")
    func cancelled() async {
        let prefetcher = ImagePrefetcher(urls: urls, pipeline: test.pipeline, maxConcurrentLoads: 1)
        let waiting = Task { await prefetcher.run() }
        let transfer = await test.transport.nextTransfer()
        waiting.cancel()
        #expect(await waiting.value.failed.count == 6)
        await transfer.waitUntilCancelled()
    }

    @Test("of nothing is over at once")
    func empty() async {
        let completion = Gate()
        let prefetcher = ImagePrefetcher(urls: [], pipeline: test.pipeline, onCompletion: { _ in completion.open() })
        prefetcher.start()
        #expect(completion.isOpen)
        #expect(await prefetcher.run() == PrefetchResult())
    }

    @Test("reports its progress after each source, once however often it is tried")
    func progress() async {
        let clock = ManualClock()
        let test = TestPipeline(recovery: RecoveryConfiguration(network: ManualNetwork(), clock: clock))
        let counts = Lock<[Int]>([])
        let prefetcher = ImagePrefetcher(
            urls: Array(urls[..<2]),
            options: [.retry(.fixed(base: .seconds(3)))],
            pipeline: test.pipeline,
            maxConcurrentLoads: 1,
            onProgress: { progress in counts.withLock { $0.append(progress.finishedCount) } }
        )
        prefetcher.start()
        await test.transport.nextTransfer().answer(.init(status: 503))
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(3))
        await test.transport.nextTransfer().answer(.init(body: Sample.png()))
        await test.transport.nextTransfer().answer(.init(body: Sample.png()))
        #expect(await prefetcher.run().completed.count == 2)
        #expect(counts.withLock { $0 } == [1, 2])
    }

    @Test("reports its progress in order, although another load ends during a report")
    func progressOrder() async {
        let (gate, counts) = (Gate(), Lock<[Int]>([]))
        let prefetcher = ImagePrefetcher(
            requests: Array(requests[..<2]),
            pipeline: test.pipeline,
            maxConcurrentLoads: 2,
            onProgress: { progress in
                if progress.finishedCount == 1 {
                    gate.open()
                    // Time enough for the other to be reported first, if that were possible.
                    for _ in 0..<20_000 where counts.withLock({ $0.isEmpty }) { sched_yield() }
                }
                counts.withLock { $0.append(progress.finishedCount) }
            }
        )
        prefetcher.start()
        let transfers = [await test.transport.nextTransfer(), await test.transport.nextTransfer()]
        transfers[0].answer(.init(body: Sample.png()))
        await gate.wait()
        transfers[1].answer(.init(body: Sample.png()))
        #expect(await prefetcher.run().completed.count == 2)
        #expect(counts.withLock { $0 } == [1, 2])
    }

    @Test("stopped while it waits to try again sends nothing more")
    func stopWhileWaiting() async {
        let clock = ManualClock()
        let test = TestPipeline(recovery: RecoveryConfiguration(network: ManualNetwork(), clock: clock))
        let prefetcher = ImagePrefetcher(urls: [urls[0]], options: [.retry(.fixed())], pipeline: test.pipeline)
        prefetcher.start()
        await test.transport.nextTransfer().answer(.init(status: 503))
        await clock.waitForSleepers(1)
        prefetcher.stop()
        #expect(await prefetcher.run().failed.count == 1)
        await eventually { clock.sleeperCount == 0 }
        #expect(test.transport.startedCount == 1)
    }

    @Test("gives snapshots that stay as they are")
    func snapshots() async {
        let prefetcher = ImagePrefetcher(urls: urls, pipeline: test.pipeline, maxConcurrentLoads: 1)
        prefetcher.start()
        await test.transport.nextTransfer().answer(.init(body: Sample.png()))
        let second = await test.transport.nextTransfer()
        let early = prefetcher.currentResult
        #expect(early.completed == [requests[0]])
        for url in urls { test.transport.serve(url, Sample.png()) }
        second.answer(.init(body: Sample.png()))
        #expect(await prefetcher.run().completed == requests)
        #expect(early.completed.count == 1)
    }

    @Test("ten thousand times, and of ten thousand sources, ends")
    func scale() async {
        serveAll()
        _ = await ImagePrefetcher(urls: urls, pipeline: test.pipeline).run()
        let prefetchers = (0..<10_000).map { _ in ImagePrefetcher(urls: [urls[0]], pipeline: test.pipeline) }
        for prefetcher in prefetchers { prefetcher.start() }
        for prefetcher in prefetchers { #expect(await prefetcher.run().skipped.count == 1) }
        let missing = (0..<10_000).map { ImageRequest(.file("/nowhere/\($0).png")) }
        let long = ImagePrefetcher(requests: missing, pipeline: test.pipeline, destination: .disk)
        #expect(await long.run().failed.count == 10_000)
    }
}
