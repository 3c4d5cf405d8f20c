internal import Synchronization

/// Admits a bounded number of requests at a time; a bounded number of others waits, interactive ones before
/// prefetches, each in the order of arrival.
///
/// Invariant, under the lock: while a request waits, ``capacity`` are running.
final class RequestQueue: Sendable {
    /// The urgency of a request.
    enum Urgency: Sendable {
        /// Somebody looks at the place of the image.
        case interactive
        /// The image may be looked at later.
        case prefetch
    }

    /// The queue is full.
    struct Full: Error {}

    private struct State {
        var running = 0
        var number: UInt64 = 0
        var waiting: [(number: UInt64, urgency: Urgency, continuation: CheckedContinuation<Void, any Error>)] = []
    }

    private let capacity: Int
    private let limit: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - capacity: The requests at a time; at least 1.
    ///   - limit: The requests that wait.
    init(capacity: Int, limit: Int) {
        self.capacity = max(1, capacity)
        self.limit = limit
    }

    /// The numbers of requests that run and that wait.
    var counts: (running: Int, waiting: Int) { state.withLock { ($0.running, $0.waiting.count) } }

    /// Runs a request when it is its turn.
    ///
    /// - Throws: ``Full``; `CancellationError` where the task is cancelled while it waits; the error of the request.
    func run<Result: Sendable>(_ urgency: Urgency, _ work: () async throws -> Result) async throws -> Result {
        try await enter(urgency)
        defer { leave() }
        return try await work()
    }

    private func enter(_ urgency: Urgency) async throws {
        let number = try state.withLock { state throws(Full) -> UInt64? in
            if state.running < capacity {
                state.running += 1
                return nil
            }
            guard state.waiting.count < limit else { throw Full() }
            state.number += 1
            return state.number
        }
        guard let number else { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isAdmitted = state.withLock { state in
                    // Another request may have left since, and a cancellation come before there was something to
                    // cancel.
                    if state.running < capacity {
                        state.running += 1
                        return true
                    }
                    state.waiting.append((number, urgency, continuation))
                    return false
                }
                if isAdmitted {
                    continuation.resume()
                } else if Task.isCancelled {
                    cancel(number)
                }
            }
        } onCancel: {
            cancel(number)
        }
    }

    private func cancel(_ number: UInt64) {
        let waiter = state.withLock { state in
            state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
        }
        // Not under the lock: the task may run at once.
        waiter?.continuation.resume(throwing: CancellationError())
    }

    private func leave() {
        let next = state.withLock { state in
            let first = state.waiting.firstIndex { $0.urgency == .interactive } ?? state.waiting.indices.first
            guard let first else {
                state.running -= 1
                return nil as CheckedContinuation<Void, any Error>?
            }
            // The place is handed over, so that no newcomer takes it.
            return state.waiting.remove(at: first).continuation
        }
        next?.resume()
    }
}
