public import HalcyonHTTP
public import HalcyonStore

/// What is read from and written to the caches.
public struct CachePolicy: Sendable, Hashable {
    /// Which caches may answer.
    public enum Reads: Sendable, Hashable {
        /// Memory, then disk.
        case all
        /// Memory only.
        case memory
        /// None.
        case none
    }

    /// Which caches may answer. Default: `.all`.
    public var reads: Reads = .all
    /// What decides how long an image from a server is used without asking again. Afterwards the server is asked whether
    /// it has changed. Default: ``FreshnessPolicy/server``.
    public var freshness: FreshnessPolicy = .server
    /// Whether an image that is no longer fresh is used when its server does not answer, or answers that it has a
    /// problem. Default: ``HTTPCachePolicy/StaleIfError/asAllowed``.
    public var staleIfError: HTTPCachePolicy.StaleIfError = .asAllowed
    /// Whether the server is asked in any case before an image from disk is used. Memory is not looked into.
    /// Default: `false`.
    public var revalidates = false
    /// Whether the result is kept in memory. Default: `true`.
    public var storesInMemory = true
    /// Whether anything is written to disk, the original included. Default: `true`.
    public var storesOnDisk = true
    /// Whether a processed image's original bytes are stored as well. Unprocessed images are always stored as they
    /// came. Default: `false`.
    public var storesOriginal = false
    /// Whether the result waits until it is stored on disk, where this process finds it; ``ImageCache/flush()`` waits
    /// until other processes do. A store that fails does not fail the load. Default: `false`.
    public var waitsForStore = false
    /// How long the image stays in memory; `nil`: as the memory cache says (5 minutes, extended on access).
    public var memoryExpiration: Expiration?
    /// How long entries stay on disk; `nil`: as the disk cache says (7 days, extended on access).
    public var diskExpiration: Expiration?
    /// What finding the image in memory does to its expiry there. Default: its lifetime starts again.
    public var memoryExtension: ExpirationExtension = .originalLifetime
    /// What finding an entry on disk does to its expiry there. Default: its lifetime starts again.
    public var diskExtension: ExpirationExtension = .originalLifetime
    /// The cache of this image; `nil`: that of the pipeline. Policies with different caches are different.
    public var targetCache: ImageCache?
    /// The cache of the original of a processed image, on disk; `nil`: that of the image. It is looked into before that
    /// of the image. An unprocessed image is kept in the cache of the image.
    public var originalCache: ImageCache?
    /// What of a web address names the image in caches; `nil`: all of it.
    public var keyRule: CacheKeyRule?
    /// Whose image it is. Default: ``CacheScope/credential``.
    public var scope: CacheScope = .credential
    /// How processed images are encoded for the disk. Default: ``ImageSerializer/automatic``.
    public var serializer: ImageSerializer = .automatic

    /// The defaults.
    public init() {}

    /// Whether the server may have to be asked about an image in memory of which it said nothing.
    @inline(__always)
    var mayAskAnyway: Bool {
        if case .expiration = freshness { return true }
        return revalidates
    }
}
