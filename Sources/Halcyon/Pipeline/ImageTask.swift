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

    private let work: TaskHandle<ImageResponse>

    /// A task whose work begins with ``start(_:)``, or that is over before: the memory cache had the image.
    init(source: Source, options: ImageOptions, response: ImageResponse? = nil) {
        self.source = source
        self.options = options
        work = TaskHandle(priority: options.priority, value: response)
    }

    func start(_ operation: @escaping @Sendable (WorkContext) async throws -> ImageResponse) {
        work.start(operation)
    }

    /// The image and how it was come by.
    ///
    /// Cancelling the Swift task that awaits it cancels this task.
    ///
    /// - Throws: ``ImageError``, or `CancellationError` if the task was cancelled.
    public var response: ImageResponse {
        get async throws { try await work.result.get() }
    }

    /// The image.
    ///
    /// - Throws: As ``response``.
    public var image: DecodedImage {
        get async throws { try await response.image }
    }

    /// The response if the task has succeeded already.
    public var finishedResponse: ImageResponse? { work.finishedValue }

    /// How urgent the load is. A change reaches queued and running work at once.
    public var priority: LoadPriority {
        get { work.priority.value }
        set { work.priority.update(newValue) }
    }

    /// Ends the task with `CancellationError`, unless it has ended. Work that others wait for goes on for them.
    public func cancel() {
        work.cancel()
    }

    /// How far the bytes have come.
    public var progress: ImageProgress { work.progress }

    /// The progress from now on: the present state first, then each change; it ends with the task. A slow reader gets
    /// the latest state.
    public var progressUpdates: AsyncStream<ImageProgress> { work.progressUpdates }
}

extension ImageTask: Hashable {
    /// Whether these are the same task.
    public static func == (left: ImageTask, right: ImageTask) -> Bool { left === right }

    /// Feeds the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
