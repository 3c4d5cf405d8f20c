internal import FoundationEssentials

extension BodyCollector {
    func complete(_ result: Result<TransferMetrics, TransferError>) {
        let end = state.withLock { state -> State? in
            guard !state.isComplete else { return nil }
            let end = state
            // Breaks the cycle between this object and its transfer.
            state.isComplete = true
            state.continuation = nil
            state.transfer = nil
            state.gathering = BodyGathering(memoryThreshold: 0)
            return end
        }
        guard let end else { return }
        switch (result, end.response) {
        case (.success, _) where end.refusal != nil:
            // The end was on its way before the transfer could be cancelled.
            fail(end, .cancelled)
        case (.success(let metrics), let response?):
            succeed(end, response, metrics)
        case (.success, nil):
            fail(end, .malformedResponse("it has no head"))
        case (.failure(let error), _):
            fail(end, error)
        }
    }

    private func succeed(_ end: State, _ response: TransferResponse, _ metrics: TransferMetrics) {
        if end.goesOn, let expected = response.expectedBodyBytes, end.gathering.receivedBytes < expected {
            return fail(end, .connectionLost("\(end.gathering.receivedBytes) of \(expected) bytes came"))
        }
        let continuation = end.continuation
        guard let writer = end.gathering.writer else {
            continuation?.resume(
                returning: HTTPResponseBody(response: response, data: end.gathering.data, metrics: metrics)
            )
            return
        }
        let count = end.gathering.receivedBytes
        writer.finish { result in
            continuation?.resume(
                with: Result {
                    let data = try result.get()
                    guard data.count == count else {
                        throw TransferError.temporaryFileFailed("it has \(data.count) bytes instead of \(count)")
                    }
                    return HTTPResponseBody(response: response, data: data, metrics: metrics)
                }
            )
        }
    }

    private func fail(_ end: State, _ error: TransferError) {
        let continuation = end.continuation
        let reason = end.refusal ?? error
        let partial = end.refusal == nil && error.leavesBodySound ? end.partial : nil
        if let writer = end.gathering.writer {
            writer.abandon(keepsBytes: partial != nil) { continuation?.resume(throwing: reason) }
        } else if let partial, let resumption = storage.resumption,
            end.gathering.data.count >= max(1, resumption.store.configuration.minimumBytes)
        {
            let data = end.gathering.data
            storage.queue.async {
                resumption.keep(data, of: partial)
                continuation?.resume(throwing: reason)
            }
        } else {
            continuation?.resume(throwing: reason)
        }
    }
}

extension TransferError {
    /// Whether what came before it is the beginning of the right body.
    fileprivate var leavesBodySound: Bool {
        switch self {
        case .cancelled, .connectionLost, .timedOut, .tlsFailure, .other: true
        default: false
        }
    }
}

extension BodyStorage.Resumption {
    /// Writes down what was gathered in memory. Blocks.
    fileprivate func keep(_ data: Data, of response: PartialResponse) {
        guard let body = store.begin(key, response) else { return }
        let isWritten = data.withUnsafeBytes { bytes in (try? body.append(bytes)) != nil }
        body.close(keepsBytes: isWritten)
    }
}
