internal import HalcyonSystem

/// Background work, one piece a key at a time and some at a time in all, that ends with its owner.
final class KeyedTasks: Sendable {
    /// The pieces of work that run or wait.
    private let tasks = Lock<[ExactString: Task<Void, Never>]>([:])
    /// One for each piece of work that may run.
    private let slots: Budget
    private let limit: Int

    /// - Parameters:
    ///   - width: The maximum number of pieces of work that run at a time; at least 1.
    ///   - waitingLimit: The maximum number of pieces that wait; further ones are dropped. Default: 1,024.
    init(width: Int, waitingLimit: Int = 1_024) {
        slots = Budget(limit: width)
        limit = width + waitingLimit
    }

    deinit {
        for task in tasks.withLock({ $0 }).values { task.cancel() }
    }

    /// The number of pieces of work that wait.
    var waitingCount: Int { tasks.withLock { $0.count } - (slots.limit - slots.available) }

    /// Starts work, or lets it wait while as much runs as may. Dropped where work with the same key runs or waits, or
    /// too much waits.
    func start(_ key: String, _ work: @escaping @Sendable () async -> Void) {
        let key = ExactString(key)
        tasks.withLock { tasks in
            guard tasks[key] == nil, tasks.count < limit else { return }
            // Taken here where it is at hand, so that work begins in the order in which it came.
            let slot = slots.leaseAtHand(1)
            // Not of this object, whose end is to cancel it.
            tasks[key] = Task.detached { [slots, tasks = self.tasks] in
                var slot = slot
                if slot == nil { slot = try? await slots.lease(1, priority: PriorityBox(.low)) }
                if slot != nil { await work() }
                // Here, as the task keeps it until its end.
                slot?.reduce(to: 0)
                tasks.withLock { $0[key] = nil }
            }
        }
    }

    /// Waits until nothing is under way any more.
    func wait() async {
        while let task = tasks.withLock({ $0.values.first }) {
            await task.value
        }
    }
}
