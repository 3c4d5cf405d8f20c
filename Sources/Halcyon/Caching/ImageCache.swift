internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonConcurrency
public import HalcyonStore

/// Images in memory, and their encoded bytes on disk.
///
/// What these functions call an image is what a pipeline calls it with the same source and options, credentials included
/// (see ``CacheScope``); what a downloader's policy adds to all requests has to be in the options here.
///
/// The disk is an optional help: where it cannot be used, images are loaded from further away, and each kind of
/// failure is reported once.
public final class ImageCache: Sendable {
    let memory: MemoryCache<ImageKey, CachedImage>
    let disk: AsyncDiskCache
    /// Keeps what is loaded and stored at the same time in order.
    let order = StoreOrder()
    private let bundles: [BundledImages]
    private let pressure: MemoryPressureMonitor.Subscription?

    /// A cache with a folder of its own.
    ///
    /// - Parameters:
    ///   - name: The folder's name in `$XDG_CACHE_HOME/halcyon`, or `~/.cache/halcyon`. Default: "default".
    ///   - memoryCostLimit: Bytes of pixels in memory; default a quarter of the memory this process may use.
    ///   - onFault: Told of failures of the disk, each once; they never fail a load. Default: nobody is told.
    public convenience init(
        name: String = "default",
        memoryCostLimit: Int = SystemMemory().defaultCostLimit,
        onFault: (@Sendable (ImageError) -> Void)? = nil
    ) {
        self.init(disk: DiskCache.Configuration(name: name), memoryCostLimit: memoryCostLimit, onFault: onFault)
    }

    /// A cache whose disk is configured in detail.
    ///
    /// - Parameters:
    ///   - disk: Folder, limits, expiration.
    ///   - memoryCostLimit: Bytes of pixels in memory; default a quarter of the memory this process may use.
    ///   - bundles: Where originals are looked for that the disk cache does not have, in this order. Default: nowhere.
    ///   - memoryPressure: Tells when memory runs short: the images in memory are then halved, or all let go if it is
    ///     critical, and so is memory kept for coming images. What something still shows is found again while it does.
    ///     `nil`: the cache does not react. Default: as the system says.
    ///   - onFault: Told of failures of the disk, each once; they never fail a load. Default: nobody is told.
    public init(
        disk: DiskCache.Configuration,
        memoryCostLimit: Int = SystemMemory().defaultCostLimit,
        bundles: [BundledImages] = [],
        memoryPressure: MemoryPressureMonitor? = .shared,
        onFault: (@Sendable (ImageError) -> Void)? = nil
    ) {
        let memory = MemoryCache<ImageKey, CachedImage>(
            costLimit: memoryCostLimit,
            clock: disk.clock,
            weakReference: { $0.weakReference }
        )
        self.memory = memory
        pressure = memoryPressure?.addHandler { [weak memory] pressure in
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
        self.disk = AsyncDiskCache(configuration: disk, onFault: onFault)
        self.bundles = bundles
    }

    /// The encoded bytes of an original that came with the program.
    ///
    /// - Throws: `CancellationError`.
    func bundledOriginal(_ key: ImageKey, priority: PriorityBox) async throws -> Data? {
        guard !bundles.isEmpty else { return nil }
        return try await disk.run(priority: priority) { [bundles] flag in
            for bundle in bundles {
                try flag.check()
                if let data = bundle.data(for: key) { return data }
            }
            return nil
        }
    }

    /// Removes all images from memory. What is being loaded is not kept there afterwards.
    public func removeAllFromMemory() {
        order.clear(.memory)
        memory.removeAll()
    }

    /// Removes everything from memory and disk. What is being loaded or stored is in neither afterwards.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``.
    public func removeAll() async throws {
        try await remove(.everything, from: .both, inMemory: memory.removeAll) { try $0.removeAll() }
    }

    /// Removes the original of a source from disk, and what memory and disk have of it with these options. What is being
    /// loaded or stored of that is in neither afterwards.
    ///
    /// - Returns: Whether the disk had it.
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``.
    @discardableResult
    public func remove(_ source: Source, options: ImageOptions = ImageOptions()) async throws -> Bool {
        guard let key = ImageKey(source, options: options) else { return false }
        let name = key.originalDiskKey
        let diskKeys = OriginalStorage.diskKeys(name) + [key.processedDiskKey]
        return try await remove(
            .items([.image(key), .original], name: name),
            from: .both,
            inMemory: { memory.remove(for: key) }
        ) { disk in
            try diskKeys.map { try disk.remove(for: $0) }.contains(true)
        }
    }

    /// Removes something from memory and then from disk, and nothing of that comes back from what is under way.
    func remove<Result: Sendable>(
        _ scope: StoreOrder.Scope,
        from tiers: StoreOrder.Tiers,
        inMemory: () -> Void = {},
        onDisk: @escaping @Sendable (DiskCache) throws -> Result
    ) async throws -> Result {
        let removal = order.begin(scope, from: tiers)
        defer { order.end(removal) }
        inMemory()
        return try await disk.change(onDisk)
    }

    /// Waits until everything that was stored is on disk.
    public func flush() async {
        await disk.flush()
    }
}

extension ImageCache: Hashable {
    /// Whether both are the same object.
    public static func == (left: ImageCache, right: ImageCache) -> Bool { left === right }

    /// Feeds the identity of the object.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
