import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Encoding")
struct EncodedSharingTests {
    @Test("is done once for a thousand requests at the same time")
    func thousand() async throws {
        let encoded = EncodedTest()
        let tasks = (0..<1_000).map { _ in encoded.start() }
        let transfer = await encoded.transport.nextTransfer()
        await eventually { [encoded] in encoded.pipeline.stages.encodings.waiterCount == 1_000 }
        transfer.answer(.init(body: Sample.png()))
        var first: EncodedImage?
        for task in tasks {
            let image = try await task.value
            if let first { #expect(image.body === first.body) } else { first = image }
        }
        #expect(encoded.transport.startedCount == 1)
        #expect(encoded.encodeCount == 1)
    }

    @Test("in two formats shares the transfer, the decoding and the processors")
    func twoFormats() async throws {
        let encoded = EncodedTest()
        let counting = CountingProcessor()
        let options: [ImageOption] = [.processor(ImageProcessorChain(counting))]
        let tasks = [encoded.start(.format(.webp), options), encoded.start(.format(.jpeg), options)]
        let transfer = await encoded.transport.nextTransfer()
        await eventually { [encoded] in encoded.pipeline.stages.processing.work.waiterCount == 2 }
        transfer.answer(.init(body: Sample.png()))
        #expect(try await tasks[0].value.format == .webp)
        #expect(try await tasks[1].value.format == .jpeg)
        #expect(counting.count.withLock { $0 } == 1)
        #expect(encoded.encodeCount == 2)
    }

    @Test("goes on for the callers that stay, and ends with the last one")
    func cancellation() async throws {
        let encoded = EncodedTest()
        let tasks = (0..<3).map { _ in encoded.start() }
        let transfer = await encoded.transport.nextTransfer()
        await eventually { [encoded] in encoded.pipeline.stages.encodings.waiterCount == 3 }
        tasks[0].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[0].value }
        #expect(!transfer.isCancelled)
        for task in tasks.dropFirst() { task.cancel() }
        for task in tasks.dropFirst() { await #expect(throws: CancellationError.self) { try await task.value } }
        await transfer.waitUntilCancelled()
        await encoded.test.settle()
        #expect(encoded.pipeline.unfinishedWorkCount == 0)
        #expect(encoded.encodeCount == 0)
    }

    @Test("that is cancelled while it waits for a worker is never begun, and stores nothing")
    func cancelledBeforeWorker() async throws {
        let encoded = EncodedTest(workerCount: 1)
        let other = Sample.url()
        for url in [encoded.url, other] { encoded.transport.serve(url, Sample.png()) }
        for url in [encoded.url, other] { _ = try await encoded.pipeline.response(for: url) }
        await encoded.test.settle()
        encoded.held.arm()
        let first = Task { try await encoded.pipeline.encoded(for: other, as: .format(.webp)) }
        await encoded.held.waitUntilReached()
        let second = encoded.start()
        await eventually { [encoded] in encoded.pipeline.stages.workers.waitingCount == 1 }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        encoded.held.release()
        _ = try await first.value
        await encoded.test.settle()
        #expect(encoded.encodeCount == 1)
        #expect(encoded.pipeline.encodedFromMemory(for: ImageRequest(encoded.url), as: .format(.webp)) == nil)
    }

    @Test("has the highest priority of its callers, down to the transfer")
    func priorities() async throws {
        let encoded = EncodedTest()
        let low = encoded.start(.format(.webp), [.priority(.low)])
        let transfer = await encoded.transport.nextTransfer()
        #expect(transfer.request.priority == .low)
        let high = encoded.start(.format(.webp), [.priority(.high)])
        await eventually { transfer.priority == .high }
        high.cancel()
        await eventually { transfer.priority == .low }
        transfer.answer(.init(body: Sample.png()))
        _ = try await low.value
        await #expect(throws: CancellationError.self) { try await high.value }
    }

    @Test("stays within the budget: no image is decoded before an earlier one is encoded")
    func budget() async throws {
        let encoded = EncodedTest(decodeBudget: 64 * 48 * 4)
        let other = Sample.url()
        for url in [encoded.url, other] { encoded.transport.serve(url, Sample.png()) }
        encoded.held.arm()
        let first = encoded.start(.format(.webp), [.noCache])
        await encoded.held.waitUntilReached()
        let second = Task { try await encoded.pipeline.encoded(for: other, as: .format(.webp), options: [.noCache]) }
        await eventually { [encoded] in encoded.pipeline.stages.workers.budgetWaiterCount == 1 }
        #expect(encoded.encodeCount == 1)
        encoded.held.release()
        _ = try await (first.value, second.value)
        #expect(encoded.encodeCount == 2)
    }

    @Test("of one image in many formats ends with a budget for one image")
    func manyFormats() async throws {
        let encoded = EncodedTest(workerCount: 2, decodeBudget: 64 * 48 * 4)
        let crop = ImageOption.processor(.crop(to: .pixels(60, 40)))
        let tasks = (1...30).map { encoded.start(.format(.jpeg, EncodeOptions(quality: $0)), [crop]) }
        let transfer = await encoded.transport.nextTransfer()
        await eventually { [encoded] in encoded.pipeline.stages.processing.work.waiterCount == 30 }
        transfer.answer(.init(body: Sample.png()))
        for task in tasks { #expect(try await task.value.size == PixelSize(60, 40)) }
        #expect(encoded.encodeCount == 30)
        await encoded.test.settle()
        #expect(encoded.pipeline.stages.workers.budgetWaiterCount == 0)
    }
}
