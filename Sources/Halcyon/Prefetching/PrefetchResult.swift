/// The results of the requests of an ``ImagePrefetcher``. A value: it stays as it is while the prefetcher goes on.
public struct PrefetchResult: Sendable, Hashable {
    /// The requests whose images were loaded and cached, in the order they were ready.
    public var completed: [ImageRequest] = []
    /// The requests whose images were cached already.
    public var skipped: [ImageRequest] = []
    /// The requests whose images were not loaded.
    public var failed: [Failure] = []

    /// A request that failed.
    public struct Failure: Sendable, Hashable {
        /// The request.
        public let request: ImageRequest
        /// The error; `nil` if the prefetcher was stopped before.
        public let error: ImageError?
    }

    /// Returns the number of requests with each result.
    func progress(of totalCount: Int) -> PrefetchProgress {
        PrefetchProgress(
            completedCount: completed.count,
            skippedCount: skipped.count,
            failedCount: failed.count,
            totalCount: totalCount
        )
    }
}

/// The counts of an ``ImagePrefetcher``. It has no lists, as copying them at each step would make long ones slow.
public struct PrefetchProgress: Sendable, Hashable {
    /// The number of requests whose images were loaded and cached.
    public var completedCount: Int
    /// The number of requests whose images were cached already.
    public var skippedCount: Int
    /// The number of requests whose images were not loaded.
    public var failedCount: Int
    /// The number of all requests, equal ones counted once.
    public var totalCount: Int

    /// The number of requests that have a result.
    public var finishedCount: Int { completedCount + skippedCount + failedCount }
}
