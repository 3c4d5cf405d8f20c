package import Dispatch
public import FoundationEssentials
public import HTTPTypes
public import HalcyonConcurrency
public import HalcyonHTTP

/// One transfer of a ``ScriptedTransport``: the test plays the server, and sees what its user does with it.
///
/// ``respond(status:headers:url:)``, ``send(_:)-(Data)``, ``finish(_:)`` and ``fail(_:)`` return after the receiver has been told, except
/// while it has paused: then they wait in line, and the calling thread does not.
public final class ScriptedTransfer: Transfer {
    private enum Event {
        case response(TransferResponse)
        case bytes(Data)
        case end(Result<TransferMetrics, TransferError>)
    }

    private struct State {
        var receiver: (any TransferReceiver)?
        var events: [Event] = []
        /// A thread is calling the receiver; it will take what others add.
        var isDelivering = false
        var isPaused = false
        /// Resumed while the receiver was still being called, so that a pause it answers is over already.
        var isResumedEarly = false
        var isCancelled = false
        var bodyBytes = 0
        var priority: LoadPriority
        var priorities: [LoadPriority] = []
        var result: Result<TransferMetrics, TransferError>?
    }

    /// What was asked for.
    public let request: TransferRequest
    private let state: Lock<State>
    private let queue: DispatchQueue
    private let cancelled = Gate()
    private let completed = Gate()

    package init(
        _ request: TransferRequest,
        receiver: any TransferReceiver,
        queue: DispatchQueue = DispatchQueue(label: "halcyon.scripted-transfer")
    ) {
        self.request = request
        self.queue = queue
        state = Lock(State(receiver: receiver, priority: request.priority))
    }

    // MARK: The server's side

    /// Delivers the head of the response. `url` is the request's unless given, as after a redirect. The length of the
    /// body is taken from `Content-Length`, unless there is a `Content-Encoding`.
    public func respond(status: Int = 200, headers: HTTPFields = [:], url: URL? = nil) {
        let length = headers[.contentEncoding] == nil ? headers[.contentLength].flatMap(Int.init) : nil
        let response = TransferResponse(
            status: status,
            headers: headers,
            url: url ?? request.url,
            expectedBodyBytes: length
        )
        deliver(.response(response))
    }

    /// Delivers a piece of the body.
    public func send(_ bytes: Data) {
        deliver(.bytes(bytes))
    }

    /// Delivers a piece of the body.
    public func send(_ bytes: [UInt8]) {
        deliver(.bytes(Data(bytes)))
    }

    /// Ends the transfer well.
    public func finish(_ metrics: TransferMetrics = TransferMetrics()) {
        deliver(.end(.success(metrics)))
    }

    /// Ends the transfer with an error.
    public func fail(_ error: TransferError) {
        deliver(.end(.failure(error)))
    }

    /// Responds, sends and finishes as `route` says.
    public func answer(_ route: ScriptedTransport.Route) {
        if let error = route.error { return fail(error) }
        var headers = route.headers
        if headers[.contentLength] == nil { headers[.contentLength] = String(route.body.count) }
        respond(status: route.status, headers: headers)
        if !route.body.isEmpty, request.method != .head { send(route.body) }
        finish(TransferMetrics(bodyBytesReceived: route.body.count))
    }

    // MARK: What the user did

    /// Whether it was cancelled before its end.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Returns once it is cancelled.
    public func waitUntilCancelled() async { await cancelled.wait() }

    /// Returns once its receiver has been told the end, whatever it was.
    public func waitUntilCompleted() async { await completed.wait() }

    /// What its receiver was told in the end; `nil` before.
    public var result: Result<TransferMetrics, TransferError>? { state.withLock { $0.result } }

    /// Whether the receiver wants no bytes now.
    public var isPaused: Bool { state.withLock { $0.isPaused } }

    /// The present priority.
    public var priority: LoadPriority { state.withLock { $0.priority } }

    /// Every priority that was set after the start, in order.
    public var priorityChanges: [LoadPriority] { state.withLock { $0.priorities } }

    // MARK: Transfer

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

    /// Delivers what has been held back, on another thread.
    public func resume() {
        let wasPaused = state.withLock { state in
            defer { state.isPaused = false }
            state.isResumedEarly = state.isDelivering
            return state.isPaused
        }
        if wasPaused { queue.async { self.drain() } }
    }

    // MARK: Delivery

    private func deliver(_ event: Event) {
        state.withLock { state in
            if state.receiver != nil { state.events.append(event) }
        }
        drain()
    }

    /// Calls the receiver until there is nothing more to tell, unless another thread does so already.
    private func drain() {
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

    /// `withUnsafeBytes` does not carry a typed error, so it leaves in a result.
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
