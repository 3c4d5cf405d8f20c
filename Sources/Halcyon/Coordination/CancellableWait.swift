internal import HalcyonSystem

/// Cancels what one caller waits for, although the task of the caller goes on: once for all that it waits for from then
/// on.
///
/// A task of its own for the caller would do the same, but takes longer than the rest of a call that joins work.
final class CancellableWait: Sendable {
    private struct State {
        var isCancelled = false
        var leave: (@Sendable () -> Void)?
    }

    private let state = Lock(State())

    /// Begins a wait, which `leave` ends; ``end()`` must follow. One wait at a time.
    ///
    /// - Parameter leave: Called once, on any thread and without a lock, at once after ``cancel()``.
    func begin(_ leave: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state -> Bool in
            if !state.isCancelled { state.leave = leave }
            return state.isCancelled
        }
        if isCancelled { leave() }
    }

    /// Ends what ``begin(_:)`` began. A call of its function that is under way may still finish.
    func end() {
        // Released after the lock.
        let leave = state.withLock { state in
            defer { state.leave = nil }
            return state.leave
        }
        withExtendedLifetime(leave) {}
    }

    /// Ends the wait, and all later ones.
    func cancel() {
        let leave = state.withLock { state in
            state.isCancelled = true
            defer { state.leave = nil }
            return state.leave
        }
        leave?()
    }
}
