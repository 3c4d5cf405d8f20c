public import HalcyonConcurrency

/// Moves one HTTP message each way. What ``CurlTransport`` does for real, a test's transport does from a script.
public protocol HTTPTransport: Sendable {
    /// Starts a transfer, or queues it.
    ///
    /// `receiver` gets, in this order and never at the same time: at most one `didReceive(response:)`, any number of
    /// `didReceive(bytes:)`, and exactly one `didComplete(_:)`. It is kept until then.
    func start(_ request: TransferRequest, receiver: any TransferReceiver) -> any Transfer
}

/// A transfer that has been started, to steer it. All functions may be called from any thread, at any time; after the
/// end of the transfer they do nothing.
public protocol Transfer: Sendable {
    /// Ends the transfer; its receiver completes with ``TransferError/cancelled`` unless it had completed already.
    func cancel()
    /// Changes the urgency against other transfers, queued or running.
    func setPriority(_ priority: LoadPriority)
    /// Goes on after the receiver answered ``TransferDemand/pause``. A call that comes while it is still answering, from
    /// another thread, counts.
    func resume()
}

/// Gets what arrives. Functions are called on the transport's own thread and must return soon.
public protocol TransferReceiver: Sendable {
    /// The final response has come (redirects are followed before). Throwing ends the transfer with that error.
    func didReceive(response: TransferResponse) throws(TransferError)
    /// A piece of the body, decoded from its content coding. The bytes are valid during the call only.
    func didReceive(bytes: UnsafeRawBufferPointer) throws(TransferError) -> TransferDemand
    /// The transfer is over.
    func didComplete(_ result: Result<TransferMetrics, TransferError>)
}

/// Whether a receiver wants more bytes now.
public enum TransferDemand: Sendable, Hashable {
    /// Go on.
    case proceed
    /// The bytes of this call are taken; send no more until ``Transfer/resume()``.
    case pause
}
