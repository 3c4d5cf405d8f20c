public import FoundationEssentials
internal import HalcyonConcurrency

extension HTTPTransport {
    /// Loads a whole body into memory.
    ///
    /// Memory for it is taken once where the length is known and not above 16 MiB, and never more than
    /// ``TransferLimits/bodyBytes``. HTTP statuses are not errors. Throws a ``TransferError``; cancelling the task cancels
    /// the transfer, and a task that is cancelled already sends nothing.
    public func data(for request: TransferRequest) async throws -> (TransferResponse, Data, TransferMetrics) {
        guard !Task.isCancelled else { throw TransferError.cancelled }
        let collector = BodyCollector(request, storage: .memory, hooks: .init())
        let body = try await collector.collect(from: self, priority: nil)
        return (body.response, body.data, body.metrics)
    }
}

/// Brings a cancellation to a transfer, whichever of the two comes first.
final class CancellationLatch: Sendable {
    private enum State {
        case empty
        case attached(any Transfer)
        case cancelled
    }

    private let state = Lock(State.empty)

    func attach(_ transfer: any Transfer) {
        let isCancelled = state.withLock { state in
            if case .cancelled = state { return true }
            state = .attached(transfer)
            return false
        }
        if isCancelled { transfer.cancel() }
    }

    func cancel() {
        let transfer = state.withLock { state -> (any Transfer)? in
            defer { state = .cancelled }
            if case .attached(let transfer) = state { return transfer }
            return nil
        }
        transfer?.cancel()
    }

    /// The transfer, once it is attached and unless it was cancelled.
    var transfer: (any Transfer)? {
        state.withLock { state in
            if case .attached(let transfer) = state { return transfer }
            return nil
        }
    }
}
