internal import HalcyonSystem

/// Wakes those who wait for more bytes of a body, or for the next of other things that are counted.
package final class BodyArrivals: Sendable {
    private struct State {
        var count = 0
        var isEnded = false
        var waiters: [UInt64: (count: Int, continuation: CheckedContinuation<Void, Never>)] = [:]
        var nextID: UInt64 = 0

        /// Removes the waiters for so many bytes. They are resumed once the lock is released.
        mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
            // Without waiters, as most bodies are, nothing is made.
            if waiters.isEmpty { return [] }
            let ready = waiters.filter { isEnded || $0.value.count <= count }
            for id in ready.keys { waiters[id] = nil }
            return ready.values.map(\.continuation)
        }
    }

    private let state = Lock(State())

    /// No bytes yet.
    package init() {}

    /// Notes that so many bytes have been received in all.
    package func note(_ count: Int) {
        let waiters = state.withLock { state in
            state.count = max(state.count, count)
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Notes that no more come.
    package func end() {
        let waiters = state.withLock { state in
            state.isEnded = true
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits for so many bytes in all, the end of the transfer, or the cancellation of the calling task.
    package func wait(for count: Int) async {
        // Set when the task is cancelled; the second of joining and leaving sees the first.
        let cancellation = CancellationFlag()
        let id = state.withLock { state -> UInt64 in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.isEnded || state.count >= count || cancellation.isCancelled { return true }
                    state.waiters[id] = (count, continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                cancellation.cancel()
                return state.waiters.removeValue(forKey: id)
            }
            waiter?.continuation.resume()
        }
    }
}
