internal import Dispatch
internal import HalcyonSystem

/// Runs a task on the thread that waits for it, so that neither waits for a thread of Swift's pool.
final class CallingThreadExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        /// Whether the thread no longer waits.
        var isAbandoned = false
    }

    private let state = Lock(State())
    /// Counts the jobs, and the end of the task.
    private let arrivals = DispatchSemaphore(value: 0)

    private init() {}

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isAbandoned = state.withLock { state in
            if !state.isAbandoned { state.jobs.append(job) }
            return state.isAbandoned
        }
        if isAbandoned { runElsewhere(job) } else { arrivals.signal() }
    }

    /// Runs a function in a task of its own, and blocks the calling thread until it ends.
    ///
    /// - Parameter limit: The time after which the task is cancelled, and ends on other threads. Default: none.
    /// - Returns: `nil` if the time was over before.
    @available(*, noasync)
    static func run<Result: Sendable>(
        within limit: Duration? = nil,
        _ body: @escaping @Sendable () async -> Result
    ) -> Result? {
        let executor = CallingThreadExecutor()
        let deadline = limit.map { DispatchTime.now() + .nanoseconds(Int(min(max(0, $0 / .nanoseconds(1)), 1e18))) }
        let result = Lock<Result?>(nil)
        let task = Task.detached(executorPreference: executor) {
            let value = await body()
            result.withLock { $0 = value }
            executor.arrivals.signal()
        }
        while executor.arrivals.wait(timeout: deadline ?? .distantFuture) == .success {
            if let job = executor.state.withLock({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) {
                job.runSynchronously(on: executor.asUnownedTaskExecutor())
            } else if let result = result.withLock({ $0 }) {
                return result
            }
        }
        task.cancel()
        executor.abandon()
        return nil
    }

    private func abandon() {
        let jobs = state.withLock { state in
            state.isAbandoned = true
            defer { state.jobs = [] }
            return state.jobs
        }
        for job in jobs { runElsewhere(job) }
    }

    private func runElsewhere(_ job: UnownedJob) {
        DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
