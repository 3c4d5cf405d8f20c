public import HalcyonCodecs
public import HalcyonHTTP
public import HalcyonStore

extension ImageOption {
    /// Processes the image. Replaces the processing that was set before; join chains with `|>`.
    public static func processor(_ processing: ImageProcessorChain) -> ImageOption {
        ImageOption(processing) { $0.processing = processing }
    }

    /// Looks into no cache and loads anew, also with ``onlyFromCache``; the result is stored.
    public static var forceRefresh: ImageOption {
        ImageOption(true) { $0.cache.reads = .none }
    }

    /// Takes the image from memory or loads it anew, without looking on disk.
    public static var fromMemoryCacheOrRefresh: ImageOption {
        ImageOption(true) { $0.cache.reads = .memory }
    }

    /// Fails with ``ImageError/Reason/notCached`` rather than using the network, unless ``forceRefresh`` is set as
    /// well.
    public static var onlyFromCache: ImageOption {
        ImageOption(true) { $0.network.isAllowed = false }
    }

    /// Stores nothing on disk.
    public static var cacheMemoryOnly: ImageOption {
        ImageOption(true) { $0.cache.storesOnDisk = false }
    }

    /// Neither reads nor writes any cache.
    public static var noCache: ImageOption {
        ImageOption(true) {
            $0.cache.reads = .none
            $0.cache.storesInMemory = false
            $0.cache.storesOnDisk = false
        }
    }

    /// Stores the original bytes on disk as well when the image is processed.
    public static var cacheOriginalImage: ImageOption {
        ImageOption(true) { $0.cache.storesOriginal = true }
    }

    /// Gives the result only when it is stored on disk, where this process finds it.
    public static var waitForCache: ImageOption {
        ImageOption(true) { $0.cache.waitsForStore = true }
    }

    /// Sets the time that entries stay on disk.
    public static func diskCacheExpiration(_ expiration: Expiration) -> ImageOption {
        ImageOption(expiration) { $0.cache.diskExpiration = expiration }
    }

    /// Sets the time that an image from a server is used without asking again, whatever the server says. It may still
    /// be gone from the caches before that.
    public static func expiration(_ expiration: Expiration) -> ImageOption {
        ImageOption(expiration) { $0.cache.freshness = .expiration(expiration) }
    }

    /// Uses an image for as long as a cache has it, without looking at what its server says about caching.
    public static var ignoringServer: ImageOption {
        ImageOption(true) { $0.cache.freshness = .ignoringServer }
    }

    /// Sets the rule for the use of an image that is no longer fresh when its server fails.
    public static func staleIfError(_ rule: StaleIfError) -> ImageOption {
        ImageOption(rule) { $0.cache.staleIfError = rule }
    }

    /// Asks the server whether the image has changed before one from disk is used.
    public static var revalidate: ImageOption {
        ImageOption(true) { $0.cache.revalidates = true }
    }

    /// Sets the time that the image stays in memory.
    public static func memoryCacheExpiration(_ expiration: Expiration) -> ImageOption {
        ImageOption(expiration) { $0.cache.memoryExpiration = expiration }
    }

    /// Sets the effect on the expiration of finding the image in memory.
    public static func memoryCacheAccessExtending(_ extending: ExpirationExtension) -> ImageOption {
        ImageOption(extending) { $0.cache.memoryExtension = extending }
    }

    /// Sets the effect on the expiration of finding an entry on disk.
    public static func diskCacheAccessExtending(_ extending: ExpirationExtension) -> ImageOption {
        ImageOption(extending) { $0.cache.diskExtension = extending }
    }

    /// Keeps the image in this cache instead of the pipeline's.
    public static func targetCache(_ cache: ImageCache) -> ImageOption {
        ImageOption(cache) { $0.cache.targetCache = cache }
    }

    /// Keeps the original of a processed image in this cache instead of the image's.
    public static func originalCache(_ cache: ImageCache) -> ImageOption {
        ImageOption(cache) { $0.cache.originalCache = cache }
    }

    /// Leaves out of cache keys the parts of an address that a rule names, such as a signature that is new each time.
    public static func cacheKeyRule(_ rule: CacheKeyRule) -> ImageOption {
        ImageOption(rule) { $0.cache.keyRule = rule }
    }

    /// Names the scope of the image, so that it is found again after a token was renewed; see ``CacheScope/named(_:)``.
    public static func cacheScope(_ name: String) -> ImageOption {
        ImageOption(name) { $0.cache.scope = .named(name) }
    }

    /// Treats the image as the same whatever the credential; see ``CacheScope/sharedAcrossCredentials``.
    public static var sharedAcrossCredentials: ImageOption {
        ImageOption(true) { $0.cache.scope = .sharedAcrossCredentials }
    }

    /// Sets the encoding of processed images for the disk to a built-in one.
    public static func serializer(_ serializer: ImageSerializer) -> ImageOption {
        let hook = SerializerHook(serializer)
        return ImageOption(hook) { $0.cache.serializerHook = hook }
    }

    /// Sets the urgency of the load.
    public static func priority(_ priority: LoadPriority) -> ImageOption {
        ImageOption(priority) { $0.priority = priority }
    }

    /// Sets the time that parts of the transfer may take.
    ///
    /// ```swift
    /// .timeouts(.download(.seconds(30)))
    /// ```
    public static func timeouts(_ timeouts: TransferTimeouts) -> ImageOption {
        ImageOption(timeouts) { $0.network.timeouts = timeouts }
    }

    /// Sets the bounds beyond which a decoder refuses a file.
    public static func decodeLimits(_ limits: DecodeLimits) -> ImageOption {
        ImageOption(limits) { $0.decode.limits = limits }
    }

    /// Sets where the image is decoded: in the program, or in a confined process.
    public static func isolation(_ isolation: DecodeIsolation) -> ImageOption {
        ImageOption(isolation) { $0.decode.isolation = isolation }
    }

    /// Sets the handling of colours that are not sRGB.
    public static func color(_ handling: ColorHandling) -> ImageOption {
        ImageOption(handling) { $0.decode.color = handling }
    }

    /// Makes bitmaps of 16 bits a sample of files that have more than 8.
    public static var keepSixteenBits: ImageOption {
        ImageOption(true) { $0.decode.keepsSixteenBits = true }
    }

    /// Uses a smaller image that the file embeds, where it is large enough.
    public static var useEmbeddedThumbnail: ImageOption {
        ImageOption(true) { $0.decode.usesEmbeddedThumbnail = true }
    }

    /// Sets what becomes of an image whose bytes are cut short or damaged; see ``DecodePolicy/damage``.
    public static func damage(_ handling: DamageHandling) -> ImageOption {
        ImageOption(handling) { $0.decode.damage = handling }
    }

    /// Sets the part of an animated file that is loaded; see ``DecodePolicy/animation``.
    public static func animation(_ loading: AnimationLoading) -> ImageOption {
        ImageOption(loading) { $0.decode.animation = loading }
    }

    /// Runs processors on all frames of an animated file; see ``DecodePolicy/processesAllFrames``.
    public static var processAllFrames: ImageOption {
        ImageOption(true) { $0.decode.processesAllFrames = true }
    }

    /// Decodes one frame of an animation, counted from 0.
    public static func frame(_ frame: Int) -> ImageOption {
        ImageOption(frame) { $0.decode.frame = frame }
    }

    /// Takes the image from disk or loads it anew, without looking into memory; the result is stored in memory.
    public static var fromDiskCacheOrRefresh: ImageOption {
        ImageOption(true) { $0.cache.reads = .disk }
    }

    /// Sets whether a processed image may be made of the original in a cache; see ``CachePolicy/readsOriginal``.
    public static func readsOriginal(_ isAllowed: Bool) -> ImageOption {
        ImageOption(isAllowed) { $0.cache.readsOriginal = isAllowed }
    }

    /// Sets the encoding of processed images for the disk.
    public static func serializer(_ serializer: some ImageSerializing) -> ImageOption {
        let hook = SerializerHook(serializer)
        return ImageOption(hook) { $0.cache.serializerHook = hook }
    }

    /// Sets the safety of what is stored on disk from a crash and from a loss of power; see
    /// ``CachePolicy/diskDurability``.
    public static func diskDurability(_ durability: DiskCache.Durability) -> ImageOption {
        ImageOption(durability) { $0.cache.diskDurability = durability }
    }

    /// Decodes the image at the size of the place that shows it; see ``ImageOptions/targetSize``.
    ///
    /// ```swift
    /// .targetSize(.points(width: 160, height: 120, mode: .fill))
    /// ```
    public static func targetSize(_ size: TargetSize) -> ImageOption {
        ImageOption(size) { $0.targetSize = size }
    }

    /// Sets whether a larger image in memory answers a request with a target size; see ``CachePolicy/precision``.
    public static func precision(_ precision: SizePrecision) -> ImageOption {
        ImageOption(precision) { $0.cache.precision = precision }
    }
}
