internal import FoundationEssentials
internal import HTTPTypes
internal import HalcyonHTTP
internal import HalcyonSystem

/// The calls to the receiver.
extension ScriptedTransfer {
    /// Adds an event, and calls the receiver with the events it can take.
    func deliver(_ event: Event) {
        state.withLock { state in
            if state.receiver != nil { state.events.append(event) }
        }
        drain()
    }

    /// Calls the receiver until there is nothing more to tell, unless another thread does so already.
    func drain() {
        guard var step = begin() else { return }
        while true {
            let outcome = Self.tell(step.receiver, step.event, limits: request.limits, bodyBytes: step.bodyBytes)
            if case .end = step.event { completed.open() }
            guard let next = advance(after: outcome) else { return }
            step = next
        }
    }

    private struct Step {
        let receiver: any TransferReceiver
        let event: Event
        let bodyBytes: Int
    }

    private enum Outcome {
        case proceed
        case pause
        case failed(TransferError)
    }

    private func begin() -> Step? {
        state.withLock { state in
            guard !state.isDelivering, let step = Self.nextStep(&state) else { return nil }
            state.isDelivering = true
            return step
        }
    }

    private func advance(after outcome: Outcome) -> Step? {
        state.withLock { state in
            switch outcome {
            case .proceed: break
            case .pause: state.isPaused = !state.isResumedEarly
            case .failed(let error): state.events.insert(.end(.failure(error)), at: 0)
            }
            let step = Self.nextStep(&state)
            state.isDelivering = step != nil
            return step
        }
    }

    private static func nextStep(_ state: inout State) -> Step? {
        guard let receiver = state.receiver else { return nil }
        if state.isCancelled { state.events = [.end(.failure(.cancelled))] }
        guard let event = state.events.first else { return nil }
        switch event {
        case .bytes where state.isPaused:
            return nil
        case .bytes(let bytes):
            state.isResumedEarly = false
            state.bodyBytes += bytes.count
        case .response:
            break
        case .end(let result):
            state.result = result
            state.receiver = nil
            state.events = [event]
        }
        state.events.removeFirst()
        return Step(receiver: receiver, event: event, bodyBytes: state.bodyBytes)
    }

    private static func tell(
        _ receiver: any TransferReceiver,
        _ event: Event,
        limits: TransferLimits,
        bodyBytes: Int
    ) -> Outcome {
        do throws(TransferError) {
            switch event {
            case .response(let response):
                let headerBytes = response.headers.reduce(0) {
                    $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 4
                }
                guard headerBytes <= limits.headerBytes else {
                    throw .headersTooLarge(maximum: limits.headerBytes)
                }
                guard response.expectedBodyBytes ?? 0 <= limits.bodyBytes else {
                    throw .bodyTooLarge(maximum: limits.bodyBytes)
                }
                try receiver.didReceive(response: response)
                return .proceed
            case .bytes(let bytes):
                guard bodyBytes <= limits.bodyBytes else { throw .bodyTooLarge(maximum: limits.bodyBytes) }
                return try tell(receiver, bytes) == .pause ? .pause : .proceed
            case .end(let result):
                receiver.didComplete(result)
                return .proceed
            }
        } catch {
            return .failed(error)
        }
    }

    /// Calls the receiver with bytes. `withUnsafeBytes` does not carry a typed error, so it leaves in a result.
    private static func tell(_ receiver: any TransferReceiver, _ bytes: Data) throws(TransferError) -> TransferDemand {
        let answer = bytes.withUnsafeBytes { buffer -> Result<TransferDemand, TransferError> in
            do throws(TransferError) {
                return .success(try receiver.didReceive(bytes: buffer))
            } catch {
                return .failure(error)
            }
        }
        return try answer.get()
    }
}
