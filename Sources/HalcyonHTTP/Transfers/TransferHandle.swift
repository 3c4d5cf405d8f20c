internal import HalcyonSystem

/// A transfer to steer that may become known only after it has been cancelled or resumed.
final class TransferHandle: Sendable {
    private enum State {
        /// Nothing is known of the transfer yet. If it was resumed meanwhile, it is as soon as it is attached.
        case empty(mustResume: Bool)
        case attached(any Transfer)
        case cancelled
        /// The transfer has ended, and is not kept.
        case ended
    }

    private let state = Lock(State.empty(mustResume: false))

    /// The transfer, if it is attached and neither cancelled nor at its end.
    var transfer: (any Transfer)? {
        state.withLock { state in
            if case .attached(let transfer) = state { return transfer }
            return nil
        }
    }

    /// A Boolean value that indicates whether the transfer was cancelled before its end.
    var isCancelled: Bool {
        state.withLock { state in
            if case .cancelled = state { return true }
            return false
        }
    }

    /// Takes the transfer, once it has been started.
    func attach(_ transfer: any Transfer) {
        let earlier = state.withLock { state in
            defer { if case .empty = state { state = .attached(transfer) } }
            return state
        }
        switch earlier {
        case .empty(let mustResume): if mustResume { transfer.resume() }
        case .cancelled: transfer.cancel()
        case .attached, .ended: break
        }
    }

    /// Resumes the transfer, now or when it is attached.
    func resume() {
        let transfer = state.withLock { state -> (any Transfer)? in
            switch state {
            case .empty:
                state = .empty(mustResume: true)
                return nil
            case .attached(let transfer): return transfer
            case .cancelled, .ended: return nil
            }
        }
        transfer?.resume()
    }

    /// Cancels the transfer, now or when it is attached.
    func cancel() {
        let transfer = state.withLock { state -> (any Transfer)? in
            switch state {
            case .empty:
                state = .cancelled
                return nil
            case .attached(let transfer):
                state = .cancelled
                return transfer
            case .cancelled, .ended: return nil
            }
        }
        transfer?.cancel()
    }

    /// Lets go of the transfer, which breaks the cycle between it and a receiver that keeps this.
    func end() {
        // Released after the lock: the end of a transfer may run foreign code.
        let last = state.withLock { state in
            defer { state = .ended }
            return state
        }
        withExtendedLifetime(last) {}
    }
}
