/// The results of the requests of an ``ImagePrefetcher``. A value: it stays as it is while the prefetcher goes on.
///
/// The lists are those of a prefetcher of an array. That of a sequence, which may be longer than memory, has counts
/// alone unless its lists are asked for.
public struct PrefetchResult: Sendable, Hashable {
    /// The requests whose images were loaded and cached, in the order they were ready.
    public var completed: [ImageRequest] = []
    /// The requests whose images were cached already.
    public var skipped: [ImageRequest] = []
    /// The requests whose images were not loaded.
    public var failed: [Failure] = []
    /// The counts, also where there are no lists.
    public var counts = PrefetchProgress()
    /// The text of the error that ended the sequence of requests; `nil` if there was none. The requests before it have
    /// been loaded.
    public var sequenceFailure: String?

    /// A request that failed.
    public struct Failure: Sendable, Hashable {
        /// The request.
        public let request: ImageRequest
        /// The error; `nil` if the prefetcher was stopped before.
        public let error: ImageError?
    }
}

/// The counts of an ``ImagePrefetcher``. It has no lists, as copying them at each step would make long ones slow.
public struct PrefetchProgress: Sendable, Hashable {
    /// The number of requests whose images were loaded and cached.
    public var completedCount = 0
    /// The number of requests whose images were cached already.
    public var skippedCount = 0
    /// The number of requests whose images were not loaded.
    public var failedCount = 0
    /// The number of all requests, equal ones counted once; of a sequence, of those that were taken from it so far.
    public var totalCount = 0

    /// The number of requests that have a result.
    public var finishedCount: Int { completedCount + skippedCount + failedCount }
}

/// An event of an ``ImagePrefetcher``.
public enum PrefetchEvent: Sendable, Hashable {
    /// The image was loaded and cached.
    case completed(ImageRequest)
    /// The image was cached already.
    case skipped(ImageRequest)
    /// The image was not loaded; or the load was under way when the prefetcher was stopped.
    case failed(PrefetchResult.Failure)
    /// The prefetcher has ended. Comes once, after all others. Requests that were left when it was stopped have no
    /// event of their own, and are in the result.
    case finished(PrefetchResult)
}
