public import FoundationEssentials
internal import HalcyonSystem

/// Loads images into the cache before they are needed.
///
/// Equal requests are loaded once. Loads are shared with those of views: an image that is being prefetched when it is
/// needed is not loaded a second time. A prefetcher works on one list, or one sequence of any length; releasing it
/// stops it.
///
/// ```swift
/// let prefetcher = ImagePrefetcher(urls: urls, destination: .disk)
/// let result = await prefetcher.run()
/// ```
///
/// It takes neither a thread nor a task before it is started. All prefetchers of a pipeline share its limits: those of
/// the transport, the threads that decode, and the budget of decoded pixels.
public final class ImagePrefetcher: Sendable {
    /// The cache that the images are brought into.
    public enum Destination: Sendable, Hashable {
        /// Into memory, decoded and processed, and onto the disk as the options say. An image that is only on disk is
        /// brought into memory too, and counts as skipped.
        case memory
        /// Onto the disk as they are: the bytes of the original, without decoding. Takes much less memory and time. An
        /// image that is on disk already, as an original or processed as the options say, is skipped, and so are files
        /// and data on this machine. One that is no longer fresh is asked for again, and skipped if its server says
        /// that it has not changed. One that a tier below the disk has is copied from there, and counts as skipped, too;
        /// one that came with the program stays where it is. One whose response states no length is decoded, to see
        /// whether it is whole. One that must not be stored, or is not whole, is loaded all the same, and counts as
        /// completed.
        case disk
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
    public convenience init(
        requests: [ImageRequest],
        pipeline: ImagePipeline = .shared,
        destination: Destination = .memory,
        maxConcurrentLoads: Int = 5,
        priority: LoadPriority = .low,
        onProgress: (@Sendable (PrefetchProgress) -> Void)? = nil,
        onCompletion: (@Sendable (PrefetchResult) -> Void)? = nil
    ) {
        var identities: Set<PrefetchItem.Identity> = []
        var items: [PrefetchItem] = []
        for request in requests {
            let item = PrefetchItem(request, in: pipeline, after: items.last)
            if identities.insert(item.identity).inserted { items.append(item) }
        }
        self.init(
            .list(items, next: 0),
            pipeline: pipeline,
            destination: destination,
            maxConcurrentLoads: maxConcurrentLoads,
            priority: priority,
            collectsResults: true,
            onProgress: onProgress,
            onCompletion: onCompletion
        )
    }

    init(
        _ requests: PrefetchWork.Rest,
        pipeline: ImagePipeline,
        destination: Destination,
        maxConcurrentLoads: Int,
        priority: LoadPriority,
        collectsResults: Bool,
        onProgress: (@Sendable (PrefetchProgress) -> Void)?,
        onCompletion: (@Sendable (PrefetchResult) -> Void)?
    ) {
        work = PrefetchWork(
            requests,
            of: pipeline,
            to: destination,
            maxConcurrentLoads: maxConcurrentLoads,
            priority: priority,
            collectsResults: collectsResults,
            onProgress: onProgress,
            onCompletion: onCompletion
        )
    }

    /// Creates a prefetcher of URLs that waits for ``start()``.
    ///
    /// - Parameters:
    ///   - urls: The URLs of the images, in this order.
    ///   - options: The changes to the options of the pipeline for all of them, of which the priority does not count.
    ///     Default: none.
    ///   - pipeline: Loads the images. Default: ``ImagePipeline/shared``.
    ///   - destination: The cache that the images are brought into. Default: memory.
    ///   - maxConcurrentLoads: The number of images that are loaded at the same time; at least 1. Default: 5.
    ///   - priority: The urgency of the loads. Default: ``LoadPriority/low``.
    ///   - onProgress: Called after each image, on any thread, never twice at the same time.
    ///   - onCompletion: Called once, at the end, on any thread.
    public convenience init(
        urls: [URL],
        options: [ImageOption] = [],
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
    /// Nothing more is taken from a sequence, and the task that waits for its next element is cancelled; one that does
    /// not end for that is not waited for.
    ///
    /// Does nothing after the end. A stopped prefetcher cannot be started again; set ``isPaused`` to pause one.
    public func stop() {
        work.stop()
    }

    /// A Boolean value that indicates whether no further load is started, and nothing more is taken from a sequence.
    /// Loads that run go on. Default: `false`.
    public var isPaused: Bool {
        get { work.isPaused }
        set { work.isPaused = newValue }
    }

    /// The urgency of the loads. A change reaches those that run at once.
    public var priority: LoadPriority {
        get { work.priority.value }
        set { work.priority.update(newValue) }
    }

    /// The number of images that are loaded at the same time; at least 1. It may be changed at any time: a higher
    /// number starts loads at once, a lower one lets those that run end first.
    public var maxConcurrentLoads: Int {
        get { work.maxConcurrentLoads }
        set { work.maxConcurrentLoads = newValue }
    }

    /// The counts so far.
    public var progress: PrefetchProgress { work.progress }

    /// The results of the requests so far.
    public var currentResult: PrefetchResult { work.currentResult }

    /// Returns a stream of the events from now on, which ends after ``PrefetchEvent/finished(_:)``; no stream misses
    /// that one. A reader that falls behind by more than `limit` events loses the oldest; ``progress`` counts them all
    /// the same. A prefetcher that is released before its start ends as by ``stop()`` if there are streams.
    ///
    /// - Parameter limit: The number of events that are kept for a slow reader; at least 1. Default: 1,000.
    public func events(bufferingAtMost limit: Int = 1_000) -> AsyncStream<PrefetchEvent> {
        work.events(limit: max(1, limit))
    }

    /// The number of tasks, for tests.
    var taskCount: Int { work.taskCount }

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
