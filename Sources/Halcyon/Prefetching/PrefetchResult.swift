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
