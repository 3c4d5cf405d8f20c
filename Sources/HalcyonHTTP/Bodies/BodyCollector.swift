internal import FoundationEssentials
internal import HalcyonSystem

/// Gathers one response, and ends exactly once.
final class BodyCollector: Sendable {
    /// The functions that look at a response while it arrives.
    struct Hooks: Sendable {
        var send: @Sendable () -> Void = {}
        var accept: @Sendable (TransferResponse) throws -> Void = { _ in }
        var review: (@Sendable (TransferResponse) async throws -> Void)?
        var begin: @Sendable (ReceivedBody) -> Void = { _ in }
        var report: @Sendable (BodyProgress) -> Void = { _ in }
    }

    /// The response does not fit the kept part, and the whole must be requested.
    struct MustAskAgain: Error {}

    let request: TransferRequest
    let storage: BodyStorage
    let hooks: Hooks
    let handle = TransferHandle()
    let arrivals = BodyArrivals()
    let state = Lock(State.beginning(headWaiter: nil))
    /// The continuation that is resumed at the end.
    let continuation = Lock<CheckedContinuation<HTTPResponseBody, any Error>?>(nil)

    init(_ request: TransferRequest, storage: BodyStorage, hooks: Hooks) {
        self.request = request
        self.storage = storage
        self.hooks = hooks
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
            // If the transfer ends first, the review is cancelled, and waited for.
            defer { group.cancelAll() }
            return try await transfer(over: transport, priority: priority)
        }
    }

    func transfer(over transport: any HTTPTransport, priority: PriorityBox?) async throws -> HTTPResponseBody {
        let observer = priority?.addObserver { [weak self] in
            guard let self, let priority else { return }
            handle.transfer?.setPriority(priority.value)
        }
        defer { if let observer { priority?.removeObserver(observer) } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                self.continuation.withLock { $0 = continuation }
                // The transport completes every transfer exactly once, and that resumes the continuation.
                let transfer = transport.start(request, receiver: self)
                handle.attach(transfer)
                if let priority, priority.value != request.priority { transfer.setPriority(priority.value) }
            }
        } onCancel: {
            handle.cancel()
        }
    }
}
