internal import HalcyonConcurrency
public import HalcyonHTTP

/// One download that has been started: to await its result, to follow its progress, to change its urgency, to end it.
///
/// A task goes on whether or not anybody awaits it. It ends with exactly one result, which can be had any number of
/// times. Several tasks may share a transfer: ending one does not disturb the others.
public final class DownloadTask: Sendable, Identifiable {
    /// What was asked for, before any modification; ``priority`` has the present urgency.
    public let request: TransferRequest

    private let work: TaskHandle<HTTPResponseBody>

    init(request: TransferRequest) {
        self.request = request
        work = TaskHandle(priority: request.priority)
    }

    func start(_ operation: @escaping @Sendable (WorkContext) async throws -> HTTPResponseBody) {
        work.start(operation)
    }

    /// How the download ended; waits for it.
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

    /// How urgent the download is. A change reaches the queued and the running transfer at once.
    public var priority: LoadPriority {
        get { work.priority.value }
        set { work.priority.update(newValue) }
    }

    /// Ends the task with `CancellationError`, unless it has ended. A transfer that others wait for goes on for them.
    ///
    /// It counts whenever it comes: before the request has been modified or sent, nothing is sent any more.
    public func cancel() {
        work.cancel()
    }

    /// How far the bytes have come.
    public var progress: ImageProgress { work.progress }

    /// The progress from now on: the present state first, then each change; it ends with the task. A slow reader gets
    /// the latest state.
    public var progressUpdates: AsyncStream<ImageProgress> { work.progressUpdates }
}

extension DownloadTask: Hashable {
    /// Whether these are the same task.
    public static func == (left: DownloadTask, right: DownloadTask) -> Bool { left === right }

    /// Feeds the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
