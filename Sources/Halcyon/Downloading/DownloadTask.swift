public import FoundationEssentials
public import HalcyonHTTP
internal import HalcyonSystem

/// A download that has been started: await its result, follow its progress, change its urgency or cancel it.
///
/// A task goes on whether or not its result is awaited. It ends with exactly one result, which can be read any number
/// of times. Several tasks may share a transfer: cancelling one does not affect the others.
public final class DownloadTask: Sendable, Identifiable {
    /// The state of a task at one moment. The only stage of a download is ``ImageError/Stage/load``.
    public typealias State = LoadState<HTTPResponseBody>
    /// An event of a task.
    public typealias Event = LoadEvent<HTTPResponseBody>

    /// The request before any modification; ``priority`` is the current urgency.
    public let request: TransferRequest

    private let work: TaskHandle<HTTPResponseBody>

    init(request: TransferRequest) {
        self.request = request
        work = TaskHandle(priority: request.priority)
    }

    func start(_ operation: @escaping @Sendable (WorkContext) async throws -> HTTPResponseBody) {
        work.start(operation)
    }

    /// The result of the download; reading it waits for the end.
    ///
    /// The error is an ``ImageError``, or `CancellationError` if the task was cancelled. Cancelling the Swift task that
    /// awaits it cancels this task.
    public var result: Result<HTTPResponseBody, any Error> {
        get async { await work.result }
    }

    /// The response and its body; as ``result``.
    ///
    /// - Throws: ``ImageError``, or `CancellationError` if the task was cancelled.
    public var body: HTTPResponseBody {
        get async throws { try await result.get() }
    }

    /// The state at this moment, with the result if the task has ended.
    public var state: State { work.loadState }

    /// The urgency of the download. A change reaches the queued and the running transfer at once.
    public var priority: LoadPriority {
        get { work.priority.value }
        set { work.priority.update(newValue) }
    }

    /// Ends the task with `CancellationError`, unless it has ended. A transfer that has other waiters goes on for them.
    ///
    /// It takes effect at any time: before the request has been modified or sent, nothing is sent any more.
    public func cancel() {
        work.cancel()
    }

    /// The number of bytes received so far. It never decreases.
    public var progress: ImageProgress { work.progress }

    /// The progress from now on: the current state first, then each change, in their order; the sequence ends with the
    /// task. A slow reader gets the latest state.
    public var progressUpdates: AsyncStream<ImageProgress> { work.progressUpdates }

    /// The events of the task; see ``ImageTask/events``.
    public var events: AsyncStream<Event> { work.events(limit: 1_000) }

    /// Copies the bytes that the transfer has received so far; see ``ImageTask/receivedData()``.
    ///
    /// - Returns: `nil` if no transfer is under way: before the head of the response, and after the last byte.
    public func receivedData() async -> Data? {
        await work.receivedData()
    }
}

extension DownloadTask: Hashable {
    /// Returns whether both are the same task.
    public static func == (left: DownloadTask, right: DownloadTask) -> Bool { left === right }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
