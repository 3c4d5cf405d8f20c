public import FoundationEssentials
internal import HalcyonConcurrency

/// Loads images into the cache before they are needed.
///
/// Equal requests are loaded once. Loads are shared with those of views: an image that is being prefetched when it is
/// needed is not loaded a second time. A prefetcher works on one list; releasing it stops it.
///
/// ```swift
/// let prefetcher = ImagePrefetcher(urls: urls, destination: .disk)
/// let result = await prefetcher.run()
/// ```
public final class ImagePrefetcher: Sendable {
    /// The cache that the images are brought into.
    public enum Destination: Sendable, Hashable {
        /// Into memory, decoded and processed, and onto the disk as the options say. An image that is only on disk is
        /// brought into memory too, and counts as skipped.
        case memory
        /// Onto the disk as they are, without decoding. Takes much less memory and time. An image that is on disk
        /// already, as an original or processed as the options say, is skipped, and so are files and data on this
        /// machine. One that is no longer fresh is asked for again, and skipped if its server says that it has not
        /// changed. One that must not be stored is loaded all the same, and counts as completed.
        case disk
    }

    /// The parts of a request that count where duplicates are looked for.
    private struct Identity: Hashable {
        let source: Source
        let options: ImageOptions.Fields

        init(_ request: ImageRequest) {
            source = request.source
            var options = request.options.fields
            options.priority = .normal
            self.options = options
        }

        /// Feeds the source alone: requests for one source rarely differ in their options, whose hash takes a microsecond.
        func hash(into hasher: inout Hasher) {
            hasher.combine(source)
        }
    }

    private let work: PrefetchWork

    /// A prefetcher that waits for ``start()``.
    ///
    /// - Parameters:
    ///   - requests: The images to load, in this order. The priority of their options does not count.
    ///   - pipeline: Loads the images. Default: ``ImagePipeline/shared``.
    ///   - destination: Default: memory.
    ///   - maxConcurrentLoads: The number of images that are loaded at the same time; at least 1. Default: 5.
    ///   - priority: Default: ``LoadPriority/low``.
    ///   - onProgress: Called after each image, on any thread, never twice at the same time.
    ///   - onCompletion: Called once, at the end, on any thread.
    public init(
        requests: [ImageRequest],
        pipeline: ImagePipeline = .shared,
        destination: Destination = .memory,
        maxConcurrentLoads: Int = 5,
        priority: LoadPriority = .low,
        onProgress: (@Sendable (PrefetchProgress) -> Void)? = nil,
        onCompletion: (@Sendable (PrefetchResult) -> Void)? = nil
    ) {
        let priority = PriorityBox(priority)
        let context = WorkContext(priority: priority, report: { _ in })
        var identities: Set<Identity> = []
        work = PrefetchWork(
            requests: requests.filter { identities.insert(Identity(pipeline.completed($0))).inserted },
            maxConcurrentLoads: maxConcurrentLoads,
            priority: priority,
            onProgress: onProgress,
            onCompletion: onCompletion
        ) { [stages = pipeline.stages, defaults = pipeline.configuration.defaultOptions] request in
            let options = request.options.filled(from: defaults)
            let pending = stages.resolver.begin(ImageRequest(request.source, options: options))
            return try await stages.prefetching.prefetch(pending, to: destination, context: context)
        }
    }

    /// Creates a prefetcher of URLs that waits for ``start()``.
    ///
    /// - Parameters:
    ///   - urls: The URLs of the images, in this order.
    ///   - options: The options of all of them, of which the priority does not count. Default: every field is left open.
    ///   - pipeline: Loads the images. Default: ``ImagePipeline/shared``.
    ///   - destination: The cache that the images are brought into. Default: memory.
    ///   - maxConcurrentLoads: The number of images that are loaded at the same time; at least 1. Default: 5.
    ///   - priority: The urgency of the loads. Default: ``LoadPriority/low``.
    ///   - onProgress: Called after each image, on any thread, never twice at the same time.
    ///   - onCompletion: Called once, at the end, on any thread.
    public convenience init(
        urls: [URL],
        options: ImageOptions = ImageOptions(),
        pipeline: ImagePipeline = .shared,
        destination: Destination = .memory,
        maxConcurrentLoads: Int = 5,
        priority: LoadPriority = .low,
        onProgress: (@Sendable (PrefetchProgress) -> Void)? = nil,
        onCompletion: (@Sendable (PrefetchResult) -> Void)? = nil
    ) {
        self.init(
            requests: urls.map { ImageRequest($0, options: options) },
            pipeline: pipeline,
            destination: destination,
            maxConcurrentLoads: maxConcurrentLoads,
            priority: priority,
            onProgress: onProgress,
            onCompletion: onCompletion
        )
    }

    deinit {
        work.stop(onlyIfStarted: true)
    }

    /// Starts the loads. Does nothing the second time, or after ``stop()``.
    public func start() {
        work.start()
    }

    /// Cancels the running loads and starts no more: all requests without a result end in ``PrefetchResult/failed``.
    /// Does nothing after the end. A stopped prefetcher cannot be started again; set ``isPaused`` to pause one.
    public func stop() {
        work.stop()
    }

    /// A Boolean value that indicates whether no further load is started. Those that run go on. Default: `false`.
    public var isPaused: Bool {
        get { work.isPaused }
        set { work.isPaused = newValue }
    }

    /// The urgency of the loads. A change reaches those that run at once.
    public var priority: LoadPriority {
        get { work.priority.value }
        set { work.priority.update(newValue) }
    }

    /// The counts so far.
    public var progress: PrefetchProgress { work.progress }

    /// The results of the requests so far.
    public var currentResult: PrefetchResult { work.currentResult }

    /// Starts the loads unless they were started, and waits for the end. Cancelling the waiting task stops the
    /// prefetcher.
    ///
    /// - Returns: The results of all requests.
    @discardableResult
    public func run() async -> PrefetchResult {
        start()
        return await withTaskCancellationHandler {
            await work.wait()
        } onCancel: {
            work.stop()
        }
    }
}
