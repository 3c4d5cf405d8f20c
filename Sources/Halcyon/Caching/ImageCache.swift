internal import HalcyonCodecs
internal import HalcyonConcurrency
internal import HalcyonRaster
public import HalcyonStore

/// Images in memory, and their encoded bytes on disk.
///
/// The disk is an optional help: where it cannot be used, images are loaded from further away, and each kind of
/// failure is reported once.
public final class ImageCache: Sendable {
    let memory: MemoryCache<ImageKey, CachedImage>
    let disk: DiskStage

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
    ///   - onFault: Told of failures of the disk, each once; they never fail a load. Default: nobody is told.
    public init(
        disk: DiskCache.Configuration,
        memoryCostLimit: Int = SystemMemory().defaultCostLimit,
        onFault: (@Sendable (ImageError) -> Void)? = nil
    ) {
        memory = MemoryCache(costLimit: memoryCostLimit, clock: disk.clock, weakReference: { $0.weakReference })
        self.disk = DiskStage(configuration: disk, onFault: onFault)
    }

    /// Forgets the images in memory. Those that something still shows are found again while it does.
    public func removeAllFromMemory() {
        memory.removeAll()
    }

    /// Removes everything from memory and disk.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``.
    public func removeAll() async throws {
        memory.removeAll()
        try await disk.perform { try $0.removeAll() }
    }

    /// Removes the original of a source from disk, and what memory has of it with these options.
    ///
    /// - Returns: Whether the disk had it.
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``.
    @discardableResult
    public func remove(_ source: Source, options: ImageOptions = ImageOptions()) async throws -> Bool {
        guard let original = source.originalKey else { return false }
        let variant = ImageKey.Variant.of(decode: options.decode, processing: options.processing)
        let key = ImageKey(original: original, variant: variant)
        memory.remove(key)
        let diskKeys = OriginalStorage.diskKeys(key.originalDiskKey) + [key.processedDiskKey]
        return try await disk.perform { disk in
            try diskKeys.map { try disk.remove($0) }.contains(true)
        }
    }

    /// Waits until everything that was stored is on disk.
    public func flush() async {
        await disk.flush()
    }
}
