internal import FoundationEssentials

extension BodyCollector {
    /// Ends the collection, the first time it is called.
    func complete(_ result: Result<TransferMetrics, TransferError>) {
        let last = state.withLock { state -> State? in
            if case .ended = state { return nil }
            defer { state = .ended(head: state.head) }
            return state
        }
        guard let last else { return }
        handle.end()
        arrivals.end()
        let ending = continuation.withLock { continuation in
            defer { continuation = nil }
            return Ending(storage: storage, continuation: continuation)
        }
        switch (last, result) {
        case (.beginning(let headWaiter), _):
            headWaiter?.resume(returning: nil)
            if case .failure(let error) = result {
                ending.continuation?.resume(throwing: error)
            } else {
                ending.continuation?.resume(throwing: TransferError.malformedResponse("it has no head"))
            }
        case (.refused(let refusal, let body), _):
            // A good end was on its way before the transfer could be cancelled.
            ending.fail(body, refusal, keeping: nil)
        case (.receiving(let response, let body), .success(let metrics)),
            (.undecided(let response, let body, _), .success(let metrics)),
            (.catchingUp(let response, let body, _), .success(let metrics)):
            ending.succeed(response, body, metrics)
        case (.receiving(_, let body), .failure(let error)), (.undecided(_, let body, _), .failure(let error)),
            (.catchingUp(_, let body, _), .failure(let error)):
            ending.fail(body, error)
        case (.ended, _):
            break
        }
    }

    /// The ways in which a collection ends.
    private struct Ending {
        let storage: BodyStorage
        let continuation: CheckedContinuation<HTTPResponseBody, any Error>?

        func succeed(_ response: TransferResponse, _ body: CollectedBody, _ metrics: TransferMetrics) {
            let count = body.gathering.receivedBytes
            if body.isOfRange, let expected = response.expectedBodyBytes, count < expected {
                return fail(body, .connectionLost("\(count) of \(expected) bytes came"))
            }
            let writer = body.gathering.writer
            guard let writer, !body.gathering.isInMemory else {
                // What was written for a later process is of no use any more.
                writer?.abandon(keepsBytes: false) {}
                let data = body.gathering.data
                continuation?.resume(returning: HTTPResponseBody(response: response, data: data, metrics: metrics))
                return
            }
            writer.finish { [continuation] result in
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

        /// Keeps the received part of the body, if it is the beginning of the right one.
        func fail(_ body: CollectedBody, _ error: TransferError) {
            fail(body, error, keeping: error.leavesBodySound ? body.partial : nil)
        }

        func fail(_ body: CollectedBody, _ error: any Error, keeping partial: PartialResponse?) {
            if let writer = body.gathering.writer {
                writer.abandon(keepsBytes: partial != nil) { [continuation] in continuation?.resume(throwing: error) }
            } else if let partial, let resumption = storage.resumption,
                body.gathering.data.count >= max(1, resumption.store.configuration.minimumBytes)
            {
                let data = body.gathering.data
                storage.queue.async { [continuation] in
                    resumption.keep(data, of: partial)
                    continuation?.resume(throwing: error)
                }
            } else {
                continuation?.resume(throwing: error)
            }
        }
    }
}

extension TransferError {
    /// A Boolean value that indicates whether the bytes before the error are the beginning of the right body.
    fileprivate var leavesBodySound: Bool {
        switch self {
        case .cancelled, .connectionLost, .timedOut, .tlsFailure, .other: true
        default: false
        }
    }
}

extension BodyStorage.Resumption {
    /// Writes the bytes gathered in memory to the store. Blocks.
    fileprivate func keep(_ data: Data, of response: PartialResponse) {
        guard let body = store.begin(key, response, since: removals) else { return }
        let isWritten = data.withUnsafeBytes { bytes in (try? body.append(bytes)) != nil }
        body.close(keepsBytes: isWritten)
    }
}
