/// A bounded amount of something, such as bytes of decoded pixels, lent to pieces of work while they need it.
///
/// The most urgent waiter is served first. Nobody overtakes it, however little they ask for, so that a large demand
/// is not starved by small ones.
package final class Budget: Sendable {
    private struct Waiter: Sendable {
        let amount: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var available: Int
        var waiting = PriorityQueue<Waiter>()
    }

    /// What there is in all.
    package let limit: Int
    private let state: Lock<State>

    package init(limit: Int) {
        precondition(limit > 0, "a budget must hold something")
        self.limit = limit
        state = Lock(State(available: limit))
    }

    /// What is not lent at the moment.
    package var available: Int { state.withLock { $0.available } }

    /// Runs `body` while `amount` is lent to it. A demand beyond ``limit`` is taken as ``limit``, and so runs alone.
    ///
    /// - Throws: What `body` throws, or `CancellationError` if the task is cancelled while it waits.
    package func withAmount<Result: Sendable>(
        _ amount: Int,
        priority: LoadPriority,
        _ body: () async throws -> Result
    ) async throws -> Result {
        let amount = min(max(amount, 0), limit)
        try await acquire(amount, priority: priority)
        defer { release(amount) }
        return try await body()
    }

    private func acquire(_ amount: Int, priority: LoadPriority) async throws {
        let ticket = Lock<Ticket>(.new)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                state.withLock { state in
                    let isCancelled = ticket.withLock { ticket in
                        if case .cancelled = ticket { return true }
                        return false
                    }
                    guard !isCancelled else {
                        continuation.resume(throwing: CancellationError())
                        return
                    }
                    let id = state.waiting.append(
                        Waiter(amount: amount, continuation: continuation),
                        priority: priority
                    )
                    ticket.withLock { $0 = .waiting(id) }
                    serve(&state)
                }
            }
        } onCancel: {
            state.withLock { state in
                let id = ticket.withLock { ticket -> PriorityQueue<Waiter>.ID? in
                    defer { ticket = .cancelled }
                    if case .waiting(let id) = ticket { return id }
                    return nil
                }
                guard let id, let waiter = state.waiting.remove(id) else { return }
                waiter.continuation.resume(throwing: CancellationError())
                serve(&state)
            }
        }
    }

    private func release(_ amount: Int) {
        state.withLock { state in
            state.available += amount
            serve(&state)
        }
    }

    /// Lends to waiters in their order for as long as what is left suffices.
    private func serve(_ state: inout State) {
        while let first = state.waiting.first, first.amount <= state.available {
            state.available -= first.amount
            _ = state.waiting.popFirst()
            first.continuation.resume()
        }
    }

    private enum Ticket {
        case new
        case waiting(PriorityQueue<Waiter>.ID)
        case cancelled
    }
}
