internal import HalcyonConcurrency

/// Does each distinct piece of work once for everyone who asks for it while it goes on.
///
/// The first to ask for a key starts the work; those who ask before it ends wait for the same result. The work has the
/// highest priority among its waiters at any moment. It is cancelled when the last one leaves, and someone who asks
/// after that moment, or after the end, starts it anew.
///
/// Everything that decides who gets what happens under one lock: joining, leaving and ending. A result is taken to
/// exactly those who are waiting when the work ends, and a waiter is resumed by whoever takes it out of the table.
///
/// Work of one table waits for other work of the same table, and priorities go from one to the other. So under the table's
/// lock a priority is only set, and whoever depends on it is told once the lock is released.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    typealias Operation = @Sendable (WorkContext) async throws -> Value
    private typealias HashedKey = SharedWorkKey<Key>

    private struct Waiter {
        let continuation: CheckedContinuation<Value, any Error>
        let report: @Sendable (ImageProgress) -> Void
        let stopObserving: @Sendable () -> Void
        /// What the waiter itself wants, at any moment.
        let wish: PriorityBox
        /// What is counted for it.
        var priority: LoadPriority
    }

    /// One piece of work in progress.
    private final class Node: Sendable {
        let id: UInt64
        let priority: PriorityBox

        init(id: UInt64, priority: LoadPriority) {
            self.id = id
            self.priority = PriorityBox(priority)
        }
    }

    private struct Entry {
        let node: Node
        var task: Task<Void, Never>?
        var waiters: [UInt64: Waiter] = [:]
        /// Waiters at each priority, so that the highest is found without a walk through ten thousand.
        var priorityCounts = [Int](repeating: 0, count: LoadPriority.allCases.count)
        var progress: ImageProgress?

        var highestPriority: LoadPriority {
            priorityCounts.lastIndex { $0 > 0 }.flatMap(LoadPriority.init(rawValue:)) ?? .veryLow
        }

        /// Passes the waiters' priority on to the work. Who is told of it is told once the table's lock is released.
        mutating func changePriority(_ change: (inout [Int]) -> Void) -> PriorityBox? {
            change(&priorityCounts)
            return node.priority.set(highestPriority) ? node.priority : nil
        }
    }

    private struct State {
        var entries: [HashedKey: Entry] = [:]
        var nextID: UInt64 = 0

        /// The place of an entry, if it is still that of a node.
        func index(of node: Node, _ key: HashedKey) -> Dictionary<HashedKey, Entry>.Index? {
            guard let index = entries.index(forKey: key), entries.values[index].node === node else { return nil }
            return index
        }
    }

    private let state = Lock(State())

    init() {}

    /// Pieces of work in progress.
    var count: Int { state.withLock { $0.entries.count } }

    /// Those who wait, for all pieces of work together.
    var waiterCount: Int { state.withLock { $0.entries.values.reduce(0) { $0 + $1.waiters.count } } }

    /// Waits for the value of a key; starts `operation` unless it is being worked out already.
    ///
    /// - Throws: What the operation throws, or `CancellationError` as soon as the calling task is cancelled.
    func value(for key: Key, context: WorkContext, operation: @escaping Operation) async throws -> Value {
        try Task.checkCancellation()
        let key = HashedKey(key)
        let waiterID = state.withLock { state -> UInt64 in
            state.nextID += 1
            return state.nextID
        }
        // Set when the task is cancelled; whoever comes second of joining and leaving sees the first.
        let cancellation = CancellationFlag()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                join(key, waiterID, context, continuation, cancellation, operation)
            }
        } onCancel: {
            leave(key, waiterID, cancellation)
        }
    }

    private func join(
        _ key: HashedKey,
        _ waiterID: UInt64,
        _ context: WorkContext,
        _ continuation: CheckedContinuation<Value, any Error>,
        _ cancellation: CancellationFlag,
        _ operation: @escaping Operation
    ) {
        let observer = context.priority.addObserver { [weak self] in
            self?.updatePriority(of: waiterID, key)
        }
        let stopObserving: @Sendable () -> Void = { context.priority.removeObserver(observer) }
        typealias Joined = (node: Node, isNew: Bool, progress: ImageProgress?, changed: PriorityBox?)
        let joined = state.withLock { state -> Joined? in
            guard !cancellation.isCancelled else { return nil }
            // Read here, so that a change comes either before or finds the waiter in the table.
            let priority = context.priority.value
            let isNew = state.entries[key] == nil
            if isNew {
                state.nextID += 1
                state.entries[key] = Entry(node: Node(id: state.nextID, priority: priority))
            }
            // Changed in place: the key in the table stays that of the first, so that none is released under the lock.
            guard let index = state.entries.index(forKey: key) else { return nil }
            state.entries.values[index].waiters[waiterID] = Waiter(
                continuation: continuation,
                report: context.report,
                stopObserving: stopObserving,
                wish: context.priority,
                priority: priority
            )
            let changed = state.entries.values[index].changePriority { $0[priority.rawValue] += 1 }
            return (state.entries.values[index].node, isNew, state.entries.values[index].progress, changed)
        }
        guard let joined else {
            stopObserving()
            continuation.resume(throwing: CancellationError())
            return
        }
        joined.changed?.tellObservers()
        if joined.isNew {
            start(key, joined.node, operation)
        } else if let progress = joined.progress {
            context.report(progress)
        }
    }

    private func start(_ key: HashedKey, _ node: Node, _ operation: @escaping Operation) {
        let context = WorkContext(priority: node.priority) { [weak self] progress in
            self?.report(progress, from: node, key)
        }
        state.withLock { state in
            // Everyone may have left already: then nothing is begun, as it might send a request.
            guard let index = state.index(of: node, key) else { return }
            // Owned by the entry, which cancels it when the last waiter leaves; made under the lock, so that it cannot
            // end before it is noted. Detached, so that it inherits neither the actor nor the task-local values of
            // whoever happened to come first.
            state.entries.values[index].task = Task.detached {
                let result: Result<Value, any Error>
                do {
                    result = .success(try await operation(context))
                } catch {
                    result = .failure(error)
                }
                self.finish(key, node, with: result)
            }
        }
    }

    private func leave(_ key: HashedKey, _ waiterID: UInt64, _ cancellation: CancellationFlag) {
        typealias Left = (waiter: Waiter, removed: (key: HashedKey, value: Entry)?, changed: PriorityBox?)
        let left = state.withLock { state -> Left? in
            cancellation.cancel()
            guard let index = state.entries.index(forKey: key),
                let waiter = state.entries.values[index].waiters.removeValue(forKey: waiterID)
            else { return nil }
            let changed = state.entries.values[index].changePriority { $0[waiter.priority.rawValue] -= 1 }
            guard state.entries.values[index].waiters.isEmpty else { return (waiter, nil, changed) }
            return (waiter, state.entries.remove(at: index), changed)
        }
        guard let left else { return }
        left.waiter.stopObserving()
        left.removed?.value.task?.cancel()
        left.changed?.tellObservers()
        left.waiter.continuation.resume(throwing: CancellationError())
    }

    private func updatePriority(of waiterID: UInt64, _ key: HashedKey) {
        let changed = state.withLock { state -> PriorityBox? in
            guard let index = state.entries.index(forKey: key),
                let waiter = state.entries.values[index].waiters[waiterID]
            else { return nil }
            let priority = waiter.wish.value
            state.entries.values[index].waiters[waiterID]?.priority = priority
            return state.entries.values[index].changePriority { counts in
                counts[waiter.priority.rawValue] -= 1
                counts[priority.rawValue] += 1
            }
        }
        changed?.tellObservers()
    }

    private func report(_ progress: ImageProgress, from node: Node, _ key: HashedKey) {
        let reports = state.withLock { state -> [@Sendable (ImageProgress) -> Void] in
            guard let index = state.index(of: node, key) else { return [] }
            state.entries.values[index].progress = progress
            // Not a key path, which the runtime looks up by the name of the type at each call: 5 % of a load.
            return state.entries.values[index].waiters.values.map { $0.report }
        }
        for report in reports {
            report(progress)
        }
    }

    private func finish(_ key: HashedKey, _ node: Node, with result: Result<Value, any Error>) {
        // The key in the table may be the last reference to values of a user, so it is released after the lock.
        let removed = state.withLock { state in
            state.index(of: node, key).map { state.entries.remove(at: $0) }
        }
        guard let removed else { return }
        for waiter in removed.value.waiters.values {
            waiter.stopObserving()
            waiter.continuation.resume(with: result)
        }
    }
}
