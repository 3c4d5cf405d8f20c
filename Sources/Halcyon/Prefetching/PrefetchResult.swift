/// What has become of the sources of an ``ImagePrefetcher``. A value: it stays as it is while the prefetcher goes on.
public struct PrefetchResult: Sendable, Hashable {
    /// Loaded and cached, in the order they were ready.
    public var completed: [Source] = []
    /// Cached already.
    public var skipped: [Source] = []
    /// Not loaded.
    public var failed: [Failure] = []

    /// A source that could not be loaded.
    public struct Failure: Sendable, Hashable {
        /// What was to be loaded.
        public let source: Source
        /// Why it was not; `nil` if the prefetcher was stopped before.
        public let error: ImageError?
    }

    /// How many there are of each.
    func progress(of totalCount: Int) -> PrefetchProgress {
        PrefetchProgress(
            completedCount: completed.count,
            skippedCount: skipped.count,
            failedCount: failed.count,
            totalCount: totalCount
        )
    }
}

/// How far an ``ImagePrefetcher`` has come. Only counts: lists that are copied at each step would make long ones slow.
public struct PrefetchProgress: Sendable, Hashable {
    /// Loaded and cached.
    public var completedCount: Int
    /// Cached already.
    public var skippedCount: Int
    /// Not loaded.
    public var failedCount: Int
    /// All sources, those named more than once counted once.
    public var totalCount: Int

    /// Those whose fate is known.
    public var finishedCount: Int { completedCount + skippedCount + failedCount }
}
