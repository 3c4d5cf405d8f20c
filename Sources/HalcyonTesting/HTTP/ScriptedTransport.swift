internal import Dispatch
public import FoundationEssentials
public import HTTPTypes
internal import HalcyonConcurrency
public import HalcyonHTTP

/// A transport without a network: a test answers each transfer step by step, or once and for all by URL.
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
/// It keeps the contract of ``HTTPTransport``: calls to a receiver come one after the other, nothing comes after the end
/// or while the receiver has paused, limits on body and headers hold, and cancelling completes exactly once, on
/// another thread than the caller's.
public final class ScriptedTransport: HTTPTransport {
    /// What a URL is answered with.
    public struct Route: Sendable {
        /// Default: 200.
        public var status: Int
        /// `Content-Length` is added where it is missing.
        public var headers: HTTPFields
        /// Sent in one piece.
        public var body: Data
        /// Ends the transfer instead of the response. Default: `nil`.
        public var error: TransferError?

        /// A response.
        public init(status: Int = 200, headers: HTTPFields = [:], body: Data = Data()) {
            self.status = status
            self.headers = headers
            self.body = body
        }

        /// A failure before any response.
        public init(error: TransferError) {
            self.init()
            self.error = error
        }
    }

    private struct State {
        var routes: [URL: Route] = [:]
        var answer: (@Sendable (TransferRequest) -> Route?)?
        var transfers: [ScriptedTransfer] = []
        /// Not yet handed out by `nextTransfer`.
        var untaken: [ScriptedTransfer] = []
        var waiters: [CheckedContinuation<ScriptedTransfer, Never>] = []
    }

    private let state = Lock(State())
    private let queue = DispatchQueue(label: "halcyon.scripted-transport")

    /// A transport that answers nothing by itself.
    public init() {}

    /// Answers every later transfer from `url` at once, on the transport's own thread. Such transfers are not given to
    /// ``nextTransfer()``. `nil` removes the route.
    public func setRoute(_ url: URL, _ route: Route?) {
        state.withLock { $0.routes[url] = route }
    }

    /// Answers every later transfer whose URL has no route of its own at once, on the transport's own thread, by what
    /// `answer` makes of its request. Those for which that is `nil` are given to ``nextTransfer()``.
    public func setAnswer(_ answer: (@Sendable (TransferRequest) -> Route?)?) {
        state.withLock { $0.answer = answer }
    }

    /// The oldest transfer that has not been handed out yet; waits until there is one.
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

    /// How many transfers have been started.
    public var startedCount: Int {
        state.withLock { $0.transfers.count }
    }

    /// How many transfers from `url` have been started.
    public func startedCount(_ url: URL) -> Int {
        state.withLock { state in state.transfers.count { $0.request.url == url } }
    }

    /// Takes a transfer, for the test or a route to answer.
    public func start(_ request: TransferRequest, receiver: any TransferReceiver) -> any Transfer {
        let transfer = ScriptedTransfer(request, receiver: receiver, queue: queue)
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
