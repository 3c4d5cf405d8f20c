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
    /// Whether the result is kept in memory. Default: `true`.
    public var storesInMemory = true
    /// Whether anything is written to disk, the original included. Default: `true`.
    public var storesOnDisk = true
    /// Whether a processed image's original bytes are stored as well. Unprocessed images are always stored as they
    /// came. Default: `false`.
    public var storesOriginal = false
    /// Whether the result waits until it is on disk. A store that fails does not fail the load. Default: `false`.
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
    /// How processed images are encoded for the disk. Default: ``ImageSerializer/automatic``.
    public var serializer: ImageSerializer = .automatic

    /// The defaults.
    public init() {}
}
