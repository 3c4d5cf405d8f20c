internal import HalcyonConcurrency

/// Tasks in the background, at most one at a time for each key, which are cancelled when their owner is released.
final class KeyedTasks: Sendable {
    private struct State {
        var tasks: [ExactString: Task<Void, Never>] = [:]
    }

    private let state = Lock(State())

    deinit {
        for task in state.withLock({ $0.tasks.values }) {
            task.cancel()
        }
    }

    /// Starts work, unless a task of the same key is in progress.
    func start(_ key: String, _ work: @escaping @Sendable () async -> Void) {
        // The task must not retain this object, whose release is to cancel it.
        let (key, lock) = (ExactString(key), state)
        lock.withLock { state in
            guard state.tasks[key] == nil else { return }
            state.tasks[key] = Task.detached {
                await work()
                lock.withLock { $0.tasks[key] = nil }
            }
        }
    }

    /// Waits until no task is in progress.
    func wait() async {
        while let task = state.withLock({ $0.tasks.values.first }) {
            await task.value
        }
    }
}
