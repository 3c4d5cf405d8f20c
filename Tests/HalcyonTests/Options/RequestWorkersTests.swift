import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Pixel workers of the program's own")
struct RequestWorkersTests {
    private let url = Sample.url()

    @Test("decode, process and encode the image of a request that names them")
    func request() async throws {
        let workers = PixelWorkers(threadCount: 1)
        let reached = HeldCall()
        let codecs = ImageCodecs.observed { call, _ in if call == .decode { reached.pass() } }
        let test = TestPipeline(workerCount: 1, codecs: codecs)
        test.transport.setAnswer { _ in .init(body: Sample.png()) }
        // Its thread is busy, and the pipeline's is not.
        reached.arm()
        let first = test.pipeline.task(for: url, options: [.workers(workers)])
        await reached.waitUntilReached()
        let crop = ImageOption.processor(.crop(to: .pixels(8, 6)))
        let second = test.pipeline.task(for: Sample.url(), options: [.workers(workers), crop])
        await eventually { workers.waitingCount == 1 }
        #expect(test.pipeline.stages.workers.waitingCount == 0)
        _ = try await test.pipeline.image(from: Sample.url(), options: [crop, .waitForCache])
        reached.release()
        _ = try await first.image
        #expect(try await second.image.size == PixelSize(8, 6))
    }

    @Test("are shared by pipelines whose configuration names them, and run the most urgent work first")
    func pipelines() async throws {
        let workers = PixelWorkers(threadCount: 1)
        let order = Lock<[Int]>([])
        let held = HeldCall()
        let tests = (0..<3).map { index in
            let codecs = ImageCodecs.observed { call, _ in
                guard call == .decode else { return }
                order.withLock { $0.append(index) }
                if index == 0 { held.pass() }
            }
            return TestPipeline(codecs: codecs, workers: workers)
        }
        for test in tests { test.transport.setAnswer { _ in .init(body: Sample.png()) } }
        held.arm()
        let busy = tests[0].pipeline.task(for: url)
        await held.waitUntilReached()
        let low = tests[1].pipeline.task(for: url, options: [.priority(.low)])
        await eventually { workers.waitingCount == 1 }
        let high = tests[2].pipeline.task(for: url, options: [.priority(.high)])
        await eventually { workers.waitingCount == 2 }
        held.release()
        for task in [busy, low, high] { _ = try await task.image }
        #expect(order.withLock { $0 } == [0, 2, 1])
    }

    @Test("keep within their budget, whichever pipelines use them")
    func budget() async throws {
        // Room for one image.
        let workers = PixelWorkers(threadCount: 2, byteBudget: 64 * 48 * 4)
        let held = HeldCall()
        let codecs = ImageCodecs.observed { call, _ in if call == .decode { held.pass() } }
        let tests = [TestPipeline(codecs: codecs, workers: workers), TestPipeline(codecs: codecs, workers: workers)]
        for test in tests { test.transport.setAnswer { _ in .init(body: Sample.png()) } }
        held.arm()
        let first = tests[0].pipeline.task(for: url)
        await held.waitUntilReached()
        let second = tests[1].pipeline.task(for: url)
        await eventually { workers.budgetWaiterCount == 1 }
        held.release()
        _ = try await (first.image, second.image)
    }

    @Test("keep no work apart: that of the first request serves others")
    func sharing() async throws {
        let test = TestPipeline()
        let options: [[ImageOption]] = [[.workers(PixelWorkers())], [.workers(PixelWorkers())], []]
        let tasks = options.map { test.pipeline.task(for: url, options: $0) }
        let transfer = await test.transport.nextTransfer()
        await eventually { test.pipeline.stages.images.waiterCount == 3 }
        #expect(test.pipeline.stages.images.count == 1)
        transfer.answer(.init(body: Sample.png()))
        for task in tasks { _ = try await task.image }
        #expect(test.counters.decodes == 1)
        #expect(test.pipeline.responseFromMemory(for: url, options: options[1]) != nil)
    }

    @Test("take over between decoding and processors of chains with a common beginning, each with its own")
    func chains() async throws {
        let test = TestPipeline(workerCount: 1, decodeBudget: 1)
        test.transport.setAnswer { _ in .init(body: Sample.png()) }
        let workers = [PixelWorkers(threadCount: 1, byteBudget: 1), PixelWorkers(threadCount: 1, byteBudget: 1), nil]
        let tasks = (0..<24).map { index in
            var options: [ImageOption] = [
                .processor(.resize(to: .pixels(90, 90)) |> .crop(to: .pixels(8 + index, 8))), .cacheMemoryOnly,
            ]
            if let workers = workers[index % 3] { options.append(.workers(workers)) }
            return test.pipeline.task(for: url, options: options)
        }
        for (index, task) in tasks.enumerated() { #expect(try await task.image.size == PixelSize(8 + index, 8)) }
    }
}
