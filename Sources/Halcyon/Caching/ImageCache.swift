public import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonConcurrency
internal import HalcyonRaster
public import HalcyonStore

/// Images in memory, and their encoded bytes on disk.
///
/// The disk is an optional help: where it cannot be used, images are loaded from further away, and each kind of
/// failure is reported once to ``init(name:directory:memoryCostLimit:diskSizeLimit:onFault:)``'s `onFault`.
public final class ImageCache: Sendable {
    /// The cache's name, which is also that of its folder.
    public let name: String
    let memory: MemoryCache<ImageKey, CachedImage>
    let disk: DiskStage

    /// A cache with a folder of its own.
    ///
    /// - Parameters:
    ///   - name: Letters, digits, ".", "-" and "_"; other characters are replaced. Default: "default".
    ///   - directory: The folder; default `$XDG_CACHE_HOME/halcyon/NAME`, or `~/.cache/halcyon/NAME`.
    ///   - memoryCostLimit: Bytes of pixels in memory; default a quarter of the memory this process may use.
    ///   - diskSizeLimit: Bytes on disk; default as ``DiskCache`` says.
    ///   - onFault: Told of failures of the disk, which never fail a load. Default: nobody is told.
    public init(
        name: String = "default",
        directory: String? = nil,
        memoryCostLimit: Int? = nil,
        diskSizeLimit: Int? = nil,
        onFault: (@Sendable (ImageError) -> Void)? = nil
    ) {
        self.name = name
        memory = MemoryCache(
            costLimit: memoryCostLimit ?? SystemMemory().defaultCostLimit,
            weakReference: { $0.weakReference }
        )
        disk = DiskStage(name: name, directory: directory, sizeLimit: diskSizeLimit, onFault: onFault)
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
        let variant = ImageKey.Variant(decode: options.decode, processing: options.processing)
        let key = ImageKey(original: original, variant: variant)
        memory.remove(key)
        let diskKeys = [key.originalDiskKey, key.processedDiskKey]
        return try await disk.perform { disk in
            try diskKeys.map { try disk.remove($0) }.contains(true)
        }
    }

    /// Waits until everything that was stored is on disk.
    public func flush() async {
        await disk.flush()
    }
}
