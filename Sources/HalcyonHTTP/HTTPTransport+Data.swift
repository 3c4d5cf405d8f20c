public import FoundationEssentials
internal import HalcyonConcurrency

extension HTTPTransport {
    /// Loads a whole body into memory.
    ///
    /// Memory for it is taken once where the length is known, and never more than ``TransferLimits/bodyBytes``. HTTP
    /// statuses are not errors. Throws a ``TransferError``; cancelling the task cancels the transfer, and a task that is
    /// cancelled already sends nothing.
    public func data(for request: TransferRequest) async throws -> (TransferResponse, Data, TransferMetrics) {
        guard !Task.isCancelled else { throw TransferError.cancelled }
        let latch = CancellationLatch()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let receiver = DataReceiver(limit: request.limits.bodyBytes, continuation: continuation)
                latch.attach(start(request, receiver: receiver))
            }
        } onCancel: {
            latch.cancel()
        }
    }
}

/// Collects a body. Unchecked: the transport makes its calls one after the other, and nobody else touches the state.
private final class DataReceiver: TransferReceiver, @unchecked Sendable {
    private let limit: Int
    private let continuation: CheckedContinuation<(TransferResponse, Data, TransferMetrics), any Error>
    private var response: TransferResponse?
    private var body = Data()

    init(
        limit: Int,
        continuation: CheckedContinuation<(TransferResponse, Data, TransferMetrics), any Error>
    ) {
        self.limit = limit
        self.continuation = continuation
    }

    func didReceive(response: TransferResponse) {
        self.response = response
        if let expected = response.expectedBodyBytes, expected > 0 {
            body.reserveCapacity(min(expected, limit))
        }
    }

    func didReceive(bytes: UnsafeRawBufferPointer) -> TransferDemand {
        if let start = bytes.baseAddress {
            body.append(start.assumingMemoryBound(to: UInt8.self), count: bytes.count)
        }
        return .proceed
    }

    func didComplete(_ result: Result<TransferMetrics, TransferError>) {
        switch (result, response) {
        case (.success(let metrics), let response?):
            continuation.resume(returning: (response, body, metrics))
        case (.success, nil):
            continuation.resume(throwing: TransferError.malformedResponse("the transfer ended without a response"))
        case (.failure(let error), _):
            continuation.resume(throwing: error)
        }
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
