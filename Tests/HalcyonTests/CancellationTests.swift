import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Cancelling")
struct CancellationTests {
    private let test = TestPipeline()
    private let url = Sample.url()

    @Test("one caller leaves the others alone")
    func oneOfTwo() async throws {
        let first = test.pipeline.task(for: url)
        let second = test.pipeline.task(for: url)
        let transfer = await test.transport.nextTransfer()
        await eventually { [test] in test.pipeline.stages.images.waiterCount == 2 }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.response }
        #expect(!transfer.isCancelled)
        transfer.answer(.init(body: Sample.png()))
        #expect(try await second.image.size == PixelSize(64, 48))
    }

    @Test("the last caller stops the transfer, and nothing is stored")
    func all() async throws {
        let tasks = (0..<3).map { _ in test.pipeline.task(for: url) }
        let transfer = await test.transport.nextTransfer()
        transfer.respond(headers: [.contentLength: "1000"])
        transfer.send([1, 2, 3])
        for task in tasks { task.cancel() }
        for task in tasks {
            await #expect(throws: CancellationError.self) { try await task.response }
        }
        await transfer.waitUntilCancelled()
        await test.settle()
        #expect(try await test.pipeline.cache.diskStatistics().count == 0)
    }

    @Test("and loading the same URL again at once gives an image")
    func again() async throws {
        let first = test.pipeline.task(for: url)
        _ = await test.transport.nextTransfer()
        first.cancel()
        let second = test.pipeline.task(for: url)
        let transfer = await test.transport.nextTransfer()
        transfer.answer(.init(body: Sample.png()))
        await #expect(throws: CancellationError.self) { try await first.response }
        #expect(try await second.image.size == PixelSize(64, 48))
    }

    @Test("the Swift task that waits cancels the load")
    func swiftTask() async throws {
        let waiting = Task { [test, url] in try await test.pipeline.image(from: url) }
        let transfer = await test.transport.nextTransfer()
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        await transfer.waitUntilCancelled()
    }

    @Test("before the load starts sends no request")
    func beforeStart() async throws {
        let waiting = Task { [test, url] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await test.pipeline.image(from: url)
        }
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(test.transport.startedCount == 0)
    }

    @Test("after the end changes nothing")
    func afterEnd() async throws {
        test.transport.serve(url, Sample.png())
        let task = test.pipeline.task(for: url)
        _ = try await task.response
        task.cancel()
        #expect(try await task.response.image.size == PixelSize(64, 48))
    }

    @Test("reaches a processor that runs, and waits for no result of it")
    func processor() async throws {
        test.transport.serve(url, Sample.png())
        let processor = EndlessProcessor()
        let task = test.pipeline.task(for: url, options: [.processor(ImageProcessorChain(processor))])
        await processor.hasStarted.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.response }
        await processor.hasEnded.wait()
        await test.settle()
    }

    @Test("stops a provider's work, and suppresses a success that comes too late")
    func provider() async throws {
        let provider = GatedProvider(data: Sample.png())
        let task = test.pipeline.task(for: ImageRequest(.provider(provider)))
        await provider.hasStarted.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.response }
        provider.mayEnd.open()
        await test.settle()
        #expect(test.pipeline.responseFromMemory(for: ImageRequest(.provider(provider), options: [])) == nil)
        #expect(try await test.pipeline.cache.diskStatistics().count == 0)
    }

    @Test("a load that waits to be decoded decodes nothing, remembers nothing, and tries nothing else")
    func beforeDecoding() async throws {
        let test = TestPipeline(workerCount: 1)
        test.transport.serve(url, Sample.png())
        _ = try await test.pipeline.response(for: url, options: [.waitForCache])
        test.pipeline.cache.removeAllFromMemory()
        let decodes = test.counters.decodes
        // The only worker is busy.
        let busy = Sample.url()
        test.transport.serve(busy, Sample.png())
        let processor = EndlessProcessor()
        let blocker = test.pipeline.task(for: busy, options: [.processor(ImageProcessorChain(processor)), .noCache])
        await processor.hasStarted.wait()
        let startedCount = test.transport.startedCount

        let other = Sample.url()
        let task = test.pipeline.task(
            for: url,
            options: [.retry(.fixed(maxAttempts: 5, base: .zero)), .alternativeSources([.url(other)])]
        )
        await eventually { test.pipeline.stages.images.waiterCount == 2 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.response }
        blocker.cancel()
        await test.settle()
        #expect(test.counters.decodes == decodes + 1, "the one of the load that keeps the worker busy")
        #expect(test.pipeline.responseFromMemory(for: url, options: []) == nil)
        #expect(test.transport.startedCount == startedCount)
    }

    @Test("a thousand loads at random gives each one answer and leaves nothing")
    func storm() async throws {
        let urls = (0..<10).map { _ in Sample.url() }
        for url in urls { test.transport.serve(url, Sample.png(8, 8)) }
        let answers = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<1_000 {
                group.addTask { [test] in
                    let task = test.pipeline.task(for: urls[index % 10], options: [.noCache])
                    if index % 3 == 0 { task.cancel() }
                    if index % 5 == 0 { task.priority = .high }
                    do {
                        return try await task.image.size == PixelSize(8, 8)
                    } catch {
                        return error is CancellationError && index % 3 == 0
                    }
                }
            }
            return await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(answers.count == 1_000)
        #expect(answers.allSatisfy { $0 })
        await test.settle()
    }
}

/// Runs until it is cancelled.
private struct EndlessProcessor: ImageProcessing {
    let hasStarted = Gate()
    let hasEnded = Gate()

    func encodeParameters(into encoder: inout CacheKeyEncoder) {}

    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        hasStarted.open()
        while !isCancelled() {}
        hasEnded.open()
        throw CancellationError()
    }

    static func == (left: EndlessProcessor, right: EndlessProcessor) -> Bool { left.hasStarted === right.hasStarted }

    func hash(into hasher: inout Hasher) {}
}

/// A provider that returns its data when a gate opens, cancelled or not.
private struct GatedProvider: ImageDataProvider {
    let data: Data
    let hasStarted = Gate()
    let mayEnd = Gate()

    var cacheKey: String { "gated" }

    func data() async throws -> Data {
        hasStarted.open()
        await mayEnd.wait()
        return data
    }
}
