internal import FoundationEssentials
public import HalcyonCodecs
internal import HalcyonConcurrency
internal import HalcyonHTTP
internal import HalcyonRaster
internal import HalcyonStore

extension ImageCache {
    /// An image that a cache had, and where.
    public struct RetrievedImage: Sendable {
        /// The image.
        public let image: DecodedImage
        /// ``CachedType/memory`` or ``CachedType/disk``.
        public let type: CachedType
    }

    /// The image that memory has of a source with these options; `nil` if it has none. Never touches the disk, and does not
    /// ask whether its server would want to be asked again.
    ///
    /// - Parameters:
    ///   - source: Names the original.
    ///   - options: Processors, frame, key rule and ``CachePolicy/memoryExtension``. Default: the defaults.
    public func imageInMemory(_ source: Source, options: ImageOptions = ImageOptions()) -> DecodedImage? {
        guard let key = ImageKey(source, options: options) else { return nil }
        return memory.entry(for: key, extending: options.cache.memoryExtension)?.image
    }

    /// The image that this cache has of a source with these options, from memory or else from disk, from where it gets
    /// its place in memory again; `nil` if it has none.
    ///
    /// This is the cache alone: it loads nothing, runs no processor, and takes what it has whatever its server says about
    /// its use. A pipeline with ``ImageOption/onlyFromCache`` does all that. An entry that turns out to be no image is
    /// removed.
    ///
    /// - Parameters:
    ///   - source: Names the original.
    ///   - options: Processors, frame and key rule name the image; ``CachePolicy/reads`` says where it is looked for.
    ///     Default: the defaults.
    ///   - codecs: Decodes. Default: ``ImageCodecs/standard``.
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/decode`` if what is on disk goes beyond the limits of
    ///   ``ImageOptions/decode``; `CancellationError`.
    public func image(
        _ source: Source,
        options: ImageOptions = ImageOptions(),
        codecs: ImageCodecs = .standard
    ) async throws -> RetrievedImage? {
        let policy = options.cache
        guard policy.reads != .none, let key = ImageKey(source, options: options)
        else { return nil }
        if let cached = memory.entry(for: key, extending: policy.memoryExtension) {
            return RetrievedImage(image: cached.image, type: .memory)
        }
        guard policy.reads == .all else { return nil }
        let isOriginal = options.processing.isIdentity
        let permits = StorePermits(for: key, in: [self])
        let diskKey = key.diskKey(options)
        let priority = PriorityBox(options.priority)
        try await disk.settle(diskKey, priority: priority)
        let age = order.age(of: isOriginal ? .original : .image(key), named: key.originalDiskKey)
        let claim = StoreClaim(load: permits, age: age)
        let entry = try await disk.entry(for: diskKey, extending: policy.diskExtension, priority: priority)
        do {
            let cached =
                isOriginal
                ? try await decodedOriginal(key, entry, options: options, codecs: codecs)
                : try await decodedResult(entry, options: options, codecs: codecs)
            guard let cached else { return nil }
            // What its server wants to be asked about goes to no one who does not know that.
            if policy.storesInMemory, cached.validity?.isOver(at: disk.now(), .server) != true {
                let original = isOriginal ? StoreOrder.Item.original : nil
                remember(cached, for: key, original: original, claim, expiration: policy.memoryExpiration)
            }
            return RetrievedImage(image: cached.image, type: .disk)
        } catch let error as CodecError {
            let error = ImageError(stage: .decode, reason: .codec(error), source: "\(source)")
            guard error.isDamage else { throw error }
            if let entry { await disk.remove(for: diskKey, ifStill: entry.version) }
            return nil
        }
    }

    /// An original from disk, or from what came with the program.
    private func decodedOriginal(
        _ key: ImageKey,
        _ entry: DiskCache.Entry?,
        options: ImageOptions,
        codecs: ImageCodecs
    ) async throws -> CachedImage? {
        let priority = PriorityBox(options.priority)
        var data = entry?.body
        if data == nil { data = try await bundledOriginal(key, priority: priority) }
        guard let data else { return nil }
        let head = entry.flatMap { StoredResponse(metadata: $0.metadata) }
        let validity = head.map(OriginalValidity.init)
        let decode = options.decode.decodeOptions
        let image = try await PixelWorkers.shared.decode(data, codecs: codecs, options: decode, priority: priority)
        return CachedImage(image: image, byteCount: data.count, validity: validity, receivedAt: entry?.storedAt)
    }

    /// The result of processors from disk.
    private func decodedResult(
        _ entry: DiskCache.Entry?,
        options: ImageOptions,
        codecs: ImageCodecs
    ) async throws -> CachedImage? {
        guard let entry, let metadata = ProcessedImageMetadata(entry.metadata) else { return nil }
        let decode = options.decode.storedResultOptions
        let decoded = try await PixelWorkers.shared.decode(
            entry.body,
            codecs: codecs,
            options: decode,
            priority: PriorityBox(options.priority)
        )
        return CachedImage(
            image: metadata.image(decoded.bitmap),
            byteCount: metadata.byteCount,
            validity: metadata.validity,
            receivedAt: entry.storedAt
        )
    }
}
