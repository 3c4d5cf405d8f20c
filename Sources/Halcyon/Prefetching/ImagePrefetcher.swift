public import FoundationEssentials
internal import HalcyonConcurrency

/// Loads images into the cache before they are needed.
///
/// Sources named more than once are loaded once. Loads are shared with those of views: an image that is being
/// prefetched when it is needed is not loaded a second time. A prefetcher serves one list; letting go of it stops it.
///
/// ```swift
/// let prefetcher = ImagePrefetcher(urls: urls, destination: .disk)
/// let result = await prefetcher.run()
/// ```
public final class ImagePrefetcher: Sendable {
    /// Where the images are brought.
    public enum Destination: Sendable, Hashable {
        /// Into memory, decoded and processed, and onto the disk as the options say. What is only on disk is brought
        /// into memory too, and counts as skipped.
        case memory
        /// Onto the disk as they are, without decoding. Takes much less memory and time. What is on disk already, as
        /// an original or processed as the options say, is skipped, and so are files and data on this machine. What is
        /// no longer fresh is asked for again, and skipped if its server says that it has not changed. What must not
        /// be stored is loaded all the same, and counts as completed.
        case disk
    }

    private let work: PrefetchWork

    /// A prefetcher that waits for ``start()``.
    ///
    /// - Parameters:
    ///   - sources: What to load, in this order.
    ///   - pipeline: What loads. Default: ``ImagePipeline/shared``.
    ///   - options: How; they start from the pipeline's ``ImagePipeline/Configuration/defaultOptions``, which are used as they
    ///     are for `nil`, the default. Their priority does not count.
    ///   - destination: Default: memory.
    ///   - maxConcurrentLoads: How many are loaded at the same time; at least 1. Default: 5.
    ///   - priority: Default: ``LoadPriority/low``.
    ///   - onProgress: Told after each source, on any thread, never twice at the same time.
    ///   - onCompletion: Told once, at the end, on any thread.
    public init(
        sources: [Source],
        pipeline: ImagePipeline = .shared,
        options: ImageOptions? = nil,
        destination: Destination = .memory,
        maxConcurrentLoads: Int = 5,
        priority: LoadPriority = .low,
        onProgress: (@Sendable (PrefetchProgress) -> Void)? = nil,
        onCompletion: (@Sendable (PrefetchResult) -> Void)? = nil
    ) {
        let priority = PriorityBox(priority)
        let context = WorkContext(priority: priority, report: { _ in })
        let options = options.map(pipeline.completed) ?? pipeline.configuration.defaultOptions
        let stages = pipeline.stages
        work = PrefetchWork(
            sources: sources,
            maxConcurrentLoads: maxConcurrentLoads,
            priority: priority,
            onProgress: onProgress,
            onCompletion: onCompletion
        ) { source in
            let request = stages.resolver.begin(source, options: options)
            return try await stages.prefetching.prefetch(request, to: destination, context: context)
        }
    }

    /// A prefetcher of URLs that waits for ``start()``. For the parameters see
    /// ``init(sources:pipeline:options:destination:maxConcurrentLoads:priority:onProgress:onCompletion:)``.
    public convenience init(
        urls: [URL],
        pipeline: ImagePipeline = .shared,
        options: ImageOptions? = nil,
        destination: Destination = .memory,
        maxConcurrentLoads: Int = 5,
        priority: LoadPriority = .low,
        onProgress: (@Sendable (PrefetchProgress) -> Void)? = nil,
        onCompletion: (@Sendable (PrefetchResult) -> Void)? = nil
    ) {
        self.init(
            sources: urls.map { .url($0) },
            pipeline: pipeline,
            options: options,
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

    /// Begins. Does nothing the second time, or after ``stop()``.
    public func start() {
        work.start()
    }

    /// Ends what runs and starts nothing more: all that is not loaded yet ends in ``PrefetchResult/failed``. Does
    /// nothing after the end. There is no way back; ``isPaused`` is for that.
    public func stop() {
        work.stop()
    }

    /// Whether no further load is started. Those that run go on. Default: `false`.
    public var isPaused: Bool {
        get { work.isPaused }
        set { work.isPaused = newValue }
    }

    /// How urgent the loads are. A change reaches those that run at once.
    public var priority: LoadPriority {
        get { work.priority.value }
        set { work.priority.update(newValue) }
    }

    /// How far it has come.
    public var progress: PrefetchProgress { work.progress }

    /// What has become of the sources so far.
    public var currentResult: PrefetchResult { work.currentResult }

    /// Begins if need be, and waits for the end. Cancelling the task that waits stops the prefetcher.
    ///
    /// - Returns: What has become of all sources.
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
