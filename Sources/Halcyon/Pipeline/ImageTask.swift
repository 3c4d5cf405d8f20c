public import FoundationEssentials
public import HalcyonCodecs
internal import HalcyonSystem

/// A load that has been started: await its result, follow its events, change its urgency or cancel it.
///
/// A task goes on whether or not its result is awaited. It ends with exactly one result, which can be read any number
/// of times.
///
/// ```swift
/// let task = pipeline.task(for: url)
/// for await event in task.events {
///     switch event {
///     case .began(let stage): label.text = "\(stage)"
///     case .progress(let progress): bar.fraction = progress.fraction ?? 0
///     case .finished(let result): show(result)
///     }
/// }
/// ```
public final class ImageTask: Sendable, Identifiable {
    /// The state of a task at one moment.
    public typealias State = LoadState<ImageResponse>
    /// An event of a task.
    public typealias Event = LoadEvent<ImageResponse>

    /// The source and the options, with those of the pipeline filled in, after the first step of interceptors
    /// (``ImagePipeline/prepared(_:)``); ``priority`` is the current urgency.
    public let request: ImageRequest

    private let work: TaskHandle<ImageResponse>
    /// The previews; `nil` for a task that has none.
    let previewFeed: PreviewFeed?

    /// A task whose work begins with ``start(_:)``, or one that has ended with a response from memory.
    init(request: ImageRequest, response: ImageResponse? = nil) {
        self.request = request
        work = TaskHandle(priority: request.options.priority, value: response)
        let hasPreviews = !request.options.previews.isEmpty || request.options.progressive.isActive
        previewFeed = response == nil && hasPreviews ? PreviewFeed() : nil
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

    /// The state at this moment, with the result if the task has ended.
    public var state: State { work.loadState }

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
    ///
    /// It never decreases during one transfer. If the load begins another one, because it tries again or takes another
    /// source, progress is that of the earlier transfer until the first bytes of the new one come, and from then on that of
    /// the new one: it starts again, or goes on from the bytes that are kept (``PartialBodyStore``). No report of a
    /// transfer follows one of a later transfer.
    public var progress: ImageProgress { work.progress }

    /// The progress from now on: the current state first, then each change, in the order of ``progress``; the sequence
    /// ends with the task. A slow reader gets the latest state.
    public var progressUpdates: AsyncStream<ImageProgress> { work.progressUpdates }

    /// The events of the task. Each access is a subscription of its own.
    ///
    /// A subscription begins with the furthest stage that has begun and the progress so far, if there are any, and ends
    /// after ``LoadEvent/finished(_:)``, which no subscription misses, also one that begins after the end. A reader
    /// that falls behind by more than 1,000 events loses the oldest.
    public var events: AsyncStream<Event> { work.events(limit: 1_000) }

    /// Copies the bytes that the transfer under way has received so far, its content coding undone and before any
    /// ``DownloadHooks``. Tasks that share a transfer get the same bytes.
    ///
    /// Loads keep no bytes for this, and copy none unless it is called; each call copies them all, those of a long body
    /// from its temporary file.
    ///
    /// - Returns: `nil` if no transfer is under way: before the head of the response, after the last byte, and for a
    ///   source whose bytes come at once. Those of a stream come in pieces. The bytes of a whole body are
    ///   ``ImageResponse/data``.
    public func receivedData() async -> Data? {
        await work.receivedData()
    }

    /// Calls `body` once the task is past the look into its own caches, and has joined the work for the bytes if it
    /// needs them; maybe again, until its end.
    func whenUnderWay(_ body: @escaping @Sendable () -> Void) {
        work.subscribe { event in
            switch event {
            case .began(.source), .began(.cache): break
            case .began, .progress, .finished: body()
            }
        }
    }

    /// Lets a relay call its functions with the progress and the end.
    func relay(to relay: CallbackRelay<ImageResponse>) {
        work.subscribe { event in
            switch event {
            case .began: break
            case .progress(let progress): relay.report(progress)
            case .finished(let result): relay.end(with: result)
            }
        }
    }
}

extension ImageTask: Hashable {
    /// Returns whether both are the same task.
    public static func == (left: ImageTask, right: ImageTask) -> Bool { left === right }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension ImageTask {
    /// The previews of the image: the best one so far first, then each better one; the sequence ends with the task.
    ///
    /// A slow reader gets the best at the moment it asks, never a worse one after a better one, and none once the image is
    /// there. Any number of readers may read at any time. Without ``ImageOptions/previews`` and
    /// ``ImageOptions/progressive`` the sequence is empty.
    ///
    /// ```swift
    /// let task = pipeline.task(for: url, options: [.previews([.blurHash(hash), .url(small)])])
    /// for await preview in task.previews { show(preview.image) }
    /// show(try await task.image)
    /// ```
    public var previews: AsyncStream<ImagePreview> {
        previewFeed?.stream ?? AsyncStream(unfolding: { nil })
    }

    /// The best preview so far; `nil` if there is none, or the task has ended.
    public var preview: ImagePreview? { previewFeed?.best }
}
