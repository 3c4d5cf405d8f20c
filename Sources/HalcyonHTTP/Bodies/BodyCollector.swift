internal import FoundationEssentials
internal import HTTPTypes
internal import HalcyonConcurrency

/// Gathers one response, and ends exactly once.
final class BodyCollector: TransferReceiver {
    /// What the head of a response is looked at with.
    struct Hooks: Sendable {
        var accept: @Sendable (TransferResponse) throws -> Void = { _ in }
        var review: (@Sendable (TransferResponse) async throws -> Void)?
        var report: @Sendable (BodyProgress) -> Void = { _ in }
    }

    /// The response does not fit what is held, and the whole must be asked for.
    struct MustAskAgain: Error {}

    struct State {
        var response: TransferResponse?
        var gathering: BodyGathering
        /// What may be kept of the body, if it is interrupted.
        var partial: PartialResponse?
        var goesOn = false
        var isUndecided = false
        /// The one piece that came while the head was undecided.
        var heldPiece: Data?
        /// A good end that came while the head was undecided.
        var heldMetrics: TransferMetrics?
        var headWaiter: CheckedContinuation<TransferResponse?, Never>?
        var refusal: (any Error)?
        var isCancelled = false
        var mustResume = false
        var transfer: (any Transfer)?
        var isComplete = false
        var continuation: CheckedContinuation<HTTPResponseBody, any Error>?
    }

    let request: TransferRequest
    let storage: BodyStorage
    let hooks: Hooks
    let state: Lock<State>

    init(_ request: TransferRequest, storage: BodyStorage, hooks: Hooks) {
        self.request = request
        self.storage = storage
        self.hooks = hooks
        state = Lock(State(gathering: BodyGathering(memoryThreshold: storage.memoryThreshold)))
    }

    /// Runs the transfer to its end.
    func collect(from transport: any HTTPTransport, priority: PriorityBox?) async throws -> HTTPResponseBody {
        guard let review = hooks.review else { return try await transfer(over: transport, priority: priority) }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                guard let response = await self.head() else { return }
                do {
                    try await review(response)
                    self.decide(nil)
                } catch {
                    self.decide(error)
                }
            }
            // Where the transfer ends first, the review is told so, and waited for.
            defer { group.cancelAll() }
            return try await transfer(over: transport, priority: priority)
        }
    }

    func transfer(over transport: any HTTPTransport, priority: PriorityBox?) async throws -> HTTPResponseBody {
        let observer = priority?.addObserver { [weak self] in
            guard let self, let priority else { return }
            state.withLock { $0.transfer }?.setPriority(priority.value)
        }
        defer { if let observer { priority?.removeObserver(observer) } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                state.withLock { $0.continuation = continuation }
                // The transport completes every transfer exactly once, and that resumes the continuation.
                attach(transport.start(request, receiver: self), priority: priority)
            }
        } onCancel: {
            let transfer = state.withLock { state -> (any Transfer)? in
                state.isCancelled = true
                return state.transfer
            }
            transfer?.cancel()
        }
    }

    /// Makes up for what came before the transfer was known.
    private func attach(_ transfer: any Transfer, priority: PriorityBox?) {
        let (isCancelled, mustResume) = state.withLock { state in
            if !state.isComplete { state.transfer = transfer }
            return (state.isCancelled, state.mustResume)
        }
        if isCancelled { transfer.cancel() }
        if mustResume { transfer.resume() }
        if let priority, priority.value != request.priority { transfer.setPriority(priority.value) }
    }

    func resumeTransfer() {
        let transfer = state.withLock { state in
            if state.transfer == nil { state.mustResume = true }
            return state.transfer
        }
        transfer?.resume()
    }

    private func makeWriter(_ partial: PartialResponse?) -> BodyWriter {
        BodyWriter(queue: storage.queue, open: storage.opener(keeping: partial)) { [weak self] in self?.resumeTransfer()
        }
    }

    // MARK: The transport's thread

    func didReceive(response: TransferResponse) throws(TransferError) {
        do {
            let response = try begin(response)
            try hooks.accept(response)
            let waiter = state.withLock { state in
                state.response = response
                state.isUndecided = hooks.review != nil
                defer { state.headWaiter = nil }
                return state.headWaiter
            }
            waiter?.resume(returning: response)
        } catch {
            state.withLock { $0.refusal = error }
            throw error as? TransferError ?? .responseRefused("\(error)")
        }
    }

    /// Decides where the body goes, and returns the head of the whole.
    private func begin(_ response: TransferResponse) throws -> TransferResponse {
        if let held = storage.resumption?.held {
            switch held.response.judge(response, heldBytes: held.count) {
            case .resumes(let whole):
                try goOn(with: held, whole, ignoresBytes: false)
                return whole
            case .isComplete(let whole):
                try goOn(with: held, whole, ignoresBytes: true)
                return whole
            case .startsOver:
                storage.queue.async { held.close(keepsBytes: false) }
            case .asksAgain:
                storage.queue.async { held.close(keepsBytes: false) }
                throw MustAskAgain()
            case .isUnrelated:
                break
            }
        } else if response.status == 206, request.headers[.range] == nil {
            throw TransferError.malformedResponse("it is a part, but the whole was asked for")
        }
        state.withLock { state in
            if storage.resumption != nil { state.partial = PartialResponse(keeping: response) }
            state.gathering.expect(response.expectedBodyBytes ?? 0)
        }
        return response
    }

    private func goOn(with held: PartialBody, _ whole: TransferResponse, ignoresBytes: Bool) throws(TransferError) {
        // The transport counts the rest alone.
        guard whole.expectedBodyBytes ?? 0 <= request.limits.bodyBytes else {
            throw .bodyTooLarge(maximum: request.limits.bodyBytes)
        }
        let writer = BodyWriter(queue: storage.queue, open: { held }) { [weak self] in self?.resumeTransfer() }
        state.withLock { state in
            state.gathering.goOn(with: writer, after: held.count, ignoresBytes: ignoresBytes)
            state.partial = held.response
            state.goesOn = true
        }
    }

    func didReceive(bytes: UnsafeRawBufferPointer) throws(TransferError) -> TransferDemand {
        let isHeld = state.withLock { state in
            guard state.isUndecided else { return false }
            state.heldPiece = (state.heldPiece ?? Data()) + Data(bytes)
            return true
        }
        return isHeld ? .pause : try take(bytes)
    }

    func take(_ bytes: UnsafeRawBufferPointer) throws(TransferError) -> TransferDemand {
        typealias Taken = (Result<TransferDemand, TransferError>, BodyProgress)
        let taken = state.withLock { state -> Taken? in
            // A held piece may be taken while the transfer ends on another thread.
            guard !state.isComplete else { return nil }
            let expected = state.response?.expectedBodyBytes
            let partial = state.partial
            let result = Result { () throws(TransferError) in
                let demand = try state.gathering.append(bytes, expected: expected) { makeWriter(partial) }
                if state.goesOn, let expected, state.gathering.receivedBytes > expected {
                    state.partial = nil
                    throw .malformedResponse("it is longer than it says")
                }
                return demand
            }
            return (result, BodyProgress(receivedBytes: state.gathering.receivedBytes, expectedBytes: expected))
        }
        guard let (result, progress) = taken else { return .proceed }
        hooks.report(progress)
        return try result.get()
    }

    func didComplete(_ result: Result<TransferMetrics, TransferError>) {
        typealias Ready = (waiter: CheckedContinuation<TransferResponse?, Never>?, isReady: Bool)
        let ready = state.withLock { state -> Ready in
            if state.isUndecided, state.refusal == nil, case .success(let metrics) = result {
                state.heldMetrics = metrics
                return (nil, false)
            }
            defer { state.headWaiter = nil }
            return (state.headWaiter, true)
        }
        ready.waiter?.resume(returning: nil)
        if ready.isReady { complete(result) }
    }
}
