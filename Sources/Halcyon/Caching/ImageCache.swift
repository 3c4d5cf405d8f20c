internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonConcurrency
public import HalcyonStore
internal import Synchronization

/// Images in memory, and their encoded bytes on disk.
///
/// A request names the same image here as in a pipeline, credentials included (see ``CacheScope``); what a downloader's
/// policy or a pipeline's default options add to all requests has to be in the options here.
///
/// The disk is optional: where it cannot be used, images are loaded from further away, and each kind of failure is
/// reported once. Images are removed from memory and disk in a task that was cancelled, too.
public final class ImageCache: Sendable {
    let memory: MemoryCache<ImageKey, CachedImage>
    let disk: AsyncDiskCache
    /// The order of the loads and stores that run at the same time.
    let order = ContentOrder()
    /// A Boolean value that indicates whether memory may have encoded forms of images, which a store has to look for.
    let mayHaveEncodedForms = Atomic(false)
    /// The images in memory that were made for a target size.
    let sizeIndex = Lock(ImageSizeIndex())
    /// The variants that memory may have of each original.
    let variants = StoredVariants()
    private let bundles: [BundledImages]
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
    ///   - bundles: The images that are searched, in this order, for originals that the disk cache does not have.
    ///     Default: none.
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
        bundles: [BundledImages] = [],
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

    /// Returns the encoded bytes of an original that came with the program; `nil` if there are none.
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

    /// Removes all images from memory. An image that is being loaded is not stored there afterwards.
    public func removeAllFromMemory() {
        removeFromMemory(.everything) { memory.removeAll() }
    }

    /// Removes everything from memory and disk. An image that is being loaded or stored is in neither afterwards.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``.
    public func removeAll() async throws {
        try await remove(.everything, from: .all, inMemory: memory.removeAll) { try $0.removeAll() }
    }

    /// Removes the original of a request and everything that was made of it. An image that is being loaded or stored is not
    /// stored in these parts of the cache afterwards. Complexity: O(n) in the number of images in memory.
    ///
    /// - Parameters:
    ///   - request: The request of one of its images. Of the options, the key rule, the scope, credentials and hooks
    ///     count: they are part of the name of the original. A file is removed in its present state.
    ///   - tiers: The parts of the cache that it is removed from. Default: memory and disk.
    /// - Returns: The number of entries that were on disk.
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``; `CancellationError` while a file is looked at.
    @discardableResult
    public func remove(for request: ImageRequest, from tiers: Tiers = .all) async throws -> Int {
        guard let key = try await key(for: request) else { return 0 }
        return try await remove(key, from: tiers)
    }

    /// Removes the original of a key's image and everything that was made of it.
    ///
    /// - Returns: The number of entries that were on disk.
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``.
    func remove(_ key: ImageKey, from tiers: Tiers) async throws -> Int {
        let name = key.originalDiskKey
        let removeFromMemory = { [memory] in
            if tiers.contains(.memory) { memory.removeAll { $0.hasOriginal(of: key) } }
        }
        guard tiers.contains(.disk) else {
            if tiers.contains(.memory) { self.removeFromMemory(.name(name), removeFromMemory) }
            return 0
        }
        return try await remove(.name(name), from: tiers, inMemory: removeFromMemory) { disk in
            let count = try disk.removeEntries(prefix: name + "\0")
            return try disk.remove(for: name) ? count + 1 : count
        }
    }

    /// Returns the key of a request's image, for which the state of a file is read; `nil` if it has none.
    ///
    /// - Throws: `CancellationError`.
    func key(for request: ImageRequest) async throws -> ImageKey? {
        if let key = ImageKey(request) { return key }
        guard let path = request.source.filePath else { return nil }
        let identity = try await disk.run(priority: PriorityBox(request.options.priority)) { _ in
            try? FileReader.identity(of: path)
        }
        return identity.map { ImageKey(request.source, in: $0, options: request.options) }
    }

    /// Removes something from memory alone: nothing that was found there before is stored anywhere.
    private func removeFromMemory(_ scope: ContentOrder.Scope, _ removal: () -> Void) {
        let number = order.begin(scope, from: .memory)
        removal()
        order.end(number)
    }

    /// Removes images from memory and then from disk, also in a task that was cancelled; work under way does not store
    /// them again.
    func remove<Result: Sendable>(
        _ scope: ContentOrder.Scope,
        from tiers: Tiers,
        inMemory: () -> Void = {},
        onDisk: @escaping @Sendable (DiskCache) throws -> Result
    ) async throws -> Result {
        let removal = order.begin(scope, from: tiers)
        defer { order.end(removal) }
        inMemory()
        return try await disk.remove(onDisk)
    }

    /// Waits until everything that was stored is on disk.
    ///
    /// Entries are written down together, at most a tenth of a second after they were stored, and when the cache ends; neither
    /// is waited for. A program that is about to exit calls this first.
    public func flush() async {
        await disk.flush()
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
