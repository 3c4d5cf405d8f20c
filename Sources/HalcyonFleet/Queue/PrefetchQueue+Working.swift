internal import FoundationEssentials
internal import HalcyonSystem

extension PrefetchQueue {
    /// What one worker has done.
    public struct Summary: Sendable, Hashable {
        /// The jobs that it was the first to finish.
        public var doneCount = 0
        /// Of its jobs, those whose result is on its disk alone.
        public var localCount = 0
        /// The attempts that failed.
        public var failureCount = 0
        /// The last failure to reach the engine; the work goes on when it is back.
        public var lastError: FleetError?

        /// Creates the summary of a worker that has done nothing.
        public init() {}
    }

    /// Works on jobs, several at a time, until there are none left on any machine.
    ///
    /// A job is taken when there is room for it, so that a slow machine takes fewer. While the engine cannot be reached, jobs in
    /// progress go on, and are noted when it is back.
    ///
    /// - Parameters:
    ///   - concurrency: The jobs at the same time; at least 1. Default: 8.
    ///   - staysWhenEmpty: `true` to wait for more jobs until the task is cancelled. Default: `false`.
    ///   - clock: Measures the pauses. Default: the continuous clock.
    ///   - body: Does a job. The result has to be written when it returns; it may run twice for one job, also on two machines
    ///     at once.
    /// - Returns: What this worker has done.
    /// - Throws: A ``FleetError`` of the first call, and later one that does not pass with time, such as
    ///   ``FleetError/evicting(policy:)`` and ``FleetError/refused(_:)``; `CancellationError` when the task is cancelled. Another
    ///   worker then takes its jobs.
    public func work(
        concurrency: Int = 8,
        staysWhenEmpty: Bool = false,
        clock: any Clock<Duration> = ContinuousClock(),
        _ body: @escaping @Sendable (PrefetchJob) async -> PrefetchOutcome
    ) async throws -> Summary {
        try await open()
        let (wakes, waker) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let stopListening = listen { waker.yield() }
        defer {
            stopListening()
            waker.finish()
        }
        let worker = PrefetchWorker(queue: self, concurrency: max(1, concurrency), clock: clock, wakes: waker, body)
        return try await worker.run(wakes, staysWhenEmpty: staysWhenEmpty)
    }
}

/// The work of one machine on a queue. Its state is that of one task; jobs run in others.
private final class PrefetchWorker: Sendable {
    private struct State {
        var running: [String: PrefetchQueue.Taken] = [:]
        var ended: [(taken: PrefetchQueue.Taken, outcome: PrefetchOutcome)] = []
    }

    private let queue: PrefetchQueue
    private let concurrency: Int
    private let clock: any Clock<Duration>
    private let waker: AsyncStream<Void>.Continuation
    private let body: @Sendable (PrefetchJob) async -> PrefetchOutcome
    private let state = Lock(State())

    init(
        queue: PrefetchQueue,
        concurrency: Int,
        clock: any Clock<Duration>,
        wakes: AsyncStream<Void>.Continuation,
        _ body: @escaping @Sendable (PrefetchJob) async -> PrefetchOutcome
    ) {
        self.queue = queue
        self.concurrency = concurrency
        self.clock = clock
        waker = wakes
        self.body = body
    }

    /// The longest pause between two looks at the queue, in case nothing is heard of it.
    private static let longestPause = Duration.seconds(1)
    private static let shortestPause = Duration.milliseconds(10)

    func run(_ wakes: AsyncStream<Void>, staysWhenEmpty: Bool) async throws -> PrefetchQueue.Summary {
        try await withThrowingDiscardingTaskGroup { group in
            // Wakes the loop now and then: for claims, for signs of life, and while nothing is heard.
            let pause = max(Self.shortestPause, min(Self.longestPause, queue.configuration.idleTime / 4))
            group.addTask { [clock, waker] in
                while !Task.isCancelled {
                    try? await clock.sleep(upTo: pause)
                    waker.yield()
                }
            }
            defer { group.cancelAll() }
            return try await loop(wakes, staysWhenEmpty: staysWhenEmpty, in: &group)
        }
    }

    private func loop(
        _ wakes: AsyncStream<Void>,
        staysWhenEmpty: Bool,
        in group: inout ThrowingDiscardingTaskGroup<any Error>
    ) async throws -> PrefetchQueue.Summary {
        var summary = PrefetchQueue.Summary()
        // Machines that began together do not claim together.
        let idle = queue.configuration.idleTime
        var nextClaim = ContinuousClock.now + idle / 3 * .random(in: 0...1)
        var iterator = wakes.makeAsyncIterator()
        while true {
            try Task.checkCancellation()
            do {
                try await note(&summary)
                var takenCount = 0
                let (room, held) = state.withLock { state in
                    (concurrency - state.running.count, Array(state.running.values) + state.ended.map(\.taken))
                }
                if ContinuousClock.now >= nextClaim {
                    nextClaim = .now + idle / 3 * .random(in: 0.75...1.25)
                    let claimed = try await queue.claim(room, holding: held)
                    start(claimed, in: &group)
                    takenCount += claimed.count
                }
                if room > takenCount {
                    let taken = try await queue.take(room - takenCount)
                    start(taken, in: &group)
                    takenCount += taken.count
                }
                let isIdle = state.withLock { $0.running.isEmpty && $0.ended.isEmpty }
                if takenCount == 0, isIdle, !staysWhenEmpty, try await queue.progress().isEmpty { return summary }
                if state.withLock({ !$0.ended.isEmpty }) { continue }
            } catch let error as FleetError where error.isTransient {
                // What is not noted yet is noted later: each job counts once.
                summary.lastError = error
            }
            _ = await iterator.next()
        }
    }

    private func start(_ jobs: [PrefetchQueue.Taken], in group: inout ThrowingDiscardingTaskGroup<any Error>) {
        for taken in jobs {
            // An attempt of this worker may still be under way.
            let isNew = state.withLock { $0.running.updateValue(taken, forKey: taken.id) == nil }
            guard isNew else { continue }
            group.addTask { [self] in
                let outcome: PrefetchOutcome
                if let job = taken.job {
                    outcome = await body(job)
                } else {
                    outcome = .failed("not a job", isFinal: true)
                }
                guard !Task.isCancelled else { return }
                state.withLock { state in
                    state.running[taken.id] = nil
                    state.ended.append((taken, outcome))
                }
                waker.yield()
            }
        }
    }

    /// Notes what has ended, all at once.
    private func note(_ summary: inout PrefetchQueue.Summary) async throws {
        let ended = state.withLock { $0.ended }
        guard !ended.isEmpty else { return }
        summary.doneCount += try await queue.finish(ended)
        state.withLock { $0.ended.removeFirst(ended.count) }
        for (_, outcome) in ended {
            switch outcome {
            case .shared: break
            case .local: summary.localCount += 1
            case .failed: summary.failureCount += 1
            }
        }
    }
}
