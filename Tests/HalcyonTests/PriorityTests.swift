import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Priorities")
struct PriorityTests {
    private let test = TestPipeline()
    private let url = Sample.url()

    @Test("reach the transfer, at its start and when they change")
    func transfer() async throws {
        let task = test.pipeline.task(for: url, options: [.priority(.low)])
        let transfer = await test.transport.nextTransfer()
        #expect(transfer.request.priority == .low)
        task.priority = .veryHigh
        await eventually { transfer.priority == .veryHigh }
        #expect(task.priority == .veryHigh)
        transfer.answer(.init(body: Sample.png()))
        _ = try await task.response
    }

    @Test("of shared work are the highest of its waiters, at any moment")
    func highest() async throws {
        let low = test.pipeline.task(for: url, options: [.priority(.low)])
        let transfer = await test.transport.nextTransfer()
        let high = test.pipeline.task(for: url, options: [.priority(.high)])
        await eventually { transfer.priority == .high }
        high.cancel()
        await eventually { transfer.priority == .low }
        low.priority = .veryLow
        await eventually { transfer.priority == .veryLow }
        transfer.answer(.init(body: Sample.png()))
        _ = try await low.response
    }
}

@Suite("Progress")
struct ProgressTests {
    private let test = TestPipeline()
    private let url = Sample.url()

    @Test("is reported as bytes are received, and at once to loads that join late")
    func updates() async throws {
        let body = Sample.png()
        let task = test.pipeline.task(for: url)
        let transfer = await test.transport.nextTransfer()
        transfer.respond(headers: [.contentLength: "\(body.count)"])
        transfer.send(body.prefix(100))
        #expect(task.progress == ImageProgress(receivedBytes: 100, expectedBytes: body.count))
        let late = test.pipeline.task(for: url)
        await eventually { late.progress.receivedBytes == 100 }
        var updates = late.progressUpdates.makeAsyncIterator()
        #expect(await updates.next()?.receivedBytes == 100)
        transfer.send(body.dropFirst(100))
        #expect(await updates.next()?.fraction == 1)
        transfer.finish()
        _ = try await (task.response, late.response)
        #expect(await updates.next() == nil)
    }

    @Test("ends at once for a task that was answered from memory")
    func finished() async throws {
        test.transport.serve(url, Sample.png())
        _ = try await test.pipeline.response(for: url)
        let task = test.pipeline.task(for: url)
        #expect(task.finishedResponse?.source == .memory)
        var updates = task.progressUpdates.makeAsyncIterator()
        #expect(await updates.next() == ImageProgress())
        #expect(await updates.next() == nil)
    }
}
