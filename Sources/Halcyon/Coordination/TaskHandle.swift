internal import HalcyonConcurrency

/// The state of a task that is returned to a caller: work that goes on whether or not a caller waits for it, with one
/// result, its progress and its priority.
struct TaskHandle<Value: Sendable>: Sendable {
    private struct State {
        var progress = ImageProgress()
        var isCancelled = false
        var result: Result<Value, any Error>?
        var task: Task<Value, any Error>?
        var subscribers: [Int: AsyncStream<ImageProgress>.Continuation] = [:]
        var nextSubscriber = 0
    }

    let priority: PriorityBox
    private let state: Lock<State>

    /// Makes a handle of work that begins with ``start(_:)``, or that has ended with `value`.
    init(priority: LoadPriority, value: Value? = nil) {
        self.priority = PriorityBox(priority)
        state = Lock(State(result: value.map { .success($0) }))
    }

    func start(_ operation: @escaping @Sendable (WorkContext) async throws -> Value) {
        // Neither progress nor the work retain the state of a task that has no other owner.
        let context = WorkContext(priority: priority) { [weak state] progress in
            if let state { Self.advance(state, to: progress) }
        }
        // Owned by the state until it ends. If the state is released first, the work goes on, as it would otherwise.
        let task = Task.detached { [weak state] in
            do {
                let value = try await operation(context)
                if let state { Self.end(state, with: .success(value)) }
                return value
            } catch {
                if let state { Self.end(state, with: .failure(error)) }
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

    /// The value, if the work has succeeded already.
    var finishedValue: Value? { state.withLock { try? $0.result?.get() } }

    func cancel() {
        let task = state.withLock { state -> Task<Value, any Error>? in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }

    var progress: ImageProgress { state.withLock { $0.progress } }

    /// The present progress, then each change, until the end.
    var progressUpdates: AsyncStream<ImageProgress> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ImageProgress.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let id = state.withLock { state -> Int? in
            continuation.yield(state.progress)
            guard state.result == nil else { return nil }
            state.nextSubscriber += 1
            state.subscribers[state.nextSubscriber] = continuation
            return state.nextSubscriber
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak state] _ in
            _ = state?.withLock { $0.subscribers.removeValue(forKey: id) }
        }
        return stream
    }

    private static func advance(_ state: Lock<State>, to progress: ImageProgress) {
        let subscribers = state.withLock { state -> [AsyncStream<ImageProgress>.Continuation] in
            // A new subscriber receives the present state and the changes, in either order.
            guard state.result == nil, progress.receivedBytes > state.progress.receivedBytes else { return [] }
            state.progress = progress
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers {
            subscriber.yield(progress)
        }
    }

    private static func end(_ state: Lock<State>, with result: Result<Value, any Error>) {
        let subscribers = state.withLock { state -> [AsyncStream<ImageProgress>.Continuation] in
            state.result = result
            state.task = nil
            defer { state.subscribers = [:] }
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers {
            subscriber.finish()
        }
    }
}
