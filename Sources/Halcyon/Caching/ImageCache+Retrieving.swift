internal import FoundationEssentials
public import HalcyonCodecs
internal import HalcyonConcurrency
internal import HalcyonHTTP
internal import HalcyonRaster
internal import HalcyonStore

extension ImageCache {
    /// An image that a cache has.
    public struct Entry: Sendable {
        /// The image.
        public let image: DecodedImage
        /// The part of the cache that it was found in: ``Tiers/memory`` or ``Tiers/disk``.
        public let tier: Tiers
    }

    /// Returns the image that memory has for a request; `nil` if it has none. Never reads the disk, and does not check
    /// whether its server would want to be asked again.
    ///
    /// - Parameter request: The source, and the options that name the image: processors, frame and key rule.
    ///   ``CachePolicy/memoryExtension`` says what the access does to its expiry.
    public func entryInMemory(for request: ImageRequest) -> Entry? {
        guard let key = ImageKey(request) else { return nil }
        let extending = request.options.cache.memoryExtension
        return memory.entry(for: key, extending: extending).map { Entry(image: $0.image, tier: .memory) }
    }

    /// Returns the image that this cache has for a request, from memory or else from disk, from where it is stored in memory
    /// again; `nil` if it has none.
    ///
    /// Only the cache is asked: it loads nothing, runs no processor, and returns what it has whatever its server says about
    /// its use. A pipeline with ``ImageOption/onlyFromCache`` does all that. An entry that turns out to be no image is
    /// removed.
    ///
    /// - Parameters:
    ///   - request: The source, and the options that name the image: processors, frame and key rule;
    ///     ``CachePolicy/reads`` names the parts that are read.
    ///   - codecs: Decodes. Default: ``ImageCodecs/standard``.
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/decode`` if what is on disk goes beyond the limits of
    ///   ``ImageOptions/decode``; `CancellationError`.
    public func entry(for request: ImageRequest, codecs: ImageCodecs = .standard) async throws -> Entry? {
        let options = request.options
        let policy = options.cache
        guard policy.reads != .none, let key = ImageKey(request)
        else { return nil }
        if let cached = memory.entry(for: key, extending: policy.memoryExtension) {
            return Entry(image: cached.image, tier: .memory)
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
            // An image that its server wants to be asked about is not stored where it would be used unasked.
            if policy.storesInMemory, cached.validity?.isOver(at: disk.now(), .server) != true {
                let original = isOriginal ? StoreOrder.Place.original : nil
                remember(cached, for: key, original: original, claim, expiration: policy.memoryExpiration)
            }
            return Entry(image: cached.image, tier: .disk)
        } catch let error as CodecError {
            let error = ImageError(stage: .decode, reason: .codec(error), source: "\(request)")
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
