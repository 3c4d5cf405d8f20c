internal import Dispatch
internal import HalcyonConcurrency

/// Runs a task on the thread that waits for it, so that neither waits for a thread of Swift's pool.
final class CallingThreadExecutor: TaskExecutor {
    private let jobs = Lock<[UnownedJob]>([])
    /// Counts the jobs, and the end of the task.
    private let arrivals = DispatchSemaphore(value: 0)

    private init() {}

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        arrivals.signal()
    }

    /// Runs a function in a task of its own, and blocks the calling thread until it ends.
    @available(*, noasync)
    static func run<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) -> Result {
        let executor = CallingThreadExecutor()
        let result = Lock<Result?>(nil)
        // Not cancelled: its owner waits for it.
        Task.detached(executorPreference: executor) {
            let value = await body()
            result.withLock { $0 = value }
            executor.arrivals.signal()
        }
        while true {
            executor.arrivals.wait()
            if let job = executor.jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
                job.runSynchronously(on: executor.asUnownedTaskExecutor())
            } else if let result = result.withLock({ $0 }) {
                return result
            }
        }
    }
}
