internal import Dispatch
public import FoundationEssentials
public import HTTPTypes
public import HalcyonHTTP
internal import HalcyonSystem

/// A transport without a network: a test answers each transfer step by step, or all transfers of a URL by a route.
///
/// ```swift
/// let transport = ScriptedTransport()
/// async let image = pipeline.image(from: url)
/// let transfer = await transport.nextTransfer()
/// transfer.respond(status: 200, headers: [.contentType: "image/png"])
/// transfer.send(firstHalf)
/// transfer.send(secondHalf)
/// transfer.finish()
/// ```
///
/// It keeps the contract of ``HTTPTransport``: calls to a receiver come one after the other, nothing comes after the
/// end or while the receiver has paused, limits on body and headers hold, and cancelling completes exactly once, on
/// another thread than the caller's.
public final class ScriptedTransport: HTTPTransport {
    /// The answer for a URL.
    public struct Route: Sendable {
        /// The status. Default: 200.
        public var status: Int
        /// The headers. `Content-Length` is added where it is missing.
        public var headers: HTTPFields
        /// The body, sent in one piece.
        public var body: Data
        /// The error that ends the transfer instead of the response. Default: `nil`.
        public var error: TransferError?

        /// Creates a route with a response.
        public init(status: Int = 200, headers: HTTPFields = [:], body: Data = Data()) {
            self.status = status
            self.headers = headers
            self.body = body
        }

        /// Creates a route with a failure before any response.
        public init(error: TransferError) {
            self.init()
            self.error = error
        }
    }

    private struct State {
        var routes: [URL: Route] = [:]
        var answer: (@Sendable (TransferRequest) -> Route?)?
        var transfers: [ScriptedTransfer] = []
        /// The transfers that `nextTransfer` has not returned yet.
        var untaken: [ScriptedTransfer] = []
        var waiters: [CheckedContinuation<ScriptedTransfer, Never>] = []
    }

    private let state = Lock(State())
    private let queue = DispatchQueue(label: "halcyon.scripted-transport")

    /// Creates a transport that answers nothing by itself.
    public init() {}

    /// Answers every later transfer from `url` at once, on the transport's own thread. ``nextTransfer()`` does not
    /// return such transfers. `nil` removes the route.
    public func setRoute(_ url: URL, _ route: Route?) {
        state.withLock { $0.routes[url] = route }
    }

    /// Answers every later transfer whose URL has no route of its own at once, on the transport's own thread, with the
    /// route that `answer` returns for its request. Those for which that is `nil` are returned by ``nextTransfer()``.
    public func setAnswer(_ answer: (@Sendable (TransferRequest) -> Route?)?) {
        state.withLock { $0.answer = answer }
    }

    /// Returns the oldest transfer that has not been returned yet; waits until there is one.
    public func nextTransfer() async -> ScriptedTransfer {
        await withCheckedContinuation { continuation in
            let transfer = state.withLock { state -> ScriptedTransfer? in
                guard state.untaken.isEmpty else { return state.untaken.removeFirst() }
                state.waiters.append(continuation)
                return nil
            }
            if let transfer { continuation.resume(returning: transfer) }
        }
    }

    /// All transfers so far, in order, those answered by a route included.
    public var transfers: [ScriptedTransfer] {
        state.withLock { $0.transfers }
    }

    /// The number of transfers that have been started.
    public var startedCount: Int {
        state.withLock { $0.transfers.count }
    }

    /// Returns the number of transfers from `url` that have been started.
    public func startedCount(_ url: URL) -> Int {
        state.withLock { state in state.transfers.count { $0.request.url == url } }
    }

    /// `nil`: there are no cookies.
    public var cacheScope: String? { nil }

    /// Starts a transfer, for the test or a route to answer.
    public func start(_ request: TransferRequest, receiver: any TransferReceiver) -> any Transfer {
        let transfer = ScriptedTransfer(request, receiver: receiver, queue: queue)
        receiver.willSend()
        let answered = state.withLock { $0.answer }?(request)
        let (route, waiter) = state.withLock { state -> (Route?, CheckedContinuation<ScriptedTransfer, Never>?) in
            state.transfers.append(transfer)
            if let route = state.routes[request.url] ?? answered { return (route, nil) }
            guard state.waiters.isEmpty else { return (nil, state.waiters.removeFirst()) }
            state.untaken.append(transfer)
            return (nil, nil)
        }
        if let route {
            queue.async { transfer.answer(route) }
        }
        waiter?.resume(returning: transfer)
        return transfer
    }
}
