internal import HalcyonConcurrency

/// The state of a task that is returned to a caller: work that goes on whether or not a caller waits for it, with one
/// result, its progress and its priority.
struct TaskHandle<Value: Sendable>: Sendable {
    private struct State {
        /// The newest report.
        var report = ProgressReport()
        var isCancelled = false
        var result: Result<Value, any Error>?
        var task: Task<Value, any Error>?
        var subscribers: [Int: AsyncStream<ImageProgress>.Continuation] = [:]
        var nextSubscriber = 0
        /// A Boolean value that indicates whether there is progress that the subscribers do not have.
        var hasNews = false
        /// A Boolean value that indicates whether a thread passes news on to the subscribers. The other threads leave
        /// theirs to it, so that none overtakes another.
        var isTelling = false

        /// Returns whether the caller has to pass the news on.
        mutating func beginsTelling() -> Bool {
            guard !isTelling, !subscribers.isEmpty else { return false }
            isTelling = true
            return true
        }

        /// Returns what is to be passed on next; `nil` if there is nothing more.
        mutating func takeNews() -> News? {
            let isEnd = result != nil
            guard hasNews || (isEnd && !subscribers.isEmpty) else {
                isTelling = false
                return nil
            }
            let news = News(
                subscribers: Array(subscribers.values),
                progress: hasNews ? report.progress : nil,
                isEnd: isEnd
            )
            hasNews = false
            if isEnd { subscribers = [:] }
            return news
        }
    }

    /// Progress, the end, or both, for the subscribers.
    private struct News {
        let subscribers: [AsyncStream<ImageProgress>.Continuation]
        let progress: ImageProgress?
        let isEnd: Bool
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
        let context = WorkContext(priority: priority) { [weak state] report in
            if let state { Self.advance(state, to: report) }
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

    var progress: ImageProgress { state.withLock { $0.report.progress } }

    /// The present progress, then each change, until the end.
    var progressUpdates: AsyncStream<ImageProgress> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ImageProgress.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let id = state.withLock { state -> Int? in
            continuation.yield(state.report.progress)
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

    private static func advance(_ state: Lock<State>, to report: ProgressReport) {
        let mustTell = state.withLock { state in
            guard state.result == nil, report.isNewer(than: state.report) else { return false }
            state.report = report
            // A later subscriber begins with it.
            state.hasNews = !state.subscribers.isEmpty
            return state.beginsTelling()
        }
        if mustTell { tell(state) }
    }

    private static func end(_ state: Lock<State>, with result: Result<Value, any Error>) {
        let mustTell = state.withLock { state in
            state.result = result
            state.task = nil
            return state.beginsTelling()
        }
        if mustTell { tell(state) }
    }

    /// Passes news on until there are none, those of other threads included.
    private static func tell(_ state: Lock<State>) {
        while let news = state.withLock({ $0.takeNews() }) {
            for subscriber in news.subscribers {
                if let progress = news.progress { subscriber.yield(progress) }
                if news.isEnd { subscriber.finish() }
            }
        }
    }
}
