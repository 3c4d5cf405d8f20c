internal import HalcyonConcurrency

/// Work behind everyone's back, one piece a key at a time, that ends with its owner.
final class KeyedTasks: Sendable {
    private struct State {
        var tasks: [String: Task<Void, Never>] = [:]
    }

    private let state = Lock(State())

    deinit {
        for task in state.withLock({ $0.tasks.values }) {
            task.cancel()
        }
    }

    /// Starts work, unless that of the same key goes on.
    func start(_ key: String, _ work: @escaping @Sendable () async -> Void) {
        // The task must not keep this object, whose end is to cancel it.
        let lock = state
        lock.withLock { state in
            guard state.tasks[key] == nil else { return }
            state.tasks[key] = Task.detached {
                await work()
                lock.withLock { $0.tasks[key] = nil }
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
