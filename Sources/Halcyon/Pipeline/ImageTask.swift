public import HalcyonCodecs
internal import HalcyonConcurrency

/// One load that has been started: to await its result, to follow its progress, to change its urgency, to end it.
///
/// A task goes on whether or not anybody awaits it. It ends with exactly one result, which can be had any number of
/// times.
public final class ImageTask: Sendable, Identifiable {
    /// What is loaded.
    public let source: Source
    /// How it is loaded; ``priority`` has the present urgency.
    public let options: ImageOptions

    private struct State {
        var progress = ImageProgress()
        var isCancelled = false
        var result: Result<ImageResponse, any Error>?
        var work: Task<ImageResponse, any Error>?
        var subscribers: [Int: AsyncStream<ImageProgress>.Continuation] = [:]
        var nextSubscriber = 0
    }

    private let state: Lock<State>
    let priorityBox: PriorityBox

    /// A task that is over before it starts: the memory cache had the image.
    init(source: Source, options: ImageOptions, response: ImageResponse) {
        self.source = source
        self.options = options
        priorityBox = PriorityBox(options.priority)
        state = Lock(State(result: .success(response)))
    }

    /// A task whose work begins with ``start(_:)``.
    init(source: Source, options: ImageOptions) {
        self.source = source
        self.options = options
        priorityBox = PriorityBox(options.priority)
        state = Lock(State())
    }

    func start(_ operation: @escaping @Sendable (WorkContext) async throws -> ImageResponse) {
        // Progress must not keep a finished task alive, nor the work a task that nobody holds.
        let context = WorkContext(priority: priorityBox) { [weak self] in self?.advance(to: $0) }
        let work = Task.detached { [weak self] in
            do {
                let response = try await operation(context)
                self?.end(with: .success(response))
                return response
            } catch {
                self?.end(with: .failure(error))
                throw error
            }
        }
        let isCancelled = state.withLock { state -> Bool in
            if state.result == nil { state.work = work }
            return state.isCancelled
        }
        if isCancelled { work.cancel() }
    }

    /// The image and how it was come by.
    ///
    /// Cancelling the Swift task that awaits it cancels this task.
    ///
    /// - Throws: ``ImageError``, or `CancellationError` if the task was cancelled.
    public var response: ImageResponse {
        get async throws {
            typealias Now = (result: Result<ImageResponse, any Error>?, work: Task<ImageResponse, any Error>?)
            let now: Now = state.withLock { ($0.result, $0.work) }
            if let result = now.result { return try result.get() }
            guard let work = now.work else { throw CancellationError() }
            return try await withTaskCancellationHandler {
                try await work.value
            } onCancel: {
                cancel()
            }
        }
    }

    /// The image.
    ///
    /// - Throws: As ``response``.
    public var image: DecodedImage {
        get async throws { try await response.image }
    }

    /// The response if the task has succeeded already.
    public var finishedResponse: ImageResponse? {
        state.withLock { try? $0.result?.get() }
    }

    /// How urgent the load is. A change reaches queued and running work at once.
    public var priority: LoadPriority {
        get { priorityBox.value }
        set { priorityBox.update(newValue) }
    }

    /// Ends the task with `CancellationError`, unless it has ended. Work that others wait for goes on for them.
    public func cancel() {
        let work = state.withLock { state -> Task<ImageResponse, any Error>? in
            state.isCancelled = true
            return state.work
        }
        work?.cancel()
    }

    /// How far the bytes have come.
    public var progress: ImageProgress { state.withLock { $0.progress } }

    /// The progress from now on: the present state first, then each change; it ends with the task. A slow reader gets
    /// the latest state.
    public var progressUpdates: AsyncStream<ImageProgress> {
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
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.subscribers.removeValue(forKey: id) }
        }
        return stream
    }

    private func advance(to progress: ImageProgress) {
        let subscribers = state.withLock { state -> [AsyncStream<ImageProgress>.Continuation] in
            // A late joiner is told the present state beside the changes, and may get them in either order.
            guard state.result == nil, progress.receivedBytes > state.progress.receivedBytes else { return [] }
            state.progress = progress
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers {
            subscriber.yield(progress)
        }
    }

    private func end(with result: Result<ImageResponse, any Error>) {
        let subscribers = state.withLock { state -> [AsyncStream<ImageProgress>.Continuation] in
            state.result = result
            state.work = nil
            defer { state.subscribers = [:] }
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers {
            subscriber.finish()
        }
    }
}

extension ImageTask: Hashable {
    /// Whether these are the same task.
    public static func == (left: ImageTask, right: ImageTask) -> Bool { left === right }

    /// Feeds the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
