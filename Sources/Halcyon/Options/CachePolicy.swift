public import HalcyonHTTP
public import HalcyonStore

/// The reading and writing of caches for one image.
public struct CachePolicy: Sendable, Hashable {
    /// The caches that may answer a request.
    public enum Reads: Sendable, Hashable {
        /// Memory, then disk.
        case all
        /// Memory only.
        case memory
        /// None.
        case none
        /// Disk only. The result is stored in memory as usual.
        case disk

        /// A Boolean value that indicates whether images in memory may answer.
        @inline(__always)
        var includesMemory: Bool { self == .all || self == .memory }

        /// A Boolean value that indicates whether images on disk may answer.
        var includesDisk: Bool { self == .all || self == .disk }
    }

    /// The caches that may answer. With `.none` the source is asked in any case, also where
    /// ``NetworkPolicy/isAllowed`` is `false`. Default: `.all`.
    public var reads: Reads = .all
    /// The rule for the time that an image from a server is used without asking again. After that time the server is
    /// asked whether it has changed. Default: ``FreshnessPolicy/server``.
    public var freshness: FreshnessPolicy = .server
    /// The rule for the use of an image that is no longer fresh, where its server does not answer or answers with a
    /// failure. Default: ``StaleIfError/asAllowed``.
    public var staleIfError: StaleIfError = .asAllowed
    /// A Boolean value that indicates whether the server is asked in any case before an image from disk is used. Memory
    /// is not looked into. Default: `false`.
    public var revalidates: Bool {
        get { asking != .never }
        set { asking = newValue ? .always : .never }
    }
    /// What asks the server in any case.
    private var asking = Asking.never

    private enum Asking: Sendable, Hashable {
        case never
        case always
        case forHeaders
    }

    /// Asks the server where the headers of the request say so, and no more where other headers have taken their place.
    mutating func followHeaders(ask: Bool) {
        guard asking != .always else { return }
        asking = ask ? .forHeaders : .never
    }

    /// A Boolean value that indicates whether the result is kept in memory. Default: `true`.
    public var storesInMemory = true
    /// A Boolean value that indicates whether anything is written to disk, the original included. Default: `true`.
    public var storesOnDisk = true
    /// A Boolean value that indicates whether the original bytes of a processed image are stored as well. Unprocessed
    /// images are always stored as they came. Default: `false`.
    public var storesOriginal = false
    /// A Boolean value that indicates whether the result waits until it is stored on disk, where this process finds it;
    /// ``ImageCache/flush()`` waits until other processes do. A store that fails does not fail the load. Default:
    /// `false`.
    public var waitsForStore = false
    /// The time that the image stays in memory; `nil`: that of the memory cache (5 minutes, extended on access). Default:
    /// `nil`.
    public var memoryExpiration: Expiration?
    /// The time that entries stay on disk; `nil`: that of the disk cache (7 days, extended on access). Default: `nil`.
    public var diskExpiration: Expiration?
    /// The effect on the expiration of finding the image in memory. Default: its lifetime starts again.
    public var memoryExtension: ExpirationExtension = .originalLifetime
    /// The effect on the expiration of finding an entry on disk. Default: its lifetime starts again.
    public var diskExtension: ExpirationExtension = .originalLifetime
    /// The cache of this image; `nil`: that of the pipeline. Policies with different caches are different. Default: `nil`.
    public var targetCache: ImageCache?
    /// The cache that the original of a processed image is looked for and stored in, on disk; `nil`: that of the image. An
    /// unprocessed image is kept in the cache of the image. Loads that do not name it leave an older original there.
    /// Default: `nil`.
    public var originalCache: ImageCache?
    /// The rule for the parts of a web address that name the image in caches; `nil`: the whole address. Default: `nil`.
    public var keyRule: CacheKeyRule?
    /// The set of requests that the image may answer. Default: ``CacheScope/credential``.
    public var scope: CacheScope = .credential
    /// The hook of ``serializer``; `nil` for the automatic one.
    var serializerHook: SerializerHook?
    /// A Boolean value that indicates whether a processed image may be made of the original on disk, or of the unprocessed
    /// image in memory, where ``reads`` includes the disk, or memory; if not, its original is loaded anew. An unprocessed
    /// image is the original: ``reads`` alone decides about it. Default: `true`.
    ///
    /// The image in memory is used where that changes no pixel: not where the first processor resizes, as the original may
    /// then be decoded at reduced size, and not for an animation, or where the original is returned or stored as well.
    public var readsOriginal = true
    /// The safety of what is stored on disk, the original included, from a crash and from a loss of power; `nil`: that
    /// of the function, which is `DiskCache.Durability.none` for a load and `.normal` for a store by the program.
    /// Default: `nil`.
    public var diskDurability: DiskCache.Durability?
    /// The rule for the size of an image in memory that answers a request with ``ImageOptions/targetSize``. Default:
    /// ``SizePrecision/exact``.
    public var precision = SizePrecision.exact

    /// The defaults.
    public init() {}

    /// The encoding of processed images for the disk. It is part of the key of a processed image, in memory and on
    /// disk. Default: ``ImageSerializer/automatic``.
    public var serializer: any ImageSerializing {
        get { serializerHook?.body ?? ImageSerializer.automatic }
        set { serializerHook = SerializerHook(newValue) }
    }

    /// A Boolean value that indicates whether no cache may answer: the load is a forced refresh
    /// (``ImageOption/forceRefresh``), which joins other such loads alone, and asks also a server that failed lately.
    var isForcedRefresh: Bool { reads == .none }

    /// Returns the cache of the original; `nil` for that of the pipeline.
    func cacheOfOriginal(isProcessed: Bool) -> ImageCache? { (isProcessed ? originalCache : nil) ?? targetCache }

    /// A Boolean value that indicates whether the original of a processed image is stored, beside its result or in the
    /// place of it.
    var keepsOriginal: Bool { storesOriginal || keepsOriginalOnly }

    /// A Boolean value that indicates whether the original of a processed image takes the place of its result on disk.
    var keepsOriginalOnly: Bool { serializerHook?.storesOriginal ?? false }

    /// A Boolean value that indicates whether the server may have to be asked about an image in memory for which it
    /// gave no lifetime.
    @inline(__always)
    var mayAskAnyway: Bool {
        if case .expiration = freshness { return true }
        return revalidates
    }
}
