public import HalcyonCodecs
internal import HalcyonConcurrency

/// A load that has been started: await its result, follow its progress, change its urgency or cancel it.
///
/// A task goes on whether or not its result is awaited. It ends with exactly one result, which can be read any number
/// of times.
public final class ImageTask: Sendable, Identifiable {
    /// The source and the options, with those of the pipeline filled in; ``priority`` is the current urgency.
    public let request: ImageRequest

    private let work: TaskHandle<ImageResponse>
    /// The previews; `nil` for a task that has none.
    let previewFeed: PreviewFeed?

    /// A task whose work begins with ``start(_:)``, or one that has ended with a response from memory.
    init(request: ImageRequest, response: ImageResponse? = nil) {
        self.request = request
        work = TaskHandle(priority: request.options.priority, value: response)
        previewFeed = response == nil && !request.options.previews.isEmpty ? PreviewFeed() : nil
    }

    func start(_ operation: @escaping @Sendable (WorkContext) async throws -> ImageResponse) {
        work.start(operation)
    }

    /// The image and its source.
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

    /// The urgency of the load. A change reaches queued and running work at once.
    public var priority: LoadPriority {
        get { work.priority.value }
        set { work.priority.update(newValue) }
    }

    /// Ends the task with `CancellationError`, unless it has ended. Work with other waiters goes on for them.
    public func cancel() {
        work.cancel()
    }

    /// The number of bytes received so far.
    public var progress: ImageProgress { work.progress }

    /// The progress from now on: the current state first, then each change; the sequence ends with the task. A slow
    /// reader gets the latest state.
    public var progressUpdates: AsyncStream<ImageProgress> { work.progressUpdates }
}

extension ImageTask: Hashable {
    /// Returns whether both are the same task.
    public static func == (left: ImageTask, right: ImageTask) -> Bool { left === right }

    /// Feeds the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
