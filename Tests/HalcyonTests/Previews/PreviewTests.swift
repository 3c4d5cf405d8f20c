import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Previews")
struct PreviewTests {
    private let test = TestPipeline()
    private let url = Sample.url("full.png")
    private let small = Sample.url("small.png")
    private let medium = Sample.url("medium.png")
    private let hash = "LEHV6nWB2yk8pyo0adR*.7kCMdnj"

    private var pipeline: ImagePipeline { test.pipeline }

    private func task(_ previews: [Source], _ options: [ImageOption] = []) -> ImageTask {
        pipeline.task(for: url, options: [.previews(previews)] + options)
    }

    /// Returns the next transfers by their URLs.
    private func transfers(_ count: Int) async -> [URL: ScriptedTransfer] {
        var transfers: [URL: ScriptedTransfer] = [:]
        for _ in 0..<count {
            let transfer = await test.transport.nextTransfer()
            transfers[transfer.request.url] = transfer
        }
        return transfers
    }

    @Test("come in rising quality while the image is loaded, and end with it")
    func order() async throws {
        let task = task([.url(small), .url(medium)])
        let transfers = await transfers(3)
        var previews = task.previews.makeAsyncIterator()
        transfers[small]?.answer(.init(body: Sample.png(4, 3)))
        let first = try #require(await previews.next())
        #expect(first.image.size == PixelSize(4, 3) && first.source == .url(small) && first.quality == 0)
        #expect(first.response.source == .network)
        transfers[medium]?.answer(.init(body: Sample.png(16, 12)))
        let second = try #require(await previews.next())
        #expect(second.image.size == PixelSize(16, 12) && second.quality == 1)
        #expect(task.preview?.quality == 1 && task.finishedResponse == nil)
        transfers[url]?.answer(.init(body: Sample.png()))
        #expect(try await task.image.size == PixelSize(64, 48))
        #expect(await previews.next() == nil)
        #expect(task.preview == nil)
    }

    @Test("are what the caches have of the image itself while its server is asked anew", arguments: [true, false])
    func cached(isInMemory: Bool) async throws {
        let loading = pipeline.task(for: url)
        await test.transport.nextTransfer().answer(.init(body: Sample.png(16, 12)))
        _ = try await loading.response
        await pipeline.cache.flush()
        if !isInMemory { pipeline.cache.removeAllFromMemory() }
        let task = task([.url(url)], [.revalidate])
        if isInMemory { #expect(task.preview?.image.size == PixelSize(16, 12)) }
        var previews = task.previews.makeAsyncIterator()
        let preview = try #require(await previews.next())
        #expect(preview.image.size == PixelSize(16, 12))
        await test.transport.nextTransfer().answer(.init(body: Sample.png(32, 24)))
        #expect(try await task.image.size == PixelSize(32, 24))
        #expect(pipeline.responseFromMemory(for: url)?.image.size == PixelSize(32, 24))
    }

    @Test("begin with the best one for a reader that joins late")
    func lateReader() async throws {
        let task = task([.url(small), .url(medium)])
        let transfers = await transfers(3)
        transfers[small]?.answer(.init(body: Sample.png(4, 3)))
        transfers[medium]?.answer(.init(body: Sample.png(16, 12)))
        await eventually { task.preview?.quality == 1 }
        var late = task.previews.makeAsyncIterator()
        #expect(await late.next()?.quality == 1)
        transfers[url]?.answer(.init(body: Sample.png()))
        _ = try await task.response
    }

    @Test("that are worse than one that is there are cancelled")
    func worse() async throws {
        let task = task([.url(small), .url(medium)])
        let transfers = await transfers(3)
        transfers[medium]?.answer(.init(body: Sample.png(16, 12)))
        await transfers[small]?.waitUntilCancelled()
        #expect(task.preview?.quality == 1)
        #expect(transfers[url]?.isCancelled == false)
        transfers[url]?.answer(.init(body: Sample.png()))
        _ = try await task.response
    }

    @Test("are cancelled when the image is there, and none comes after it")
    func final() async throws {
        let task = task([.url(small)])
        let transfers = await transfers(2)
        transfers[url]?.answer(.init(body: Sample.png()))
        #expect(try await task.image.size == PixelSize(64, 48))
        await transfers[small]?.waitUntilCancelled()
        var previews = task.previews.makeAsyncIterator()
        #expect(await previews.next() == nil)
        await test.settle()
    }

    @Test("that fail are left out, and change nothing about the image")
    func failures() async throws {
        test.transport.serve(small, Data(), status: 404)
        test.transport.serve(medium, Data("no image".utf8))
        let task = task(
            [.blurHash("malformed"), .url(small), .file("/nowhere"), .url(medium), .data(Data())],
            [.retry(.fixed(maxAttempts: 3, base: .zero))]
        )
        await eventually { [test, url, small, medium] in
            [url, small, medium].allSatisfy { test.transport.startedCount($0) > 0 }
        }
        let transfer = try #require(test.transport.transfers.first { $0.request.url == url })
        await eventually { [test] in test.pipeline.unfinishedWorkCount == 4 }
        transfer.answer(.init(body: Sample.png()))
        #expect(try await task.image.size == PixelSize(64, 48))
        #expect(test.transport.startedCount(small) == 1, "a preview is tried once")
    }

    @Test("end when the image fails, with the error of the image alone")
    func imageFails() async throws {
        let task = task([.blurHash(hash)])
        let transfer = await test.transport.nextTransfer()
        await eventually { task.preview != nil }
        transfer.answer(.init(status: 404))
        #expect(try await task.failure().reason == .status(404))
        var previews = task.previews.makeAsyncIterator()
        #expect(await previews.next() == nil)
    }

    @Test("end when the task is cancelled, with their transfers")
    func cancelled() async throws {
        let task = task([.url(small)])
        let transfers = await transfers(2)
        let reading = Task {
            var count = 0
            for await _ in task.previews { count += 1 }
            return count
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.response }
        await transfers[small]?.waitUntilCancelled()
        await transfers[url]?.waitUntilCancelled()
        #expect(await reading.value == 0)
        await test.settle()
        #expect(try await pipeline.cache.diskStatistics().count == 0)
    }

    @Test("in memory are there at once, and neither they nor worse ones are loaded")
    func cached() async throws {
        test.transport.serve(medium, Sample.png(16, 12))
        _ = try await pipeline.response(for: medium)
        let task = task([.url(small), .url(medium)])
        #expect(task.preview?.quality == 1 && task.preview?.response.source == .memory)
        let transfer = try #require(await transfers(1)[url], "the image alone is loaded")
        transfer.answer(.init(body: Sample.png()))
        _ = try await task.response
        await test.settle()
        #expect(test.transport.startedCount(small) == 0 && test.transport.startedCount(medium) == 1)
    }

    @Test(
        "are not asked of a server for an image on disk",
        arguments: [ImageProcessorChain.identity, .crop(to: .pixels(8, 8))]
    )
    func onDisk(processing: ImageProcessorChain) async throws {
        test.transport.serve(url, Sample.png())
        let options: [ImageOption] = [.processor(processing), .waitForCache, .previews([.url(small)])]
        _ = try await pipeline.response(for: url, options: options)
        pipeline.cache.removeAllFromMemory()
        let task = pipeline.task(for: url, options: options)
        #expect(try await task.response.source == .disk)
        await test.settle()
        #expect(test.transport.startedCount == 1)
    }

    @Test("are not loaded for an image in memory, nor where no task is made, nor by a prefetcher")
    func unneeded() async throws {
        test.transport.serve(url, Sample.png())
        let options: [ImageOption] = [.previews([.url(small)])]
        _ = try await pipeline.response(for: url, options: options)
        let task = pipeline.task(for: url, options: options)
        #expect(task.finishedResponse != nil && task.preview == nil)
        var previews = task.previews.makeAsyncIterator()
        #expect(await previews.next() == nil)
        pipeline.cache.removeAllFromMemory()
        _ = await ImagePrefetcher(urls: [url], options: options, pipeline: pipeline).run()
        #expect(test.transport.startedCount(small) == 0)
    }

    @Test("of equal loads are loaded once, and come to each task")
    func shared() async throws {
        let tasks = (0..<3).map { _ in task([.url(small)]) }
        let transfers = await transfers(2)
        await eventually { [test] in test.pipeline.stages.images.waiterCount == 6 }
        transfers[small]?.answer(.init(body: Sample.png(4, 3)))
        for task in tasks {
            var previews = task.previews.makeAsyncIterator()
            #expect(await previews.next()?.image.size == PixelSize(4, 3))
        }
        transfers[url]?.answer(.init(body: Sample.png()))
        for task in tasks { #expect(try await task.image.size == PixelSize(64, 48)) }
        #expect(test.transport.startedCount == 2)
    }

    @Test("are processed as the image is, and found in memory under their own names")
    func processing() async throws {
        let crop = ImageOption.processor(.crop(to: .pixels(3, 2)))
        let task = task([.blurHash(hash), .url(small)], [crop])
        let transfers = await transfers(2)
        transfers[small]?.answer(.init(body: Sample.png(4, 3)))
        await eventually { task.preview?.quality == 1 }
        #expect(task.preview?.image.size == PixelSize(3, 2))
        transfers[url]?.answer(.init(body: Sample.png()))
        #expect(try await task.image.size == PixelSize(3, 2))
        #expect(pipeline.responseFromMemory(for: small, options: [crop])?.image.size == PixelSize(3, 2))
    }

    @Test("are one step more urgent than the image, also once its urgency changes")
    func priorities() async throws {
        let task = task([.url(small)], [.priority(.low)])
        let transfers = await transfers(2)
        let (image, preview) = (try #require(transfers[url]), try #require(transfers[small]))
        #expect(image.priority == .low && preview.priority == .normal)
        task.priority = .high
        await eventually { image.priority == .high && preview.priority == .veryHigh }
        task.priority = .veryHigh
        await eventually { image.priority == .veryHigh }
        #expect(preview.priority == .veryHigh)
        image.answer(.init(body: Sample.png()))
        _ = try await task.response
    }

    @Test("come beside an alternative as well, and are none of its own")
    func alternatives() async throws {
        test.transport.serve(url, Data(), status: 404)
        let other = Sample.url("other.png")
        let task = task([.url(small)], [.alternativeSources([.url(other)])])
        await eventually { [test] in test.transport.startedCount(other) == 1 && test.transport.startedCount(small) == 1
        }
        let transfers = Dictionary(grouping: test.transport.transfers) { $0.request.url }
        transfers[small]?.first?.answer(.init(status: 500))
        transfers[other]?.first?.answer(.init(body: Sample.png()))
        #expect(try await task.response.substitution?.used == .url(other))
        #expect(test.transport.startedCount == 3)
    }

    @Test("of hashes and files are ready while the image waits for its server", arguments: [false, true])
    func local(isFile: Bool) async throws {
        let path = TestPipeline.temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Sample.png(4, 3).write(to: URL(filePath: path))
        let task = task([isFile ? .file(path) : .blurHash(hash, size: PixelSize(4, 3))])
        var previews = task.previews.makeAsyncIterator()
        #expect(await previews.next()?.image.size == PixelSize(4, 3))
        await test.transport.nextTransfer().answer(.init(body: Sample.png()))
        #expect(try await task.image.size == PixelSize(64, 48))
    }

    @Test("of a frame that the image has and a hash has not are there all the same")
    func frame() async throws {
        let task = task([.blurHash(hash)], [.frame(1)])
        var previews = task.previews.makeAsyncIterator()
        #expect(await previews.next()?.image.size == PixelSize(32, 32))
        task.cancel()
    }

    @Test("that do not end keep no image waiting")
    func stubborn() async throws {
        let (hasStarted, mayEnd) = (Gate(), Gate())
        let stubborn = Source.closure(cacheKey: "stubborn") {
            hasStarted.open()
            await mayEnd.wait()
            return Sample.png(1, 1)
        }
        let task = task([stubborn])
        await hasStarted.wait()
        await test.transport.nextTransfer().answer(.init(body: Sample.png()))
        #expect(try await task.image.size == PixelSize(64, 48))
        mayEnd.open()
        await test.settle()
        #expect(pipeline.responseFromMemory(for: ImageRequest(stubborn)) == nil)
    }

    @Test("of a pipeline's default options come as well, and a call can do without them")
    func defaults() async throws {
        let test = TestPipeline(defaultOptions: [.previews([.blurHash(hash)])])
        let task = test.pipeline.task(for: url)
        var previews = task.previews.makeAsyncIterator()
        #expect(await previews.next()?.quality == 0)
        await test.transport.nextTransfer().answer(.init(body: Sample.png()))
        _ = try await task.response
        let other = test.pipeline.task(for: small, options: [.previews([])])
        #expect(other.request.options.previews == [] && other.preview == nil)
        other.cancel()
    }
}
