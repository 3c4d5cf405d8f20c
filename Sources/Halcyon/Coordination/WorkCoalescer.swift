internal import HalcyonSystem

/// Coalesces equal work: each distinct piece of work is done once for all callers that ask for it while it is in
/// progress.
///
/// The first caller that asks for a key starts the work; callers that ask before it ends wait for the same result. The
/// work has the highest priority among its waiters at any moment. It is cancelled when the last waiter leaves; a caller
/// that asks after that moment, or after the end, starts it anew. So does a caller that needs a newer result than that
/// of the work in progress: the new work replaces it in the table, and the older work goes on for its own waiters.
///
/// Joining, leaving and ending are decided under one lock. A result is delivered to exactly the waiters that are in the
/// table when the work ends, and a waiter is resumed by the thread that takes it out of the table.
///
/// Work of one table waits for other work of the same table, and priorities pass from one to the other. Therefore a
/// priority is only set under the table's lock, and its observers are called once the lock is released.
final class WorkCoalescer<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    typealias Operation = @Sendable (WorkContext) async throws -> Value
    typealias HashedKey = HashedWorkKey<Key>

    private let state = Lock(Table())
    /// The kind of work, which observers of loads are told.
    private let kind: LoadActivity.SharedWork?

    /// - Parameter kind: The kind of work, for the observers of loads that join it. Default: `nil`; none is told.
    init(_ kind: LoadActivity.SharedWork? = nil) {
        self.kind = kind
    }

    /// The number of pieces of work in progress.
    var count: Int { state.withLock { $0.entries.count + $0.replaced.count } }

    /// The number of waiters of all pieces of work.
    var waiterCount: Int {
        state.withLock { state in
            state.entries.values.reduce(0) { $0 + $1.waiters.count }
                + state.replaced.values.reduce(0) { $0 + $1.waiters.count }
        }
    }

    /// Returns the value of a key for a load, which joins no work that could not be stored by it any more; see
    /// ``ContentRegistration``. The number of new work is that of its load. A load that may not go everywhere does the
    /// work itself.
    func value(
        for key: Key,
        of request: ResolvedRequest,
        context: WorkContext,
        operation: @escaping Operation
    ) async throws -> Value {
        guard request.reach == .anywhere else { return try await operation(context) }
        return try await value(
            for: key,
            joining: request.joining,
            number: request.registrations.number,
            context: context,
            operation: operation
        )
    }

    /// Returns the value of a key; starts `operation` unless work on the key is in progress.
    ///
    /// - Parameters:
    ///   - joining: The work that is joined, by its ``WorkNumber``. Default: any.
    ///   - number: The number of `operation`. Default: the one since which work is joined.
    ///   - wait: Ends the waiting as the calling task does when it is cancelled. Default: the task alone does.
    /// - Throws: The error of the operation, or `CancellationError` as soon as the calling task, or `wait`, is cancelled.
    func value(
        for key: Key,
        joining: JoinRule = JoinRule(),
        number: UInt64? = nil,
        context: WorkContext,
        wait: CancellableWait? = nil,
        operation: @escaping Operation
    ) async throws -> Value {
        try Task.checkCancellation()
        let key = HashedKey(key)
        let waiterID = state.withLock { state -> UInt64 in
            state.nextID += 1
            return state.nextID
        }
        // Set when the task is cancelled; the second of joining and leaving sees the first.
        let cancellation = CancellationFlag()
        wait?.begin { self.leave(key, waiterID, cancellation) }
        defer { wait?.end() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                join(key, waiterID, joining, number, context, continuation, cancellation, operation)
            }
        } onCancel: {
            leave(key, waiterID, cancellation)
        }
    }

    /// Not inlined, as what else a load calls between its suspensions: the variables of an inlined call are kept in the
    /// frame of the asynchronous one, which waits for as long as the work. With this one it had 4 kB at each of five levels.
    @inline(never)
    private func join(
        _ key: HashedKey,
        _ waiterID: UInt64,
        _ joining: JoinRule,
        _ number: UInt64?,
        _ context: WorkContext,
        _ continuation: CheckedContinuation<Value, any Error>,
        _ cancellation: CancellationFlag,
        _ operation: @escaping Operation
    ) {
        // Not weak, which takes longer: the observer is removed when the waiter leaves, or the work ends.
        let observer = context.priority.addObserver { self.updatePriority(of: waiterID, key) }
        typealias Joined = (entry: Entry, isNew: Bool, status: WorkStatus, changed: PriorityBox?)
        let joined = state.withLock { state -> Joined? in
            guard !cancellation.isCancelled else { return nil }
            // Read here, so that a change either comes before or finds the waiter in the table.
            let priority = context.priority.value
            // Changed in place: the key in the table stays that of the first, so that none is released under the lock.
            let joined = state.join(key, joining) { id in
                Node(id: id, number: number ?? joining.since, priority: priority)
            }
            guard let (index, isNew) = joined else { return nil }
            let entry = state.entries.values[index]
            entry.waiters[waiterID] = Waiter(continuation, context, observer, priority)
            let changed = entry.changePriority { $0[priority] += 1 }
            return (entry, isNew, entry.status, changed)
        }
        guard let joined else {
            context.priority.removeObserver(observer)
            continuation.resume(throwing: CancellationError())
            return
        }
        joined.changed?.tellObservers()
        if joined.isNew {
            start(key, joined.entry, context.activities, operation)
        } else {
            if let kind { context.note(.joined(kind)) }
            for report in joined.status.reports { context.report(report) }
        }
    }

    private func start(
        _ key: HashedKey,
        _ entry: Entry,
        _ activities: LoadActivities?,
        _ operation: @escaping Operation
    ) {
        let node = entry.node
        let context = WorkContext(priority: node.priority, activities: activities) { report in
            self.pass(report, from: entry)
        }
        state.withLock { _ in
            // No waiter may be left: then nothing is begun, as it might send a request.
            guard !entry.hasEnded else { return }
            // Owned by the entry, which cancels it when the last waiter leaves; made under the lock, so that it cannot
            // end before it is noted. Detached, so that it inherits neither the actor nor the task-local values of the
            // first caller.
            entry.task = Task.detached {
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
        typealias Left = (waiter: Waiter, removed: Removed?, changed: PriorityBox?)
        let left = state.withLock { state -> Left? in
            cancellation.cancel()
            guard let location = state.location(of: waiterID, key) else { return nil }
            let (left, changed, isEmpty) = state.change(location) { entry in
                let waiter = entry.waiters.removeValue(forKey: waiterID)
                let changed = waiter.flatMap { waiter in
                    entry.changePriority { $0[waiter.priority] -= 1 }
                }
                return (waiter, changed, entry.waiters.isEmpty)
            }
            guard let left else { return nil }
            return (left, isEmpty ? state.remove(location) : nil, changed)
        }
        guard let left else { return }
        left.waiter.stopObserving()
        left.removed?.entry.task?.cancel()
        left.removed?.entry.empty()
        left.changed?.tellObservers()
        left.waiter.continuation.resume(throwing: CancellationError())
    }

    private func updatePriority(of waiterID: UInt64, _ key: HashedKey) {
        let changed = state.withLock { state -> PriorityBox? in
            guard let location = state.location(of: waiterID, key) else { return nil }
            return state.change(location) { entry in
                guard let waiter = entry.waiters[waiterID] else { return nil }
                let (earlier, priority) = (waiter.priority, waiter.context.priority.value)
                waiter.priority = priority
                return entry.changePriority { counts in
                    counts[earlier] -= 1
                    counts[priority] += 1
                }
            }
        }
        changed?.tellObservers()
    }

    /// Passes a report of a piece of work to its waiters.
    private func pass(_ report: WorkReport, from entry: Entry) {
        typealias Function = @Sendable (WorkReport) -> Void
        // The entry is not looked up: a load makes some twenty-five reports at its five levels.
        let (only, others) = state.withLock { _ -> (Function?, [Function]) in
            guard !entry.hasEnded, entry.status.add(report) else { return (nil, []) }
            // Most work has one waiter, for which no array is made.
            if entry.waiters.count == 1 { return (entry.waiters.values.first?.context.report, []) }
            if case .activity(let activity, false) = report { return (nil, entry.functions(for: activity)) }
            // Not a key path, which the runtime looks up by the name of the type at each call: 5 % of a load.
            return (nil, entry.waiters.values.map { $0.context.report })
        }
        only?(report)
        for function in others {
            function(report)
        }
    }

    @inline(never)
    private func finish(_ key: HashedKey, _ node: Node, with result: Result<Value, any Error>) {
        let removed = state.withLock { state in
            state.location(of: node, key).map { state.remove($0) }
        }
        guard let removed else { return }
        for waiter in removed.entry.waiters.values {
            waiter.stopObserving()
            waiter.continuation.resume(with: result)
        }
        removed.entry.empty()
    }
}
