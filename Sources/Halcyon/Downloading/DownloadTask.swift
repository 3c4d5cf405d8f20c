internal import HalcyonConcurrency
public import HalcyonHTTP

/// One download that has been started: to await its result, to follow its progress, to change its urgency, to end it.
///
/// A task goes on whether or not anybody awaits it. It ends with exactly one result, which can be had any number of
/// times. Several tasks may share a transfer: ending one does not disturb the others.
public final class DownloadTask: Sendable, Identifiable {
    /// What was asked for, before any modification; ``priority`` has the present urgency.
    public let request: TransferRequest

    private struct State {
        var progress = ImageProgress()
        var isCancelled = false
        var result: Result<LoadedBody, any Error>?
        var work: Task<LoadedBody, any Error>?
        var subscribers: [Int: AsyncStream<ImageProgress>.Continuation] = [:]
        var nextSubscriber = 0
    }

    private let state = Lock(State())
    private let priorityBox: PriorityBox

    init(request: TransferRequest) {
        self.request = request
        priorityBox = PriorityBox(request.priority)
    }

    func start(_ operation: @escaping @Sendable (WorkContext) async throws -> LoadedBody) {
        // Progress must not keep a finished task alive, nor the work a task that nobody holds.
        let context = WorkContext(priority: priorityBox) { [weak self] in self?.advance(to: $0) }
        let work = Task.detached { [weak self] in
            do {
                let body = try await operation(context)
                self?.end(with: .success(body))
                return body
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

    /// How the download ended; waits for it.
    ///
    /// The error is an ``ImageError``, or `CancellationError` if the task was cancelled. Cancelling the Swift task that
    /// awaits it cancels this task.
    public var result: Result<LoadedBody, any Error> {
        get async {
            typealias Now = (result: Result<LoadedBody, any Error>?, work: Task<LoadedBody, any Error>?)
            let now: Now = state.withLock { ($0.result, $0.work) }
            if let result = now.result { return result }
            guard let work = now.work else { return .failure(CancellationError()) }
            return await withTaskCancellationHandler {
                await work.result
            } onCancel: {
                cancel()
            }
        }
    }

    /// The response and its body; as ``result``.
    ///
    /// - Throws: ``ImageError``, or `CancellationError` if the task was cancelled.
    public var body: LoadedBody {
        get async throws { try await result.get() }
    }

    /// How urgent the download is. A change reaches the queued and the running transfer at once.
    public var priority: LoadPriority {
        get { priorityBox.value }
        set { priorityBox.update(newValue) }
    }

    /// Ends the task with `CancellationError`, unless it has ended. A transfer that others wait for goes on for them.
    ///
    /// It counts whenever it comes: before the request has been modified or sent, nothing is sent any more.
    public func cancel() {
        let work = state.withLock { state -> Task<LoadedBody, any Error>? in
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

    private func end(with result: Result<LoadedBody, any Error>) {
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

extension DownloadTask: Hashable {
    /// Whether these are the same task.
    public static func == (left: DownloadTask, right: DownloadTask) -> Bool { left === right }

    /// Feeds the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
