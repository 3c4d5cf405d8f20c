internal import FoundationEssentials
internal import HTTPTypes
internal import HalcyonSystem

/// The functions of the transport's thread.
extension BodyCollector: TransferReceiver {
    func willSend() {
        hooks.send()
    }

    func didReceive(response: TransferResponse) throws(TransferError) {
        var body = CollectedBody(gathering: BodyGathering(memoryThreshold: storage.memoryThreshold))
        do {
            let response = try begin(response, &body)
            try hooks.accept(response)
            let waiter = state.withLock { [body] state -> CheckedContinuation<TransferResponse?, Never>? in
                guard case .beginning(let waiter) = state else { return nil }
                state = hooks.review == nil ? .receiving(response, body) : .undecided(response, body, Held())
                return waiter
            }
            hooks.begin(ReceivedBody(self))
            waiter?.resume(returning: response)
        } catch {
            let waiter = state.withLock { [body] state -> CheckedContinuation<TransferResponse?, Never>? in
                guard case .beginning(let waiter) = state else { return nil }
                state = .refused(error, body)
                return waiter
            }
            waiter?.resume(returning: nil)
            throw error as? TransferError ?? .responseRefused("\(error)")
        }
    }

    /// Decides where the body goes, and returns the head of the whole.
    private func begin(_ response: TransferResponse, _ body: inout CollectedBody) throws -> TransferResponse {
        if let held = storage.resumption?.held {
            switch held.response.judge(response, heldBytes: held.count) {
            case .resumes(let whole):
                body = try bodyContinuing(held, whole, ignoresBytes: false)
                return whole
            case .isComplete(let whole):
                body = try bodyContinuing(held, whole, ignoresBytes: true)
                return whole
            case .startsOver:
                storage.queue.async { held.close(keepsBytes: false) }
            case .asksAgain:
                storage.queue.async { held.close(keepsBytes: false) }
                throw MustAskAgain()
            case .isUnrelated:
                break
            }
        }
        var response = response
        if response.status == 206, request.headers[.range] == nil {
            guard let whole = response.whole(for: request.method) else {
                throw TransferError.malformedResponse("it is a part, but the whole was asked for")
            }
            response = whole
            body.isOfRange = true
        }
        if storage.resumption != nil { body.partial = PartialResponse(keeping: response) }
        // What is in memory is lost with a process that is killed. A file for each would take 1 ms of every image.
        if body.partial != nil { body.gathering.memoryEnd = .now + storage.memoryTime }
        body.gathering.expect(response.expectedBodyBytes ?? 0)
        return response
    }

    private func bodyContinuing(
        _ held: PartialBody,
        _ whole: TransferResponse,
        ignoresBytes: Bool
    ) throws(TransferError) -> CollectedBody {
        // The transport counts the rest alone.
        try request.limits.checkBody(whole.expectedBodyBytes ?? 0)
        let writer = BodyWriter(queue: storage.queue, open: { held }) { [weak self] in self?.handle.resume() }
        var gathering = BodyGathering(memoryThreshold: storage.memoryThreshold)
        gathering.goOn(with: writer, after: held.count, ignoresBytes: ignoresBytes)
        return CollectedBody(gathering: gathering, partial: held.response, isOfRange: true)
    }

    func didReceive(bytes: UnsafeRawBufferPointer) throws(TransferError) -> TransferDemand {
        let isHeld = state.withLock { state in
            if case .refused = state { return true }
            return state.hold { $0.piece = ($0.piece ?? Data()) + Data(bytes) } != nil
        }
        return isHeld ? .pause : try take(bytes)
    }

    /// Adds bytes to the body, unless the transfer has ended: a held piece may be taken while it ends on another
    /// thread.
    func take(_ bytes: UnsafeRawBufferPointer) throws(TransferError) -> TransferDemand {
        typealias Taken = (writer: BodyWriter?, isTooLong: Bool, progress: BodyProgress)
        let taken = state.withLock { state -> Taken? in
            state.add { response, body in
                let expected = response.expectedBodyBytes
                let partial = body.partial
                let writer = body.gathering.append(bytes, expected: expected) { makeWriter($0, partial) }
                let count = body.gathering.receivedBytes
                let isTooLong = body.isOfRange && count > expected ?? .max
                if isTooLong { body.partial = nil }
                return (writer, isTooLong, BodyProgress(receivedBytes: count, expectedBytes: expected))
            }
        }
        guard let taken else { return .proceed }
        if taken.isTooLong { throw .malformedResponse("it is longer than it says") }
        // Without the lock, as the writer has one of its own. Pieces come one after the other, and a good end after
        // them. A failure that comes first ends the writer, which then ignores the piece.
        let demand = try taken.writer?.append(bytes)
        arrivals.note(taken.progress.receivedBytes)
        hooks.report(taken.progress)
        return demand ?? .proceed
    }

    private func makeWriter(_ beginning: GatheredBytes, _ partial: PartialResponse?) -> BodyWriter {
        BodyWriter(queue: storage.queue, beginning: beginning, open: storage.opener(keeping: partial)) { [weak self] in
            self?.handle.resume()
        }
    }

    func didComplete(_ result: Result<TransferMetrics, TransferError>) {
        let isHeld = state.withLock { state in
            guard case .success(let metrics) = result else { return false }
            return state.hold { $0.metrics = metrics } != nil
        }
        if !isHeld { complete(result) }
    }
}
