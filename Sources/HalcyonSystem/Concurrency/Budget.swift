/// A bounded amount of something, such as bytes of decoded pixels, lent to pieces of work while they need it.
///
/// The most urgent waiter is served first. No other waiter overtakes it, however small its demand, so that a large
/// demand is not starved by small ones. A waiter's priority may change while it waits.
///
/// Budgets have an order. Work that holds a part of one waits for parts of later ones only: otherwise all of a budget
/// might be lent to work that waits for more of it. A debug build stops where that is broken.
package final class Budget: Sendable {
    private struct Waiter: Sendable {
        let number: UInt64
        let amount: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var available: Int
        var waiting = PriorityQueue<Waiter>()
        /// The places of the waiters in the queue.
        var places: [UInt64: PriorityQueue<Waiter>.ID] = [:]
        var lastNumber: UInt64 = 0
    }

    /// The whole amount.
    package let limit: Int
    /// The place in the order of budgets.
    package let order: Int
    private let state: Lock<State>

    package init(limit: Int, order: Int = 0) {
        precondition(limit > 0, "a budget must hold something")
        self.limit = limit
        self.order = order
        state = Lock(State(available: limit))
    }

    /// The amount that is not lent at the moment.
    package var available: Int { state.withLock { $0.available } }

    /// The number of pieces of work that wait.
    package var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Returns an amount that can be lent: 0…``limit``.
    func clamped(_ amount: Int) -> Int { min(max(amount, 0), limit) }

    /// Takes an amount that is available, unless others wait already.
    func take(_ amount: Int) -> Bool {
        state.withLock { state in
            guard state.waiting.isEmpty, amount <= state.available else { return false }
            state.available -= amount
            return true
        }
    }

    func wait(for amount: Int, _ priority: PriorityBox) async throws {
        let number = state.withLock { state -> UInt64 in
            state.lastNumber += 1
            return state.lastNumber
        }
        let observer = priority.addObserver { [weak self] in self?.refreshPriority(of: number, priority) }
        defer { priority.removeObserver(observer) }
        // Set when the task is cancelled; the second of waiting and leaving sees the first.
        let cancellation = CancellationFlag()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waiter = Waiter(number: number, amount: amount, continuation: continuation)
                enqueue(waiter, priority, cancellation)
            }
        } onCancel: {
            leave(number, cancellation)
        }
    }

    private func enqueue(_ waiter: Waiter, _ priority: PriorityBox, _ cancellation: CancellationFlag) {
        let served = state.withLock { state -> [Waiter]? in
            guard !cancellation.isCancelled else { return nil }
            state.places[waiter.number] = state.waiting.append(waiter, priority: priority.value)
            return serve(&state)
        }
        guard let served else { return waiter.continuation.resume(throwing: CancellationError()) }
        resume(served)
    }

    private func leave(_ number: UInt64, _ cancellation: CancellationFlag) {
        let (left, served) = state.withLock { state -> (Waiter?, [Waiter]) in
            cancellation.cancel()
            let left = state.places.removeValue(forKey: number).flatMap { state.waiting.remove($0) }
            return (left, serve(&state))
        }
        left?.continuation.resume(throwing: CancellationError())
        resume(served)
    }

    private func refreshPriority(of number: UInt64, _ priority: PriorityBox) {
        let served = state.withLock { state -> [Waiter] in
            guard let place = state.places[number] else { return [] }
            state.waiting.setPriority(priority.value, of: place)
            return serve(&state)
        }
        resume(served)
    }

    func giveBack(_ amount: Int) {
        let served = state.withLock { state in
            state.available += amount
            return serve(&state)
        }
        resume(served)
    }

    /// Lends to waiters in their order for as long as the rest suffices; they are to be resumed once the lock is
    /// released.
    private func serve(_ state: inout State) -> [Waiter] {
        var served: [Waiter] = []
        while let first = state.waiting.first, first.amount <= state.available {
            state.available -= first.amount
            _ = state.waiting.popFirst()
            state.places[first.number] = nil
            served.append(first)
        }
        return served
    }

    private func resume(_ served: [Waiter]) {
        for waiter in served { waiter.continuation.resume() }
    }
}
