public import FoundationEssentials

extension ImagePrefetcher {
    /// Creates a prefetcher of a sequence of requests, of any length, that waits for ``start()``.
    ///
    /// The sequence is read from one task at a time, no further ahead than loads may run; it may be infinite, and must
    /// not block.
    ///
    /// Memory does not grow with the length. Equal requests for URLs, files and providers are found among the last
    /// 4,096 different ones; one that comes again after more than that counts again, and is skipped if it is cached.
    /// Results are counts and events, not lists.
    ///
    /// - Parameters:
    ///   - requests: The images to load, in this order. The priority of their options does not count.
    ///   - pipeline: Loads the images. Default: ``ImagePipeline/shared``.
    ///   - destination: The cache that the images are brought into. Default: memory.
    ///   - maxConcurrentLoads: The number of images that are loaded at the same time; at least 1. Default: 5.
    ///   - priority: The urgency of the loads. Default: ``LoadPriority/low``.
    ///   - collectsResults: A Boolean value that indicates whether the result lists the requests, which takes memory
    ///     for each of them. Default: `false`.
    ///   - onProgress: Called after each image, on any thread, never twice at the same time; loads wait for a slow one.
    ///   - onCompletion: Called once, at the end, on any thread.
    public convenience init<Requests: Sequence & Sendable>(
        requests: Requests,
        pipeline: ImagePipeline = .shared,
        destination: Destination = .memory,
        maxConcurrentLoads: Int = 5,
        priority: LoadPriority = .low,
        collectsResults: Bool = false,
        onProgress: (@Sendable (PrefetchProgress) -> Void)? = nil,
        onCompletion: (@Sendable (PrefetchResult) -> Void)? = nil
    ) where Requests.Element == ImageRequest {
        self.init(
            .sequence(PrefetchSequence(requests, in: pipeline) { $0 }),
            pipeline: pipeline,
            destination: destination,
            maxConcurrentLoads: maxConcurrentLoads,
            priority: priority,
            collectsResults: collectsResults,
            onProgress: onProgress,
            onCompletion: onCompletion
        )
    }

    /// Creates a prefetcher of a sequence of URLs, of any length, that waits for ``start()``.
    ///
    /// The sequence is read from one task at a time, no further ahead than loads may run; it may be infinite, and must
    /// not block.
    ///
    /// Memory does not grow with the length. Equal requests for URLs, files and providers are found among the last
    /// 4,096 different ones; one that comes again after more than that counts again, and is skipped if it is cached.
    /// Results are counts and events, not lists.
    ///
    /// - Parameters:
    ///   - urls: The URLs of the images, in this order.
    ///   - options: The changes to the options of the pipeline for all of them, of which the priority does not count.
    ///     Default: none.
    ///   - pipeline: Loads the images. Default: ``ImagePipeline/shared``.
    ///   - destination: The cache that the images are brought into. Default: memory.
    ///   - maxConcurrentLoads: The number of images that are loaded at the same time; at least 1. Default: 5.
    ///   - priority: The urgency of the loads. Default: ``LoadPriority/low``.
    ///   - collectsResults: A Boolean value that indicates whether the result lists the requests, which takes memory
    ///     for each of them. Default: `false`.
    ///   - onProgress: Called after each image, on any thread, never twice at the same time; loads wait for a slow one.
    ///   - onCompletion: Called once, at the end, on any thread.
    public convenience init<URLs: Sequence & Sendable>(
        urls: URLs,
        options: [ImageOption] = [],
        pipeline: ImagePipeline = .shared,
        destination: Destination = .memory,
        maxConcurrentLoads: Int = 5,
        priority: LoadPriority = .low,
        collectsResults: Bool = false,
        onProgress: (@Sendable (PrefetchProgress) -> Void)? = nil,
        onCompletion: (@Sendable (PrefetchResult) -> Void)? = nil
    ) where URLs.Element == URL {
        self.init(
            .sequence(PrefetchSequence(urls, in: pipeline) { ImageRequest($0, options: options) }),
            pipeline: pipeline,
            destination: destination,
            maxConcurrentLoads: maxConcurrentLoads,
            priority: priority,
            collectsResults: collectsResults,
            onProgress: onProgress,
            onCompletion: onCompletion
        )
    }

    /// Creates a prefetcher of an asynchronous sequence of requests, of any length, that waits for ``start()``.
    ///
    /// The sequence is read from one task at a time, no further ahead than loads may run. One that throws ends the
    /// prefetcher once the requests before have their results; its text is ``PrefetchResult/sequenceFailure``.
    /// ``stop()`` cancels the task that waits for the next element.
    ///
    /// Memory does not grow with the length. Equal requests for URLs, files and providers are found among the last
    /// 4,096 different ones; one that comes again after more than that counts again, and is skipped if it is cached.
    /// Results are counts and events, not lists.
    ///
    /// - Parameters:
    ///   - requests: The images to load, in this order. The priority of their options does not count.
    ///   - pipeline: Loads the images. Default: ``ImagePipeline/shared``.
    ///   - destination: The cache that the images are brought into. Default: memory.
    ///   - maxConcurrentLoads: The number of images that are loaded at the same time; at least 1. Default: 5.
    ///   - priority: The urgency of the loads. Default: ``LoadPriority/low``.
    ///   - collectsResults: A Boolean value that indicates whether the result lists the requests, which takes memory
    ///     for each of them. Default: `false`.
    ///   - onProgress: Called after each image, on any thread, never twice at the same time; loads wait for a slow one.
    ///   - onCompletion: Called once, at the end, on any thread.
    public convenience init<Requests: AsyncSequence & Sendable>(
        requests: Requests,
        pipeline: ImagePipeline = .shared,
        destination: Destination = .memory,
        maxConcurrentLoads: Int = 5,
        priority: LoadPriority = .low,
        collectsResults: Bool = false,
        onProgress: (@Sendable (PrefetchProgress) -> Void)? = nil,
        onCompletion: (@Sendable (PrefetchResult) -> Void)? = nil
    ) where Requests.Element == ImageRequest {
        self.init(
            .sequence(PrefetchSequence(requests, in: pipeline) { $0 }),
            pipeline: pipeline,
            destination: destination,
            maxConcurrentLoads: maxConcurrentLoads,
            priority: priority,
            collectsResults: collectsResults,
            onProgress: onProgress,
            onCompletion: onCompletion
        )
    }

    /// Creates a prefetcher of an asynchronous sequence of URLs, of any length, that waits for ``start()``.
    ///
    /// The sequence is read from one task at a time, no further ahead than loads may run. One that throws ends the
    /// prefetcher once the requests before have their results; its text is ``PrefetchResult/sequenceFailure``.
    /// ``stop()`` cancels the task that waits for the next element.
    ///
    /// Memory does not grow with the length. Equal requests for URLs, files and providers are found among the last
    /// 4,096 different ones; one that comes again after more than that counts again, and is skipped if it is cached.
    /// Results are counts and events, not lists.
    ///
    /// - Parameters:
    ///   - urls: The URLs of the images, in this order.
    ///   - options: The changes to the options of the pipeline for all of them, of which the priority does not count.
    ///     Default: none.
    ///   - pipeline: Loads the images. Default: ``ImagePipeline/shared``.
    ///   - destination: The cache that the images are brought into. Default: memory.
    ///   - maxConcurrentLoads: The number of images that are loaded at the same time; at least 1. Default: 5.
    ///   - priority: The urgency of the loads. Default: ``LoadPriority/low``.
    ///   - collectsResults: A Boolean value that indicates whether the result lists the requests, which takes memory
    ///     for each of them. Default: `false`.
    ///   - onProgress: Called after each image, on any thread, never twice at the same time; loads wait for a slow one.
    ///   - onCompletion: Called once, at the end, on any thread.
    public convenience init<URLs: AsyncSequence & Sendable>(
        urls: URLs,
        options: [ImageOption] = [],
        pipeline: ImagePipeline = .shared,
        destination: Destination = .memory,
        maxConcurrentLoads: Int = 5,
        priority: LoadPriority = .low,
        collectsResults: Bool = false,
        onProgress: (@Sendable (PrefetchProgress) -> Void)? = nil,
        onCompletion: (@Sendable (PrefetchResult) -> Void)? = nil
    ) where URLs.Element == URL {
        self.init(
            .sequence(PrefetchSequence(urls, in: pipeline) { ImageRequest($0, options: options) }),
            pipeline: pipeline,
            destination: destination,
            maxConcurrentLoads: maxConcurrentLoads,
            priority: priority,
            collectsResults: collectsResults,
            onProgress: onProgress,
            onCompletion: onCompletion
        )
    }
}
