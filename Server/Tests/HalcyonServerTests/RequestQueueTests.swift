import HalcyonTesting
import Testing

@testable import HalcyonServer

@Suite("The queue of requests")
struct RequestQueueTests {
    @Test("Interactive requests come before prefetches, each in the order of arrival")
    func order() async throws {
        let queue = RequestQueue(capacity: 1, limit: 10)
        let gate = Gate()
        let order = Recorder<String>()
        let running = Task { try await queue.run(.interactive) { await gate.wait() } }
        while queue.counts.running < 1 { await Task.yield() }
        var tasks: [Task<Void, any Error>] = []
        for (index, urgency) in [RequestQueue.Urgency.prefetch, .interactive, .prefetch, .interactive].enumerated() {
            tasks.append(Task { try await queue.run(urgency) { order.add("\(urgency) \(index)") } })
            while queue.counts.waiting < index + 1 { await Task.yield() }
        }
        gate.open()
        try await running.value
        for task in tasks { try await task.value }
        #expect(order.values == ["interactive 1", "interactive 3", "prefetch 0", "prefetch 2"])
        #expect(queue.counts == (0, 0))
    }

    @Test("A request that is cancelled while it waits leaves the queue, and one that runs leaves its place")
    func cancellation() async throws {
        let queue = RequestQueue(capacity: 1, limit: 1)
        let gate = Gate()
        let running = Task { try await queue.run(.interactive) { await gate.wait() } }
        while queue.counts.running < 1 { await Task.yield() }
        let waiting = Task { try await queue.run(.interactive) { Issue.record("a cancelled request ran") } }
        while queue.counts.waiting < 1 { await Task.yield() }
        await #expect(throws: RequestQueue.Full.self) { try await queue.run(.interactive) {} }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(queue.counts == (1, 0))
        gate.open()
        try await running.value
        await #expect(throws: Full.self) { try await queue.run(.interactive) { throw Full() } }
        #expect(queue.counts == (0, 0))
    }

    private struct Full: Error {}

    @Test("Work is cancelled at its deadline, and not before")
    func deadline() async throws {
        let clock = ManualClock()
        let work = Task {
            try await withDeadline(.seconds(5), clock: clock) {
                try await clock.sleep(until: clock.now.advanced(by: .seconds(60)))
            }
        }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(5))
        await #expect(throws: DeadlineExceeded.self) { try await work.value }
        #expect(try await withDeadline(.seconds(5), clock: clock) { 7 } == 7)
    }
}
