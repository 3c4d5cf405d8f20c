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
    /// How processed images are encoded for the disk. Default: ``ImageSerializer/automatic``.
    public var serializer: ImageSerializer = .automatic

    /// The defaults.
    public init() {}
}
