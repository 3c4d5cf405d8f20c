internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonHTTP
public import HalcyonStore
internal import HalcyonSystem
internal import Synchronization

/// Images in memory, and their encoded bytes on disk and in the tiers below it.
///
/// A request names the same image here as in a pipeline, credentials included (see ``CacheScope``); what a downloader's
/// policy or a pipeline's default options add to all requests has to be in the options here.
///
/// The disk is optional: where it cannot be used, images are loaded from further away, and each kind of failure is
/// reported once. Images are removed from memory and disk in a task that was cancelled, too.
public final class ImageCache: Sendable {
    let memory: MemoryCache<ImageKey, CachedImage>
    /// The tiers of encoded images: the disk, and those below.
    let tiers: CacheTiers
    /// The order of the loads and stores that run at the same time.
    let order = ContentOrder()
    /// The newest answers of servers; `nil` if no tier is only read.
    let answers: NewestAnswers?
    /// A Boolean value that indicates whether memory may have encoded forms of images, which a store has to look for.
    let mayHaveEncodedForms = Atomic(false)
    /// The images in memory that were made for a target size.
    let sizeIndex = Lock(ImageSizeIndex())
    /// The variants that memory may have of each original.
    let variants = StoredVariants()
    /// A store for each folder with what was received of originals whose transfers broke off, for loads into this cache.
    let partialBodies = Lock<[String: PartialBodyStore]>([:])
    /// A Boolean value that indicates whether images are for many users.
    let isShared: Bool
    private let pressure: MemoryPressureMonitor.Subscription?

    /// Creates a cache with a folder of its own.
    ///
    /// - Parameters:
    ///   - name: The folder's name in `$XDG_CACHE_HOME/halcyon`, or `~/.cache/halcyon`. Default: "default".
    ///   - memoryCostLimit: Bytes of pixels in memory; default a quarter of the memory this process may use.
    ///   - memoryExpiration: The lifetime of an image in memory, where its request states none. Default: 5 minutes.
    ///   - onFault: Called with failures of the disk, each once; they never fail a load. Default: none.
    public convenience init(
        name: String = "default",
        memoryCostLimit: Int = SystemMemory().defaultCostLimit,
        memoryExpiration: Expiration = .seconds(300),
        onFault: (@Sendable (ImageError) -> Void)? = nil
    ) {
        self.init(
            disk: DiskCache.Configuration(name: name),
            memoryCostLimit: memoryCostLimit,
            memoryExpiration: memoryExpiration,
            onFault: onFault
        )
    }

    /// Creates a cache whose disk is configured in detail.
    ///
    /// - Parameters:
    ///   - disk: Folder, limits, expiration.
    ///   - memoryCostLimit: Bytes of pixels in memory; default a quarter of the memory this process may use.
    ///   - memoryExpiration: The lifetime of an image in memory, where its request states none. Default: 5 minutes.
    ///   - memorySweepInterval: The interval at which expired images are removed from memory while there are any;
    ///     `nil`: never, so that they stay until they are evicted. Default: 2 minutes.
    ///   - memorySweepClock: The clock that the removal sleeps by. Default: the system's.
    ///   - tiers: The tiers below the disk, in the order in which they are asked for what the disk does not have, such
    ///     as ``BundledImages``, which come last. Default: none.
    ///   - isShared: A Boolean value that indicates whether what is loaded is passed on to many users, as a server does: it
    ///     then follows the rules of shared caches, `s-maxage` and `proxy-revalidate` among them, and keeps nothing that is
    ///     `private` (RFC 9111, section 5.2.2). Default: `false`.
    ///   - memoryPressure: Reports when memory runs short: the images in memory are then halved, or all evicted if it
    ///     is critical, and so is memory kept for later images. An evicted image that is still held elsewhere is found
    ///     again while it is. `nil`: the cache does not react. Default: as the system reports.
    ///   - onFault: Called with failures of the disk, each once; they never fail a load. Default: none.
    public init(
        disk: DiskCache.Configuration,
        memoryCostLimit: Int = SystemMemory().defaultCostLimit,
        memoryExpiration: Expiration = .seconds(300),
        memorySweepInterval: Duration? = .seconds(120),
        memorySweepClock: any Clock<Duration> = ContinuousClock(),
        tiers: [any CacheTier] = [],
        isShared: Bool = false,
        memoryPressure: MemoryPressureMonitor? = .shared,
        onFault: (@Sendable (ImageError) -> Void)? = nil
    ) {
        let memory = MemoryCache<ImageKey, CachedImage>(
            costLimit: memoryCostLimit,
            expiration: memoryExpiration,
            sweepInterval: memorySweepInterval,
            clock: disk.clock,
            sweepClock: memorySweepClock,
            weakReference: { $0.weakReference }
        )
        self.memory = memory
        self.isShared = isShared
        pressure = memoryPressure.map { Self.trim(memory, asReportedBy: $0) }
        let bundles = tiers.filter(\.isReadOnly)
        answers = bundles.isEmpty ? nil : NewestAnswers(of: bundles)
        self.tiers = CacheTiers(disk: DiskTier(configuration: disk, onFault: onFault), tiers)
    }

    /// The first tier.
    var disk: DiskTier { tiers.disk }

    /// Notes that loads into this cache go on with bodies that a store keeps, which removals cover.
    package func add(_ store: PartialBodyStore) {
        let folder = store.configuration.folder
        partialBodies.withLock { stores in
            if stores[folder] == nil { stores[folder] = store }
        }
    }

    /// Waits until everything that was stored is on disk, and in the tiers below.
    ///
    /// Entries are written down together, at most a tenth of a second after they were stored, and when the cache ends; neither
    /// is waited for. A program that is about to exit calls this first.
    public func flush() async {
        await tiers.flush()
    }
}

extension ImageCache: Hashable {
    /// Returns whether both are the same object.
    public static func == (left: ImageCache, right: ImageCache) -> Bool { left === right }

    /// Hashes the identity of the object.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension ImageCache {
    /// Halves the images in memory when it runs short, or evicts all if it is critical, and so memory kept for later images.
    ///
    /// - Returns: The subscription, which ends when it is released.
    static func trim(
        _ memory: MemoryCache<ImageKey, CachedImage>,
        asReportedBy monitor: MemoryPressureMonitor
    ) -> MemoryPressureMonitor.Subscription {
        monitor.addHandler { [weak memory] pressure in
            let pool = MemoryPool.shared
            switch pressure {
            case .warning:
                if let memory { memory.trim(to: memory.statistics.cost / 2) }
                pool.trim(to: pool.statistics.keptByteCount / 2)
            case .critical:
                memory?.trim()
                pool.trim()
            }
        }
    }
}
