import HalcyonTesting
import Testing

@testable import HalcyonServer

@Suite("The queue of requests")
struct RequestQueueTests {
    @Test("Interactive requests come before prefetches, each in the order of arrival")
    func order() async throws {
        let queue = RequestQueue<Int>(capacity: 1, limit: 10)
        let gate = Gate()
        let order = Recorder<String>()
        let running = Task { try await queue.run(-1, .interactive) { await gate.wait() } }
        while queue.counts.running < 1 { await Task.yield() }
        var tasks: [Task<Void, any Error>] = []
        for (index, urgency) in [RequestUrgency.prefetch, .interactive, .prefetch, .interactive].enumerated() {
            tasks.append(Task { try await queue.run(index, urgency) { order.add("\(urgency) \(index)") } })
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
        let queue = RequestQueue<Int>(capacity: 1, limit: 1)
        let gate = Gate()
        let running = Task { try await queue.run(-1, .interactive) { await gate.wait() } }
        while queue.counts.running < 1 { await Task.yield() }
        let waiting = Task { try await queue.run(1, .interactive) { Issue.record("a cancelled request ran") } }
        while queue.counts.waiting < 1 { await Task.yield() }
        await #expect(throws: QueueFull.self) { try await queue.run(2, .interactive) {} }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(queue.counts == (1, 0))
        gate.open()
        try await running.value
        await #expect(throws: Full.self) { try await queue.run(3, .interactive) { throw Full() } }
        #expect(queue.counts == (0, 0))
    }

    private struct Full: Error {}

    @Test("Requests for one image share a place, when it is made and while they wait")
    func equalRequests() async throws {
        let queue = RequestQueue<Int>(capacity: 1, limit: 1)
        let (gate, other) = (Gate(), Gate())
        let arrived = Recorder<Int>()
        func start(_ image: Int, _ gate: Gate) -> Task<Void, any Error> {
            Task {
                try await queue.run(image, .interactive) {
                    arrived.add(image)
                    await gate.wait()
                }
            }
        }
        let first = [start(1, gate), start(1, gate)]
        while arrived.values.count < 2 { await Task.yield() }
        let second = [start(2, other), start(2, other)]
        while queue.counts.waiting < 2 { await Task.yield() }
        #expect(queue.counts == (1, 2))
        await #expect(throws: QueueFull.self) { try await queue.run(3, .interactive) {} }
        gate.open()
        for task in first { try await task.value }
        while arrived.values.count < 4 { await Task.yield() }
        #expect(arrived.values == [1, 1, 2, 2])
        #expect(queue.counts == (1, 0))
        other.open()
        for task in second { try await task.value }
        #expect(queue.counts == (0, 0))
    }

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
