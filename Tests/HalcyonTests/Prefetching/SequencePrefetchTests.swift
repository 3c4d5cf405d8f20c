import FoundationEssentials
import Glibc
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Prefetching a sequence")
struct SequencePrefetchTests {
    private let test = TestPipeline()
    private let base = Sample.url("images/")

    private func url(_ number: Int) -> URL { base.appending(path: "\(number).png") }

    private func serveAll() {
        let image = Sample.png(2, 2)
        test.transport.setAnswer { _ in .init(body: image) }
    }

    @Test("gives counts, and lists if they are asked for", arguments: [false, true])
    func counts(collects: Bool) async {
        serveAll()
        let urls = Set((0..<20).map(url))
        let result = await ImagePrefetcher(
            urls: urls,
            pipeline: test.pipeline,
            destination: .disk,
            collectsResults: collects
        ).run()
        #expect(result.counts == PrefetchProgress(completedCount: 20, totalCount: 20))
        #expect(Set(result.completed) == Set(collects ? urls.map { ImageRequest($0) } : []))
        #expect(result.sequenceFailure == nil)
    }

    @Test("has the counts of an array beside its lists")
    func array() async {
        serveAll()
        let result = await ImagePrefetcher(urls: (0..<3).map(url), pipeline: test.pipeline).run()
        #expect(result.counts == PrefetchProgress(completedCount: 3, totalCount: 3))
        #expect(result.completed.count == 3)
    }

    @Test("takes requests as they come from an asynchronous sequence")
    func asynchronous() async {
        serveAll()
        let (stream, continuation) = AsyncStream.makeStream(of: ImageRequest.self)
        let prefetcher = ImagePrefetcher(requests: stream, pipeline: test.pipeline, destination: .disk)
        prefetcher.start()
        for number in 0..<10 {
            continuation.yield(ImageRequest(url(number)))
            await eventually { prefetcher.progress.completedCount == number + 1 }
        }
        continuation.finish()
        #expect(await prefetcher.run().counts == PrefetchProgress(completedCount: 10, totalCount: 10))
    }

    @Test("reads no further ahead than loads may run, and nothing while it is paused")
    func readingAhead() async {
        let numbers = EndlessNumbers()
        let prefetcher = ImagePrefetcher(
            urls: numbers.urls(url),
            pipeline: test.pipeline,
            maxConcurrentLoads: 2
        )
        prefetcher.start()
        let running = [await test.transport.nextTransfer(), await test.transport.nextTransfer()]
        #expect(numbers.count == 2)
        prefetcher.isPaused = true
        for transfer in running { transfer.answer(.init(body: Sample.png(2, 2))) }
        await eventually { prefetcher.taskCount == 0 }
        #expect(numbers.count == 2)
        #expect(prefetcher.progress == PrefetchProgress(completedCount: 2, totalCount: 2))
        prefetcher.isPaused = false
        _ = await test.transport.nextTransfer()
        prefetcher.stop()
        _ = await prefetcher.run()
        await test.settle()
    }

    @Test("that never ends is over once it is stopped, and takes nothing more from it")
    func endless() async {
        serveAll()
        let numbers = EndlessNumbers()
        let holder = Lock<ImagePrefetcher?>(nil)
        let prefetcher = ImagePrefetcher(
            urls: numbers.urls(url),
            pipeline: test.pipeline,
            destination: .disk,
            maxConcurrentLoads: 1,
            onProgress: { if $0.finishedCount == 50 { holder.withLock { $0 }?.stop() } }
        )
        holder.withLock { $0 = prefetcher }
        let result = await prefetcher.run()
        holder.withLock { $0 = nil }
        prefetcher.isPaused = false
        prefetcher.maxConcurrentLoads = 20
        prefetcher.start()
        await test.settle()
        #expect(result.counts == PrefetchProgress(completedCount: 50, totalCount: 50))
        #expect(numbers.count == 50 && test.transport.startedCount == 50)
        #expect(prefetcher.currentResult == result)
    }

    @Test("that ignores cancellation is not waited for when it is stopped")
    func uncancellable() async {
        let (asked, end) = (Gate(), Gate())
        let prefetcher = ImagePrefetcher(
            requests: StuckSequence(asked: asked, end: end),
            pipeline: test.pipeline
        )
        prefetcher.start()
        await asked.wait()
        prefetcher.stop()
        #expect(await prefetcher.run() == PrefetchResult())
        end.open()
        await test.settle()
        #expect(test.transport.startedCount == 0)
        #expect(prefetcher.progress == PrefetchProgress())
    }

    @Test("is cancelled with the prefetcher, and released", arguments: [false, true])
    func cancelled(whileItWaits: Bool) async {
        let terminated = Gate()
        let prefetcher: ImagePrefetcher
        do {
            let (stream, continuation) = AsyncStream.makeStream(of: ImageRequest.self)
            continuation.onTermination = { _ in terminated.open() }
            // With one load at a time, nothing waits for the stream while that runs.
            prefetcher = ImagePrefetcher(requests: stream, pipeline: test.pipeline, maxConcurrentLoads: 1)
            if !whileItWaits { continuation.yield(ImageRequest(url(0))) }
        }
        prefetcher.start()
        if !whileItWaits { _ = await test.transport.nextTransfer() }
        prefetcher.stop()
        _ = await prefetcher.run()
        await terminated.wait()
    }

    @Test("that throws ends after the requests before it, with the text of the error")
    func throwing() async {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: URL.self)
        for number in 0..<3 { continuation.yield(url(number)) }
        continuation.finish(throwing: SequenceError())
        let prefetcher = ImagePrefetcher(urls: stream, pipeline: test.pipeline, destination: .disk)
        prefetcher.start()
        for _ in 0..<3 { await test.transport.nextTransfer().answer(.init(body: Sample.png(2, 2))) }
        let result = await prefetcher.run()
        #expect(result.counts == PrefetchProgress(completedCount: 3, totalCount: 3))
        #expect(result.sequenceFailure == "the list broke off")
    }

    @Test("counts equal requests once, also where they differ in what does not count")
    func duplicates() async {
        serveAll()
        let options: [[ImageOption]] = [
            [], [.priority(.high)], [.callbackExecutor(.calling)], [.frame(0)], [.previews([.file("/a")])],
        ]
        let requests = (0..<50).map { ImageRequest(url($0 % 5), options: options[$0 / 10]) }
        let other = ImageRequest(url(0), options: [.frame(1)])
        let prefetcher = ImagePrefetcher(
            requests: (requests + [other])[...],
            pipeline: test.pipeline,
            destination: .disk
        )
        #expect(await prefetcher.run().counts.totalCount == 6)
    }

    @Test("has one copy of the iterator of an asynchronous sequence")
    func iteratorInPlace() async {
        serveAll()
        let copies = Lock(0)
        let urls = OwningSequence(urls: (0..<5).map(url), copies: copies)
        let result = await ImagePrefetcher(urls: urls, pipeline: test.pipeline, destination: .disk).run()
        #expect(result.counts == PrefetchProgress(completedCount: 5, totalCount: 5))
        #expect(copies.withLock { $0 } == 0)
    }

    @Test("takes requests whose names differ in their bytes alone for two")
    func bytesOfNames() async {
        serveAll()
        // The same letter, as one scalar and as two.
        let names = ["caf\u{E9}", "cafe\u{301}"]
        let address = url(0)
        let requests = names.flatMap { name in
            [ImageRequest(.url(address, cacheKey: name)), ImageRequest(.file("/nowhere/\(name).png"))]
        }
        let prefetcher = ImagePrefetcher(requests: requests[...], pipeline: test.pipeline)
        #expect(await prefetcher.run().counts.totalCount == 4)
    }

    @Test("of one request over and over goes on looking, and can be stopped")
    func onlyDuplicates() async {
        serveAll()
        let numbers = EndlessNumbers()
        let url = url(0)
        let prefetcher = ImagePrefetcher(urls: numbers.urls { _ in url }, pipeline: test.pipeline)
        prefetcher.start()
        await eventually { numbers.count > 10_000 && prefetcher.progress.completedCount == 1 }
        prefetcher.stop()
        #expect(await prefetcher.run().counts == PrefetchProgress(completedCount: 1, totalCount: 1))
    }

    @Test("runs as many loads at a time as it may at that moment")
    func width() async {
        let prefetcher = ImagePrefetcher(
            urls: EndlessNumbers().urls(url),
            pipeline: test.pipeline,
            maxConcurrentLoads: 1
        )
        prefetcher.start()
        var running = [await test.transport.nextTransfer()]
        prefetcher.maxConcurrentLoads = 3
        #expect(prefetcher.maxConcurrentLoads == 3)
        for _ in 0..<2 { running.append(await test.transport.nextTransfer()) }
        prefetcher.maxConcurrentLoads = 0
        #expect(prefetcher.maxConcurrentLoads == 1)
        for transfer in running.dropLast() { transfer.answer(.init(body: Sample.png(2, 2))) }
        await eventually { prefetcher.progress.completedCount == 2 && prefetcher.taskCount == 1 }
        #expect(test.transport.startedCount == 3)
        running[2].answer(.init(body: Sample.png(2, 2)))
        _ = await test.transport.nextTransfer()
        #expect(test.transport.startedCount == 4)
        prefetcher.stop()
        _ = await prefetcher.run()
    }

    @Test("has an event for each request, and one for the end, also for a reader that comes late")
    func events() async {
        test.transport.serve(url(0), Sample.png(2, 2))
        test.transport.serve(url(1), Data(), status: 404)
        let requests = [ImageRequest(url(0)), ImageRequest(url(1))]
        _ = try? await test.pipeline.response(for: url(0))
        test.transport.serve(url(2), Sample.png(2, 2))
        let all = requests + [ImageRequest(url(2))]
        let prefetcher = ImagePrefetcher(requests: all[...], pipeline: test.pipeline, maxConcurrentLoads: 1)
        let events = prefetcher.events()
        let result = await prefetcher.run()
        var seen: [PrefetchEvent] = []
        for await event in events { seen.append(event) }
        let error = ImageError(stage: .load, reason: .status(404), source: url(1).absoluteString)
        #expect(
            seen == [
                .skipped(all[0]), .failed(.init(request: all[1], error: error)), .completed(all[2]), .finished(result),
            ]
        )
        var late: [PrefetchEvent] = []
        for await event in prefetcher.events() { late.append(event) }
        #expect(late == [.finished(result)])
    }

    @Test("ends its events when the prefetcher is released before its start")
    func releasedBeforeStart() async {
        let numbers = EndlessNumbers()
        var prefetcher: ImagePrefetcher? = ImagePrefetcher(urls: numbers.urls(url), pipeline: test.pipeline)
        let events = prefetcher?.events() ?? AsyncStream(unfolding: { nil })
        prefetcher = nil
        var seen: [PrefetchEvent] = []
        for await event in events { seen.append(event) }
        #expect(seen == [.finished(PrefetchResult())])
        #expect(numbers.count == 0)
    }

    @Test("starts no load while many events wait to be delivered")
    func backlog() {
        let items = (0..<200).map { PrefetchItem(ImageRequest(url($0)), in: test.pipeline) }
        var state = PrefetchWork.State(
            width: 1,
            rest: .list(items, next: 0),
            collectsResults: false,
            reportsProgress: true
        )
        state.phase = .started
        var started = 0
        while case .load(let item) = state.claimTurn(for: 1) {
            started += 1
            _ = state.noteEnd(of: item, .success(true))
        }
        #expect(started == 64 && state.hasWaitedForDeliveries)
        var isDeliverer = false
        #expect(state.deliveries.next(&isDeliverer).count == 64)
        #expect(state.claimTurn(for: 1) != nil)
    }

    @Test("tells a slow listener of every request, in order")
    func slowListener() async {
        serveAll()
        let counts = Lock<[Int]>([])
        let prefetcher = ImagePrefetcher(
            urls: CountedSequence(count: 400, make: url),
            pipeline: test.pipeline,
            destination: .disk,
            maxConcurrentLoads: 4,
            onProgress: { progress in
                for _ in 0..<100 { sched_yield() }
                counts.withLock { $0.append(progress.finishedCount) }
            }
        )
        #expect(await prefetcher.run().counts.completedCount == 400)
        #expect(counts.withLock { $0 } == Array(1...400))
    }

    @Test("applies the same changes once, whatever the number of requests")
    func optionsOnce() async {
        let calls = Lock(0)
        let own = ImageOption { options in
            calls.withLock { $0 += 1 }
            options.cache.storesOnDisk = false
        }
        let test = TestPipeline(defaultOptions: [.keepSixteenBits])
        test.transport.setAnswer { _ in .init(body: Sample.png(2, 2)) }
        for isArray in [true, false] {
            let requests = (0..<3).map { _ in ImageRequest(Sample.url(), options: [own]) }
            calls.withLock { $0 = 0 }
            let prefetcher =
                isArray
                ? ImagePrefetcher(requests: requests, pipeline: test.pipeline)
                : ImagePrefetcher(requests: requests[...], pipeline: test.pipeline)
            #expect(await prefetcher.run().counts.completedCount == 3)
            #expect(calls.withLock { $0 } == 1)
        }
    }
}

/// The numbers from 0, as far as they are asked for.
private final class EndlessNumbers: Sendable {
    private let next = Lock(0)

    /// How many were taken.
    var count: Int { next.withLock { $0 } }

    func urls(_ url: @escaping @Sendable (Int) -> URL) -> CountedSequence<URL> {
        CountedSequence(count: .max) { [self] _ in
            let number = next.withLock { next in
                defer { next += 1 }
                return next
            }
            return url(number)
        }
    }
}

/// Waits for a gate, cancelled or not, and then has one element.
private struct StuckSequence: AsyncSequence, Sendable {
    typealias Element = ImageRequest

    let asked: Gate
    let end: Gate

    struct AsyncIterator: AsyncIteratorProtocol {
        let sequence: StuckSequence

        func next() async -> ImageRequest? {
            sequence.asked.open()
            await sequence.end.wait()
            return ImageRequest(Sample.url())
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(sequence: self) }
}

/// URLs that an iterator owns: counts the steps at which a second copy of it exists.
private struct OwningSequence: AsyncSequence, Sendable {
    typealias Element = URL

    let urls: [URL]
    let copies: Lock<Int>

    final class Owned: Sendable {}

    struct AsyncIterator: AsyncIteratorProtocol {
        var rest: ArraySlice<URL>
        var owned = Owned()
        let copies: Lock<Int>

        mutating func next() async -> URL? {
            if !isKnownUniquelyReferenced(&owned) { copies.withLock { $0 += 1 } }
            return rest.popFirst()
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: urls[...], copies: copies) }
}

private struct SequenceError: Error, CustomStringConvertible {
    var description: String { "the list broke off" }
}
