/// The counts of an ``ImagePrefetcher``. It has no lists, as copying them at each step would make long ones slow.
public struct PrefetchProgress: Sendable, Hashable {
    /// The number of requests whose images were loaded and cached.
    public var completedCount: Int
    /// The number of requests whose images were cached already.
    public var skippedCount: Int
    /// The number of requests whose images were not loaded.
    public var failedCount: Int
    /// The number of all requests, equal ones counted once; of a sequence, of those that were taken from it so far.
    public var totalCount: Int

    init(completedCount: Int = 0, skippedCount: Int = 0, failedCount: Int = 0, totalCount: Int = 0) {
        self.completedCount = completedCount
        self.skippedCount = skippedCount
        self.failedCount = failedCount
        self.totalCount = totalCount
    }

    /// The number of requests that have a result.
    public var finishedCount: Int { completedCount + skippedCount + failedCount }
}
