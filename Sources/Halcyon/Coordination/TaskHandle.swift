internal import FoundationEssentials
internal import HalcyonHTTP
internal import HalcyonSystem

/// The state of a task that is returned to a caller: work that goes on whether or not a caller waits for it, with one
/// result, its progress and its priority.
struct TaskHandle<Value: Sendable>: Sendable {
    typealias Event = LoadEvent<Value>
    typealias Subscriber = @Sendable (Event) -> Void

    private struct State {
        var status = WorkStatus()
        var isCancelled = false
        var result: Result<Value, any Error>?
        var task: Task<Value, any Error>?
        var subscribers: [Int: Subscriber] = [:]
        var nextSubscriber = 0
        /// The events that are not delivered yet, each with those who subscribed before it.
        var deliveries = DeliveryQueue<(event: Event, subscribers: [Subscriber])>()

        var progress: ImageProgress { status.progress?.progress ?? ImageProgress() }

        /// Adds an event for the present subscribers.
        ///
        /// - Returns: Whether there are any, so that ``TaskHandle/deliver(_:)`` must follow once the lock is released.
        mutating func tell(_ event: Event) -> Bool {
            if subscribers.isEmpty { return false }
            deliveries.append((event, Array(subscribers.values)))
            return true
        }

        /// The events that bring a subscriber to the present state.
        func events(withProgress alwaysHasProgress: Bool) -> [Event] {
            var events: [Event] = []
            if let stage = status.stage { events.append(.began(stage)) }
            if alwaysHasProgress || progress != ImageProgress() { events.append(.progress(progress)) }
            if let result { events.append(.finished(result)) }
            return events
        }
    }

    let priority: PriorityBox
    private let state: Lock<State>

    /// Makes a handle of work that begins with ``start(_:)``, or that has ended with `value`.
    init(priority: LoadPriority, value: Value? = nil) {
        self.priority = PriorityBox(priority)
        state = Lock(State(result: value.map { .success($0) }))
    }

    func start(_ operation: @escaping @Sendable (WorkContext) async throws -> Value) {
        let context = WorkContext(priority: priority) { [state] report in
            Self.advance(state, report)
        }
        // Owned by the state until it ends, and retains the state until then: subscribers get the end of a task that
        // has no other owner.
        let task = Task.detached { [state] in
            do {
                let value = try await operation(context)
                Self.end(state, with: .success(value))
                return value
            } catch {
                Self.end(state, with: .failure(error))
                throw error
            }
        }
        let isCancelled = state.withLock { state -> Bool in
            if state.result == nil { state.task = task }
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// The result of the work; waits for its end. Cancelling the Swift task that waits cancels the work.
    var result: Result<Value, any Error> {
        get async {
            typealias Now = (result: Result<Value, any Error>?, task: Task<Value, any Error>?)
            let now: Now = state.withLock { ($0.result, $0.task) }
            if let result = now.result { return result }
            guard let task = now.task else { return .failure(CancellationError()) }
            return await withTaskCancellationHandler {
                await task.result
            } onCancel: {
                cancel()
            }
        }
    }

    /// The state of the work at this moment.
    var loadState: LoadState<Value> {
        state.withLock { state in
            if let result = state.result { return LoadState(result) }
            return state.status.stage.map { .running($0) } ?? .waiting
        }
    }

    func cancel() {
        let task = state.withLock { state -> Task<Value, any Error>? in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }

    var progress: ImageProgress { state.withLock { $0.progress } }

    /// Copies the bytes that have been received so far; `nil` if none are being received.
    func receivedData() async -> Data? {
        let body = state.withLock { $0.result == nil ? $0.status.body?.body : nil }
        return await body?.copy()
    }

    /// Calls `subscriber` with the events that lead to the present state, then with each further one, to the end. Calls
    /// come one after the other, in the order of the events, on any thread and without a lock; those of a task that has
    /// ended come before this returns, unless another thread delivers events at that moment.
    ///
    /// - Parameter alwaysHasProgress: A Boolean value that indicates whether the present progress comes first although
    ///   there is none. Default: `false`.
    /// - Returns: The number of the subscription; `nil` if the task has ended.
    @discardableResult
    func subscribe(withProgress alwaysHasProgress: Bool = false, _ subscriber: @escaping Subscriber) -> Int? {
        let id = state.withLock { state -> Int? in
            for event in state.events(withProgress: alwaysHasProgress) {
                state.deliveries.append((event, [subscriber]))
            }
            guard state.result == nil else { return nil }
            state.nextSubscriber += 1
            state.subscribers[state.nextSubscriber] = subscriber
            return state.nextSubscriber
        }
        Self.deliver(state)
        return id
    }

    /// The events that lead to the present state, then each further one, to the end.
    func events(limit: Int) -> AsyncStream<Event> {
        stream(limit: limit) { continuation, event in continuation.yield(event) }
    }

    /// The present progress, then each change, until the end.
    var progressUpdates: AsyncStream<ImageProgress> {
        stream(limit: 1, withProgress: true) { continuation, event in
            if case .progress(let progress) = event { continuation.yield(progress) }
        }
    }

    private func stream<Element: Sendable>(
        limit: Int,
        withProgress alwaysHasProgress: Bool = false,
        _ yield: @escaping @Sendable (AsyncStream<Element>.Continuation, Event) -> Void
    ) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self,
            bufferingPolicy: .bufferingNewest(limit)
        )
        let id = subscribe(withProgress: alwaysHasProgress) { event in
            yield(continuation, event)
            if case .finished = event { continuation.finish() }
        }
        if let id {
            continuation.onTermination = { [weak state] _ in
                // Released after the lock, as it may be the last reference to values of a user.
                let subscriber = state?.withLock { $0.subscribers.removeValue(forKey: id) }
                withExtendedLifetime(subscriber) {}
            }
        }
        return stream
    }

    private static func advance(_ state: Lock<State>, _ report: WorkReport) {
        let mustDeliver = state.withLock { state -> Bool in
            guard state.result == nil else { return false }
            guard state.status.add(report) else { return false }
            switch report {
            case .progress(let report): return state.tell(.progress(report.progress))
            case .began(let stage): return state.tell(.began(stage))
            case .receiving, .preview, .activity: return false
            }
        }
        if mustDeliver { deliver(state) }
    }

    private static func end(_ state: Lock<State>, with result: Result<Value, any Error>) {
        let mustDeliver = state.withLock { state -> Bool in
            state.result = result
            state.task = nil
            state.status.body = nil
            defer { state.subscribers = [:] }
            return state.tell(.finished(result))
        }
        if mustDeliver { deliver(state) }
    }

    private static func deliver(_ state: Lock<State>) {
        var isDeliverer = false
        while true {
            let next = state.withLock { $0.deliveries.next(&isDeliverer) }
            if next.isEmpty { return }
            for (event, subscribers) in next {
                for subscriber in subscribers { subscriber(event) }
            }
        }
    }
}
