internal import HalcyonSystem

/// Background work, one piece a key at a time and some at a time in all, that ends with its owner.
final class KeyedTasks: Sendable {
    private typealias Work = @Sendable () async -> Void

    private struct State {
        let width: Int
        var tasks: [ExactString: Task<Void, Never>] = [:]
        /// In the order of arrival.
        var waiting: [(key: ExactString, work: Work)] = []
        var waitingKeys: Set<ExactString> = []

        /// Removes the first piece of work that waits and returns it, if fewer run than may.
        mutating func next() -> (key: ExactString, work: Work)? {
            guard tasks.count < width, !waiting.isEmpty else { return nil }
            let next = waiting.removeFirst()
            waitingKeys.remove(next.key)
            return next
        }
    }

    private let waitingLimit: Int
    private let state: Lock<State>

    /// - Parameters:
    ///   - width: The maximum number of pieces of work that run at a time.
    ///   - waitingLimit: The maximum number of pieces that wait; further ones are dropped. Default: 1,024.
    init(width: Int, waitingLimit: Int = 1_024) {
        self.waitingLimit = waitingLimit
        state = Lock(State(width: max(1, width)))
    }

    deinit {
        // Waiting work is released without the lock.
        let (tasks, waiting) = state.withLock { state in
            defer { state.waiting = [] }
            return (state.tasks.values, state.waiting)
        }
        for task in tasks { task.cancel() }
        withExtendedLifetime(waiting) {}
    }

    /// The number of pieces of work that wait.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Starts work, or lets it wait while as much runs as may. Dropped where work with the same key runs or waits, or
    /// too much waits.
    func start(_ key: String, _ work: @escaping @Sendable () async -> Void) {
        let key = ExactString(key)
        state.withLock { state in
            guard state.tasks[key] == nil, !state.waitingKeys.contains(key), state.waiting.count < waitingLimit else {
                return
            }
            state.waiting.append((key, work))
            state.waitingKeys.insert(key)
            Self.startNext(&state, of: self.state)
        }
    }

    /// Starts the first piece of work that waits, if fewer run than may. It is noted under the lock, so that it cannot
    /// end before.
    ///
    /// - Parameter lock: Kept by the work, which must not keep this object, whose end is to cancel it.
    private static func startNext(_ state: inout State, of lock: Lock<State>) {
        guard let (key, work) = state.next() else { return }
        state.tasks[key] = Task.detached {
            await work()
            lock.withLock { state in
                state.tasks[key] = nil
                startNext(&state, of: lock)
            }
        }
    }

    /// Waits until nothing is under way any more.
    func wait() async {
        while let task = state.withLock({ $0.tasks.values.first }) {
            await task.value
        }
    }
}
