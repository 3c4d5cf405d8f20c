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
