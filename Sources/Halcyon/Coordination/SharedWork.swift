internal import HalcyonConcurrency

/// Does each distinct piece of work once for everyone who asks for it while it goes on.
///
/// The first to ask for a key starts the work; those who ask before it ends wait for the same result. The work has the
/// highest priority among its waiters at any moment. It is cancelled when the last one leaves, and someone who asks
/// after that moment, or after the end, starts it anew.
///
/// Everything that decides who gets what happens under one lock: joining, leaving and ending. A result is taken to
/// exactly those who are waiting when the work ends, and a waiter is resumed by whoever takes it out of the table.
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
    }

    private struct State {
        var entries: [HashedKey: Entry] = [:]
        var nextID: UInt64 = 0
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
        let waiter = Waiter(
            continuation: continuation,
            report: context.report,
            stopObserving: stopObserving,
            wish: context.priority,
            priority: context.priority.value
        )
        typealias Joined = (node: Node, isNew: Bool, progress: ImageProgress?)
        let joined = state.withLock { state -> Joined? in
            guard !cancellation.isCancelled else { return nil }
            var entry: Entry
            let isNew: Bool
            if let existing = state.entries[key] {
                entry = existing
                isNew = false
            } else {
                state.nextID += 1
                entry = Entry(node: Node(id: state.nextID, priority: waiter.priority))
                isNew = true
            }
            // The table must not hold a second reference while the copy is changed, or every join copies it.
            state.entries[key] = nil
            entry.waiters[waiterID] = waiter
            entry.priorityCounts[waiter.priority.rawValue] += 1
            let progress = entry.progress
            let node = entry.node
            state.entries[key] = entry
            return (node, isNew, progress)
        }
        guard let joined else {
            stopObserving()
            continuation.resume(throwing: CancellationError())
            return
        }
        // The waiter's wish may have changed between being read and the waiter being in the table.
        updatePriority(of: waiterID, key)
        refreshPriority(of: joined.node, key)
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
            guard state.entries[key]?.node === node else { return }
            // Owned by the entry, which cancels it when the last waiter leaves; made under the lock, so that it cannot
            // end before it is noted. Detached, so that it inherits neither the actor nor the task-local values of
            // whoever happened to come first.
            state.entries[key]?.task = Task.detached {
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
        typealias Left = (waiter: Waiter, task: Task<Void, Never>?, node: Node)
        let left = state.withLock { state -> Left? in
            cancellation.cancel()
            guard let waiter = state.entries[key]?.waiters.removeValue(forKey: waiterID),
                let entry = state.entries[key]
            else { return nil }
            guard !entry.waiters.isEmpty else {
                state.entries[key] = nil
                return (waiter, entry.task, entry.node)
            }
            state.entries[key]?.priorityCounts[waiter.priority.rawValue] -= 1
            return (waiter, nil, entry.node)
        }
        guard let left else { return }
        left.waiter.stopObserving()
        left.task?.cancel()
        refreshPriority(of: left.node, key)
        left.waiter.continuation.resume(throwing: CancellationError())
    }

    private func updatePriority(of waiterID: UInt64, _ key: HashedKey) {
        let node = state.withLock { state -> Node? in
            guard let waiter = state.entries[key]?.waiters[waiterID] else { return nil }
            let priority = waiter.wish.value
            guard priority != waiter.priority else { return nil }
            state.entries[key]?.waiters[waiterID]?.priority = priority
            state.entries[key]?.priorityCounts[waiter.priority.rawValue] -= 1
            state.entries[key]?.priorityCounts[priority.rawValue] += 1
            return state.entries[key]?.node
        }
        if let node { refreshPriority(of: node, key) }
    }

    /// Locks are taken from the work towards those who wait for it, here and everywhere: the node's priority, this
    /// table, the waiters' priorities.
    private func refreshPriority(of node: Node, _ key: HashedKey) {
        node.priority.update {
            state.withLock { state in
                guard let entry = state.entries[key], entry.node === node else { return .veryLow }
                return entry.highestPriority
            }
        }
    }

    private func report(_ progress: ImageProgress, from node: Node, _ key: HashedKey) {
        let reports = state.withLock { state -> [@Sendable (ImageProgress) -> Void] in
            guard state.entries[key]?.node === node else { return [] }
            state.entries[key]?.progress = progress
            return state.entries[key]?.waiters.values.map(\.report) ?? []
        }
        for report in reports {
            report(progress)
        }
    }

    private func finish(_ key: HashedKey, _ node: Node, with result: Result<Value, any Error>) {
        let waiters = state.withLock { state -> [Waiter] in
            guard let entry = state.entries[key], entry.node === node else { return [] }
            state.entries[key] = nil
            return Array(entry.waiters.values)
        }
        for waiter in waiters {
            waiter.stopObserving()
            waiter.continuation.resume(with: result)
        }
    }
}
