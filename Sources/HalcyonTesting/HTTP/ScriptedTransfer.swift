package import Dispatch
internal import FoundationEssentials
public import HalcyonHTTP
public import HalcyonSystem

/// One transfer of a ``ScriptedTransport``: the test plays the server, and sees the calls of its user.
///
/// ``respond(status:headers:url:)``, ``send(_:)-(Data)``, ``finish(_:)`` and ``fail(_:)`` return after the receiver has
/// been called, except while it has paused: then they wait in line, and the calling thread does not.
public final class ScriptedTransfer: Transfer {
    enum Event {
        case response(TransferResponse)
        case bytes(Data)
        case end(Result<TransferMetrics, TransferError>)
    }

    struct State {
        var receiver: (any TransferReceiver)?
        var events: [Event] = []
        /// A Boolean value that indicates whether a thread is calling the receiver; it will take events that others
        /// add.
        var isDelivering = false
        var isPaused = false
        /// A Boolean value that indicates whether it was resumed while the receiver was still being called, so that a
        /// pause it answers is over already.
        var isResumedEarly = false
        var isCancelled = false
        var bodyBytes = 0
        var priority: LoadPriority
        var priorities: [LoadPriority] = []
        var result: Result<TransferMetrics, TransferError>?
    }

    /// The request.
    public let request: TransferRequest
    let state: Lock<State>
    let queue: DispatchQueue
    private let cancelled = Gate()
    let completed = Gate()

    package init(
        _ request: TransferRequest,
        receiver: any TransferReceiver,
        queue: DispatchQueue = DispatchQueue(label: "halcyon.scripted-transfer")
    ) {
        self.request = request
        self.queue = queue
        state = Lock(State(receiver: receiver, priority: request.priority))
    }

    /// A Boolean value that indicates whether it was cancelled before its end.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Returns once it is cancelled.
    public func waitUntilCancelled() async { await cancelled.wait() }

    /// Returns once its receiver has got the result, whatever it was.
    public func waitUntilCompleted() async { await completed.wait() }

    /// The result that its receiver got at the end; `nil` before.
    public var result: Result<TransferMetrics, TransferError>? { state.withLock { $0.result } }

    /// A Boolean value that indicates whether the receiver takes no bytes now.
    public var isPaused: Bool { state.withLock { $0.isPaused } }

    /// The present priority.
    public var priority: LoadPriority { state.withLock { $0.priority } }

    /// Every priority that was set after the start, in order.
    public var priorityChanges: [LoadPriority] { state.withLock { $0.priorities } }

    /// Completes with ``TransferError/cancelled``, soon and on another thread.
    public func cancel() {
        let isFirst = state.withLock { state in
            guard !state.isCancelled, state.receiver != nil else { return false }
            state.isCancelled = true
            return true
        }
        guard isFirst else { return }
        cancelled.open()
        queue.async { self.drain() }
    }

    /// Notes the priority.
    public func setPriority(_ priority: LoadPriority) {
        state.withLock { state in
            guard state.receiver != nil else { return }
            state.priority = priority
            state.priorities.append(priority)
        }
    }

    /// Delivers the events that were held back, on another thread.
    public func resume() {
        let wasPaused = state.withLock { state in
            defer { state.isPaused = false }
            state.isResumedEarly = state.isDelivering
            return state.isPaused
        }
        if wasPaused { queue.async { self.drain() } }
    }
}
