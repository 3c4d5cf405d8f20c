import Dispatch
import HalcyonSystem
import Testing

@Suite("A work queue")
struct WorkQueueTests {
    @Test("runs no more at a time than its width")
    func width() async throws {
        let queue = WorkQueue(name: "test", width: 2)
        let running = Lock((now: 0, most: 0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    try await queue.run(priority: PriorityBox(.normal)) { _ in
                        running.withLock { running in
                            running.now += 1
                            running.most = max(running.most, running.now)
                        }
                        running.withLock { $0.now -= 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(running.withLock { $0.most } <= 2)
        #expect(running.withLock { $0.now } == 0)
    }

    @Test("runs the most urgent first, as urgency stands when its turn comes")
    func priority() async throws {
        let queue = WorkQueue(name: "test", width: 1)
        let blocker = Blocker(queue)
        await blocker.occupy()
        let order = Lock<[String]>([])
        let raised = PriorityBox(.veryLow)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (name, box) in [("normal", PriorityBox(.normal)), ("raised", raised), ("high", PriorityBox(.high))] {
                let waiting = queue.waitingCount
                group.addTask {
                    try await queue.run(priority: box) { _ in order.withLock { $0.append(name) } }
                }
                await eventually { queue.waitingCount == waiting + 1 }
            }
            raised.update(.veryHigh)
            blocker.release()
            try await group.waitForAll()
        }
        #expect(order.withLock { $0 } == ["raised", "high", "normal"])
    }

    @Test("never runs what is cancelled while it waits")
    func cancelWaiting() async throws {
        let queue = WorkQueue(name: "test", width: 1)
        let blocker = Blocker(queue)
        await blocker.occupy()
        let hasRun = CancellationFlag()
        let task = Task {
            try await queue.run(priority: PriorityBox(.normal)) { _ in hasRun.cancel() }
        }
        await eventually { queue.waitingCount == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(queue.waitingCount == 0)
        blocker.release()
        try await queue.run(priority: PriorityBox(.veryLow)) { _ in }
        #expect(!hasRun.isCancelled)
    }

    @Test("tells running work that it is cancelled")
    func cancelRunning() async throws {
        let queue = WorkQueue(name: "test", width: 1)
        let (starts, start) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await queue.run(priority: PriorityBox(.normal)) { flag in
                start.finish()
                while !flag.isCancelled {}
                try flag.check()
            }
        }
        for await _ in starts {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("keeps no task of the program waiting while all its threads are blocked", .timeLimit(.minutes(5)))
    func blockedThreads() async throws {
        let blockers = (0..<64).map { _ in Blocker(WorkQueue(name: "test", width: 1)) }
        await withTaskGroup(of: Void.self) { group in
            for blocker in blockers { group.addTask { await blocker.occupy() } }
        }
        let sum = await withTaskGroup(of: Int.self) { group in
            for number in 0..<1_000 {
                group.addTask { number }
            }
            return await group.reduce(0, +)
        }
        #expect(sum == 499_500)
        for blocker in blockers {
            blocker.release()
        }
    }

    @Test("gives every caller one answer under random cancellation")
    func storm() async {
        let queue = WorkQueue(name: "test", width: 2)
        let answers = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<2_000 {
                group.addTask {
                    let task = Task {
                        try await queue.run(priority: PriorityBox(.normal)) { _ in index }
                    }
                    if index % 3 == 0 { task.cancel() }
                    switch await task.result {
                    case .success(let value): return value == index
                    case .failure(let error): return error is CancellationError
                    }
                }
            }
            return await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(answers.count == 2_000)
        #expect(answers.allSatisfy { $0 })
    }
}

/// Keeps the one thread of a queue busy until it is released.
private final class Blocker: Sendable {
    private let queue: WorkQueue
    private let end = DispatchSemaphore(value: 0)

    init(_ queue: WorkQueue) {
        self.queue = queue
    }

    func occupy() async {
        await withCheckedContinuation { continuation in
            Task.detached { [queue, end] in
                try await queue.run(priority: PriorityBox(.veryHigh)) { _ in
                    continuation.resume()
                    end.wait()
                }
            }
        }
    }

    func release() {
        end.signal()
    }
}

/// Gives other tasks their turn until a condition holds that they are bound to bring about.
func eventually(_ condition: @Sendable () -> Bool) async {
    while !condition() {
        await Task.yield()
    }
}
