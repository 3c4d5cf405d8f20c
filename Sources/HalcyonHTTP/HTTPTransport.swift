public import HalcyonSystem

/// Moves one HTTP message each way: ``CurlTransport`` over a network, a test's transport from a script.
public protocol HTTPTransport: Sendable {
    /// Starts a transfer, or queues it.
    ///
    /// `receiver` gets, in this order and never at the same time: at most one `willSend()`, at most one
    /// `didReceive(response:)`, any number of `didReceive(bytes:)`, and exactly one `didComplete(_:)`. It is kept until
    /// then.
    func start(_ request: TransferRequest, receiver: any TransferReceiver) -> any Transfer

    /// The name of the user whose cookies the transport keeps and sends: what it loads is cached for transports with the
    /// same name alone. `nil` for what is the same for all. A transport that hands its requests to another one has the
    /// name of that one; there is no default, with which it would give the images of one user to others.
    var cacheScope: String? { get }
}

/// The control of a transfer that has been started. All functions may be called from any thread, at any time; after the
/// end of the transfer they do nothing.
public protocol Transfer: Sendable {
    /// Ends the transfer; its receiver completes with ``TransferError/cancelled`` unless it had completed already.
    func cancel()
    /// Changes the priority against other transfers, queued or running.
    func setPriority(_ priority: LoadPriority)
    /// Goes on after the receiver returned ``TransferDemand/pause``. A call that comes before it has returned, from
    /// another thread, counts.
    func resume()
}

/// Receives the response of a transfer. Functions are called on the transport's own thread and must return soon.
public protocol TransferReceiver: Sendable {
    /// Receives that the transfer has had its turn in the queue, and its request is sent now; not again for the requests
    /// that redirects lead to. What is loaded is ordered by this. A transport without a queue need not call it. Default:
    /// does nothing.
    func willSend()
    /// Receives the final response (redirects are followed before). Throwing ends the transfer with that error.
    func didReceive(response: TransferResponse) throws(TransferError)
    /// Receives a piece of the body, decoded from its content coding. The bytes are valid during the call only.
    func didReceive(bytes: UnsafeRawBufferPointer) throws(TransferError) -> TransferDemand
    /// Receives the result when the transfer is over.
    func didComplete(_ result: Result<TransferMetrics, TransferError>)
}

extension TransferReceiver {
    /// Does nothing, the default.
    public func willSend() {}
}

/// The demand of a receiver for more bytes.
public enum TransferDemand: Sendable, Hashable {
    /// The transfer goes on.
    case proceed
    /// The bytes of this call are taken; no more are delivered until ``Transfer/resume()``.
    case pause
}

extension HTTPTransport {
    /// Loads a whole body into memory.
    ///
    /// Memory for it is taken once where the length is known and not above 16 MiB, and never more than
    /// ``TransferLimits/bodyBytes``. HTTP statuses are not errors. Cancelling the task cancels the transfer; a task
    /// that is cancelled already sends nothing.
    ///
    /// - Throws: ``TransferError``.
    public func data(for request: TransferRequest) async throws -> HTTPResponseBody {
        guard !Task.isCancelled else { throw TransferError.cancelled }
        return try await BodyCollector(request, storage: .memory, hooks: .init()).collect(from: self, priority: nil)
    }
}
