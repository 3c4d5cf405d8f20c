import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The statistics of a pipeline")
struct PipelineStatisticsTests {
    private let test = TestPipeline()
    private let url = Sample.url()

    private var pipeline: ImagePipeline { test.pipeline }

    @Test("count loads by the place that they are answered from")
    func places() async throws {
        let body = Sample.png()
        test.transport.serve(url, body)
        _ = try await pipeline.response(for: url)
        await test.settle()
        _ = try await pipeline.response(for: url)
        _ = pipeline.responseFromMemory(for: url)
        pipeline.cache.removeAllFromMemory()
        _ = try await pipeline.response(for: url)
        let statistics = pipeline.statistics
        #expect(statistics.memoryHits == 2)
        #expect(statistics.loads == 2)
        #expect(statistics.transfers == 1 && statistics.failedTransfers == 0)
        #expect(statistics.originalHits == 1 && statistics.originalMisses == 1)
        #expect(statistics.savedBytes == body.count)
        #expect(statistics.decodings == 2)
        #expect(statistics.failures == 0 && statistics.cancellations == 0 && statistics.shared.isEmpty)
    }

    @Test("count shared work once, and the loads that share it")
    func shared() async throws {
        let tasks = (0..<10).map { _ in pipeline.task(for: ImageRequest(url)) }
        let transfer = await test.transport.nextTransfer()
        await eventually { pipeline.stages.images.waiterCount == 10 }
        transfer.answer(.init(body: Sample.png()))
        for task in tasks { _ = try await task.response }
        let statistics = pipeline.statistics
        #expect(statistics.loads == 10 && statistics.transfers == 1 && statistics.decodings == 1)
        #expect(statistics.shared == [.image: 9])
    }

    @Test("count a look of a load for the result of processors on disk once")
    func results() async throws {
        test.transport.serve(url, Sample.png())
        for hits in [0, 1] {
            pipeline.cache.removeAllFromMemory()
            _ = try await pipeline.response(for: url, options: [.processor(.downsample(to: .pixels(8, 8)))])
            await test.settle()
            #expect(pipeline.statistics.resultMisses == 1 && pipeline.statistics.resultHits == hits)
        }
    }

    @Test("count failures and cancelled loads, and begin again from zero")
    func failures() async throws {
        test.transport.serve(url, Sample.png(), status: 404)
        await #expect(throws: ImageError.self) { try await pipeline.response(for: url) }
        let task = pipeline.task(for: ImageRequest(Sample.url()))
        _ = await test.transport.nextTransfer()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.response }
        await test.settle()
        #expect(pipeline.statistics.failures == 1 && pipeline.statistics.cancellations == 1)
        // The end of a cancelled transfer may come after that of its load.
        await eventually { pipeline.statistics.failedTransfers == 2 }
        pipeline.resetStatistics()
        #expect(pipeline.statistics == PipelineStatistics())
    }

    @Test("never count fewer hits than none while they begin again from zero")
    func reset() async throws {
        test.transport.serve(url, Sample.png())
        _ = try await pipeline.response(for: url)
        let (pipeline, url) = (pipeline, url)
        async let resets: Void = onThread {
            for _ in 0..<2_000 {
                for _ in 0..<8 { _ = pipeline.responseFromMemory(for: url) }
                pipeline.resetStatistics()
            }
        }
        let least = try await onThread { (0..<4_000).map { _ in pipeline.statistics.memoryHits }.min() }
        try await resets
        #expect(try #require(least) >= 0)
    }
}
