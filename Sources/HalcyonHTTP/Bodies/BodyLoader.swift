internal import FoundationEssentials
package import HalcyonConcurrency

/// Loads whole bodies over a transport.
package final class BodyLoader: Sendable {
    private let transport: any HTTPTransport

    package init(transport: any HTTPTransport) {
        self.transport = transport
    }

    /// Gets what a request answers with.
    ///
    /// - Parameters:
    ///   - priority: The urgency, which may change while the transfer waits or runs.
    ///   - accept: Sees the head before any of the body; what it throws ends the transfer and is thrown here.
    ///   - report: Told how far the body has come, on the transport's thread.
    /// - Throws: ``TransferError``, or what `accept` threw. Cancelling the task cancels the transfer
    ///   (``TransferError/cancelled``).
    package func load(
        _ request: TransferRequest,
        priority: PriorityBox,
        accept: @escaping @Sendable (TransferResponse) throws -> Void = { _ in },
        report: @escaping @Sendable (BodyProgress) -> Void = { _ in }
    ) async throws -> LoadedBody {
        guard !Task.isCancelled else { throw TransferError.cancelled }
        var request = request
        request.priority = priority.value
        return try await BodyCollector(accept: accept, report: report)
            .collect(request, from: transport, priority: priority)
    }
}

/// Gathers one response in memory.
private final class BodyCollector: TransferReceiver {
    private struct State {
        var response: TransferResponse?
        var data = Data()
        var refusal: (any Error)?
        var isCancelled = false
        var transfer: (any Transfer)?
        var continuation: CheckedContinuation<LoadedBody, any Error>?
    }

    /// The most that is reserved on a server's word alone.
    private static let largestReservation = 16 << 20

    private let state = Lock(State())
    private let accept: @Sendable (TransferResponse) throws -> Void
    private let report: @Sendable (BodyProgress) -> Void

    init(
        accept: @escaping @Sendable (TransferResponse) throws -> Void,
        report: @escaping @Sendable (BodyProgress) -> Void
    ) {
        self.accept = accept
        self.report = report
    }

    func collect(
        _ request: TransferRequest,
        from transport: any HTTPTransport,
        priority: PriorityBox
    ) async throws -> LoadedBody {
        let observer = priority.addObserver { [weak self] in
            let transfer = self?.state.withLock { $0.transfer }
            transfer?.setPriority(priority.value)
        }
        defer { priority.removeObserver(observer) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                state.withLock { $0.continuation = continuation }
                // The transport completes every transfer exactly once, and that resumes the continuation.
                let transfer = transport.start(request, receiver: self)
                let isCancelled = state.withLock { state -> Bool in
                    if state.continuation != nil { state.transfer = transfer }
                    return state.isCancelled
                }
                if isCancelled { transfer.cancel() }
                if priority.value != request.priority { transfer.setPriority(priority.value) }
            }
        } onCancel: {
            let transfer = state.withLock { state -> (any Transfer)? in
                state.isCancelled = true
                return state.transfer
            }
            transfer?.cancel()
        }
    }

    func didReceive(response: TransferResponse) throws(TransferError) {
        do {
            try accept(response)
        } catch {
            state.withLock { $0.refusal = error }
            throw .responseRefused("\(error)")
        }
        state.withLock { state in
            state.response = response
            if let expected = response.expectedBodyBytes, expected > 0 {
                state.data.reserveCapacity(min(expected, Self.largestReservation))
            }
        }
    }

    func didReceive(bytes: UnsafeRawBufferPointer) throws(TransferError) -> TransferDemand {
        let progress = state.withLock { state in
            state.data.append(contentsOf: bytes)
            return BodyProgress(
                receivedBytes: state.data.count,
                expectedBytes: state.response?.expectedBodyBytes
            )
        }
        report(progress)
        return .proceed
    }

    func didComplete(_ result: Result<TransferMetrics, TransferError>) {
        let end = state.withLock { state in
            let end = state
            // Breaks the cycle between this object and its transfer.
            state.continuation = nil
            state.transfer = nil
            state.data = Data()
            return end
        }
        switch (result, end.response) {
        case (.success(let metrics), let response?):
            end.continuation?.resume(returning: LoadedBody(response: response, data: end.data, metrics: metrics))
        case (.success, nil):
            end.continuation?.resume(throwing: TransferError.malformedResponse("it has no head"))
        case (.failure(let error), _):
            end.continuation?.resume(throwing: end.refusal ?? error)
        }
    }
}
