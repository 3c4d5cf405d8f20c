internal import Synchronization

/// Work of several requests that goes on in the worker of the one before, as long as that is there: a worker keeps what the last
/// request has left, such as an open animation.
final class WorkerSession: Sendable {
    private static let last = Atomic<Int>(0)

    /// The number of the session, which no other of the process has.
    let number: Int
    private let pool: WorkerPool

    init(_ pool: WorkerPool) {
        self.pool = pool
        number = Self.last.add(1, ordering: .relaxed).newValue
    }

    deinit {
        pool.endSession(number)
    }
}
