internal import HalcyonConcurrency

/// Does each distinct piece of work once for everyone who asks for it while it goes on.
///
/// The first to ask for a key starts the work; those who ask before it ends wait for the same result. The work has the
/// highest priority among its waiters at any moment. It is cancelled when the last one leaves, and someone who asks
/// after that moment, or after the end, starts it anew. So does someone who needs a result that is newer than that of the work
/// in progress: the new work takes its place in the table, and the older one ends for those who wait for it.
///
/// Everything that decides who gets what happens under one lock: joining, leaving and ending. A result is taken to
/// exactly those who are waiting when the work ends, and a waiter is resumed by whoever takes it out of the table.
///
/// Work of one table waits for other work of the same table, and priorities go from one to the other. So under the table's
/// lock a priority is only set, and whoever depends on it is told once the lock is released.
final class WorkCoalescer<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    typealias Operation = @Sendable (WorkContext) async throws -> Value
    private typealias HashedKey = HashedWorkKey<Key>

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
        /// No part of its result is older than this.
        let since: UInt64
        let priority: PriorityBox

        init(id: UInt64, since: UInt64, priority: LoadPriority) {
            self.id = id
            self.since = since
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

    /// Where an entry is.
    private enum Location {
        case current(Dictionary<HashedKey, Entry>.Index)
        case replaced(Dictionary<UInt64, Entry>.Index)
    }

    private struct State {
        /// The work that can be joined.
        var entries: [HashedKey: Entry] = [:]
        /// Work that others have taken the place of, by the number of its node; mostly none.
        var replaced: [UInt64: Entry] = [:]
        var nextID: UInt64 = 0

        /// The entry of work that is new enough, or a new one in its place.
        mutating func join(
            _ key: HashedKey,
            since: UInt64,
            node: (_ id: UInt64) -> Node
        ) -> (index: Dictionary<HashedKey, Entry>.Index, isNew: Bool)? {
            let index = entries.index(forKey: key)
            if let index, entries.values[index].node.since >= since { return (index, false) }
            nextID += 1
            let entry = Entry(node: node(nextID))
            if let index {
                let older = entries.values[index]
                entries.values[index] = entry
                replaced[older.node.id] = older
            } else {
                entries[key] = entry
            }
            return entries.index(forKey: key).map { ($0, true) }
        }

        /// The place of the entry in which someone waits.
        func location(of waiterID: UInt64, _ key: HashedKey) -> Location? {
            if let index = entries.index(forKey: key), entries.values[index].waiters[waiterID] != nil {
                return .current(index)
            }
            return replaced.indices.first { replaced.values[$0].waiters[waiterID] != nil }.map { .replaced($0) }
        }

        /// The place of an entry, if it is still that of a node.
        func location(of node: Node, _ key: HashedKey) -> Location? {
            if let index = entries.index(forKey: key), entries.values[index].node === node { return .current(index) }
            return replaced.index(forKey: node.id).map { .replaced($0) }
        }

        /// Changes an entry in place.
        mutating func change<Result>(_ location: Location, _ body: (inout Entry) -> Result) -> Result {
            switch location {
            case .current(let index): body(&entries.values[index])
            case .replaced(let index): body(&replaced.values[index])
            }
        }

        /// Takes out an entry, with the key of the table if it goes too.
        mutating func remove(_ location: Location) -> Removed {
            switch location {
            case .current(let index):
                let (key, entry) = entries.remove(at: index)
                return (key, entry)
            case .replaced(let index):
                return (nil, replaced.remove(at: index).value)
            }
        }
    }

    /// The key in the table may be the last reference to values of a user, so it is released after the lock.
    private typealias Removed = (key: HashedKey?, entry: Entry)

    private let state = Lock(State())

    init() {}

    /// Pieces of work in progress.
    var count: Int { state.withLock { $0.entries.count + $0.replaced.count } }

    /// Those who wait, for all pieces of work together.
    var waiterCount: Int {
        state.withLock { state in
            state.entries.values.reduce(0) { $0 + $1.waiters.count }
                + state.replaced.values.reduce(0) { $0 + $1.waiters.count }
        }
    }

    /// Waits for the value of a key; starts `operation` unless it is being worked out already.
    ///
    /// - Parameters:
    ///   - since: Work that began before, by its ``WorkNumber``, is not joined. Default: any may be joined.
    ///   - number: Of `operation`, if it is where values come from. Default: it waits for other work, of which none is
    ///     older than `since`.
    /// - Throws: What the operation throws, or `CancellationError` as soon as the calling task is cancelled.
    func value(
        for key: Key,
        since: UInt64 = 0,
        number: UInt64? = nil,
        context: WorkContext,
        operation: @escaping Operation
    ) async throws -> Value {
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
                join(key, waiterID, since, number, context, continuation, cancellation, operation)
            }
        } onCancel: {
            leave(key, waiterID, cancellation)
        }
    }

    private func join(
        _ key: HashedKey,
        _ waiterID: UInt64,
        _ since: UInt64,
        _ number: UInt64?,
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
            // Changed in place: the key in the table stays that of the first, so that none is released under the lock.
            let joined = state.join(key, since: since) { id in
                Node(id: id, since: number ?? since, priority: priority)
            }
            guard let (index, isNew) = joined else { return nil }
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
            guard let location = state.location(of: node, key) else { return }
            // Owned by the entry, which cancels it when the last waiter leaves; made under the lock, so that it cannot
            // end before it is noted. Detached, so that it inherits neither the actor nor the task-local values of
            // whoever happened to come first.
            let task = Task.detached {
                let result: Result<Value, any Error>
                do {
                    result = .success(try await operation(context))
                } catch {
                    result = .failure(error)
                }
                self.finish(key, node, with: result)
            }
            state.change(location) { $0.task = task }
        }
    }

    private func leave(_ key: HashedKey, _ waiterID: UInt64, _ cancellation: CancellationFlag) {
        typealias Left = (waiter: Waiter, removed: Removed?, changed: PriorityBox?)
        let left = state.withLock { state -> Left? in
            cancellation.cancel()
            guard let location = state.location(of: waiterID, key) else { return nil }
            let (left, changed, isEmpty) = state.change(location) { entry in
                let waiter = entry.waiters.removeValue(forKey: waiterID)
                let changed = waiter.flatMap { waiter in
                    entry.changePriority { $0[waiter.priority.rawValue] -= 1 }
                }
                return (waiter, changed, entry.waiters.isEmpty)
            }
            guard let left else { return nil }
            return (left, isEmpty ? state.remove(location) : nil, changed)
        }
        guard let left else { return }
        left.waiter.stopObserving()
        left.removed?.entry.task?.cancel()
        left.changed?.tellObservers()
        left.waiter.continuation.resume(throwing: CancellationError())
    }

    private func updatePriority(of waiterID: UInt64, _ key: HashedKey) {
        let changed = state.withLock { state -> PriorityBox? in
            guard let location = state.location(of: waiterID, key) else { return nil }
            return state.change(location) { entry in
                guard let waiter = entry.waiters[waiterID] else { return nil }
                let priority = waiter.wish.value
                entry.waiters[waiterID]?.priority = priority
                return entry.changePriority { counts in
                    counts[waiter.priority.rawValue] -= 1
                    counts[priority.rawValue] += 1
                }
            }
        }
        changed?.tellObservers()
    }

    private func report(_ progress: ImageProgress, from node: Node, _ key: HashedKey) {
        let reports = state.withLock { state -> [@Sendable (ImageProgress) -> Void] in
            guard let location = state.location(of: node, key) else { return [] }
            return state.change(location) { entry in
                entry.progress = progress
                // Not a key path, which the runtime looks up by the name of the type at each call: 5 % of a load.
                return entry.waiters.values.map { $0.report }
            }
        }
        for report in reports {
            report(progress)
        }
    }

    private func finish(_ key: HashedKey, _ node: Node, with result: Result<Value, any Error>) {
        let removed = state.withLock { state in
            state.location(of: node, key).map { state.remove($0) }
        }
        guard let removed else { return }
        for waiter in removed.entry.waiters.values {
            waiter.stopObserving()
            waiter.continuation.resume(with: result)
        }
    }
}
