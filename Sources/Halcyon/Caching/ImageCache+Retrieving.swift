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
    /// whether its server requires to be asked again.
    ///
    /// - Parameter request: The source, and the options that name the image, as for ``entry(for:codecs:)``. A file
    ///   without a cache key is not found, as its state is not read. ``CachePolicy/memoryExtension`` determines the
    ///   effect of the access on its expiration.
    public func entryInMemory(for request: ImageRequest) -> Entry? {
        guard let key = ImageKey(request) else { return nil }
        let extending = request.options.cache.memoryExtension
        let image = imageInMemory(for: key, ImageSizes(of: request), extending: extending)?.image
        return image.map { request.entry($0, in: .memory) }
    }

    /// Returns the image that this cache has for a request, from memory or else from disk, from where it is stored in memory
    /// again; `nil` if it has none.
    ///
    /// Only the cache is asked: it loads nothing, runs no processor, and returns an image whatever its server says
    /// about its use. A pipeline with ``ImageOption/onlyFromCache`` does all that. An entry that turns out to be no
    /// image is removed.
    ///
    /// - Parameters:
    ///   - request: The source, and the options that name the image: processors, ``ImageOptions/decode``, key rule, scope,
    ///     credentials and data modifier; ``CachePolicy/reads`` names the parts that are read.
    ///   - codecs: Decodes, unless the options name codecs. Default: ``ImageCodecs/standard``.
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/decode`` if the entry on disk exceeds the limits of
    ///   ``ImageOptions/decode``; `CancellationError`.
    public func entry(for request: ImageRequest, codecs: ImageCodecs = .standard) async throws -> Entry? {
        let policy = request.options.cache
        guard policy.reads != .none, let key = try await key(for: request) else { return nil }
        if policy.reads.includesMemory,
            let image = imageInMemory(for: key, ImageSizes(of: request), extending: policy.memoryExtension)?.image
        {
            return request.entry(image, in: .memory)
        }
        guard policy.reads.includesDisk else { return nil }
        // Before the look: what is removed meanwhile is not stored again.
        let registrations = ContentRegistrations(for: key, with: [self])
        return try await first(for: request, key) { entry, content, place in
            let claim = ContentClaim(
                registrations: registrations,
                digest: content.digest,
                representation: content.representation
            )
            return try await decodedEntry(entry, at: place, for: request, key, codecs: codecs, claim)
        }
    }

    /// Returns what is made of the first entry of a request's image that is not outdated; see
    /// ``CacheTiers/first(for:extending:priority:_:)``.
    func first<Value: Sendable>(
        for request: ImageRequest,
        _ key: ImageKey,
        _ use: (TierEntry, StoredContent, CacheTiers.Place) async throws -> Value?
    ) async throws -> Value? {
        let (options, name) = (request.options, key.originalDiskKey)
        return try await tiers.first(
            for: key.diskKey(request),
            extending: options.cache.diskExtension,
            priority: PriorityBox(options.priority)
        ) { entry, place in
            let content = StoredContent(entry, isOriginal: request.isUnprocessed)
            guard isCurrent(content.digest, of: content.representation, named: name, in: place.tier) else { return nil }
            return try await use(entry, content, place)
        }
    }

    /// Returns the image of an entry that was found, and stores it in memory.
    ///
    /// - Parameter claim: That of the look-up.
    private func decodedEntry(
        _ entry: TierEntry,
        at place: CacheTiers.Place,
        for request: ImageRequest,
        _ key: ImageKey,
        codecs: ImageCodecs,
        _ claim: ContentClaim
    ) async throws -> Entry? {
        let options = request.options
        let policy = options.cache
        let isOriginal = request.isUnprocessed
        do {
            let found =
                isOriginal
                ? try await decodedOriginal(entry, request, codecs: codecs)
                : try await decodedResult(entry, request, codecs: codecs)
            guard let (cached, validity) = found, let image = cached.image else { return nil }
            // An image about which its server must be asked is not stored where it would be used without asking.
            if policy.storesInMemory, validity?.isOver(at: disk.now(), .server) != true {
                remember(
                    cached,
                    for: key,
                    claim,
                    expiration: policy.memoryExpiration,
                    latest: policy.freshness == .ignoringServer ? nil : validity?.silentEnd,
                    sizes: ImageSizes(of: request)
                )
            }
            return request.entry(image, in: .disk)
        } catch let error as CodecError {
            let error = ImageError(stage: .decode, reason: .codec(error), source: "\(request)")
            guard error.isDamage else { throw error }
            // Damage in a later frame leaves the frames before it readable, and codecs of the request's own may be the
            // only ones that cannot read it.
            if !isOriginal || options.decode.frame == 0 && options.decode.hasStandardReading {
                await tiers.remove(place)
            }
            return nil
        } catch let error as SerializationError {
            disk.faults.report(error)
            await tiers.remove(place)
            return nil
        }
    }

    /// Returns an original, decoded.
    private func decodedOriginal(
        _ entry: TierEntry,
        _ request: ImageRequest,
        codecs: ImageCodecs
    ) async throws -> (CachedImage, OriginalValidity?) {
        let options = request.options
        let priority = PriorityBox(options.priority)
        let validity =
            StoredResponse(metadata: entry.metadata).map(OriginalValidity.init)
            ?? request.validityWithoutHead(storedAt: entry.storedAt ?? disk.now())
        let decode = options.decode.decodeOptions
        let workers = options.workers ?? .shared
        let codecs = options.codecs(or: codecs)
        var image = try await workers.decode(entry.body, codecs: codecs, options: decode, priority: priority)
        image = try await workers.animated(
            image,
            lease: nil,
            of: entry.body,
            options: options,
            codecs: codecs,
            priority: priority
        )
        let cached = CachedImage(
            image: image,
            byteCount: entry.body.count,
            validity: validity,
            receivedAt: entry.storedAt,
            dropsSilence: options.cache.freshness != .ignoringServer,
            digest: entry.originalDigest
        )
        return (cached, validity)
    }

    /// Returns the result of processors, decoded, from disk.
    private func decodedResult(
        _ entry: TierEntry,
        _ request: ImageRequest,
        codecs: ImageCodecs
    ) async throws -> (CachedImage, OriginalValidity?)? {
        let options = request.options
        guard let metadata = ProcessedImageMetadata(entry.metadata) else { return nil }
        let decode = options.decode.storedResultOptions
        let decoded = try await (options.workers ?? .shared).decode(
            entry.body,
            of: options.cache.serializer,
            size: metadata.size,
            codecs: options.codecs(or: codecs),
            options: decode,
            priority: PriorityBox(options.priority)
        )
        let validity = metadata.validity ?? request.validityWithoutHead(storedAt: entry.storedAt ?? disk.now())
        let cached = CachedImage(
            image: metadata.image(decoded.bitmap),
            byteCount: metadata.byteCount,
            validity: validity,
            receivedAt: entry.storedAt,
            dropsSilence: options.cache.freshness != .ignoringServer,
            isExact: metadata.isExact ?? false,
            digest: metadata.contentDigest
        )
        return (cached, validity)
    }
}

extension ImageRequest {
    /// Returns an image that a cache has, at the scale of the options.
    func entry(_ image: DecodedImage, in tier: ImageCache.Tiers) -> ImageCache.Entry {
        var image = image
        image.scale = options.delivery.scale
        return ImageCache.Entry(image: image, tier: tier)
    }

    /// Returns the validity of an image that was stored without the head of its response: that of one received at that
    /// time from a server that said nothing about it. `nil` for a source without a server that decides.
    func validityWithoutHead(storedAt: Date) -> OriginalValidity? {
        guard let transfer = source.transfer(options, over: NetworkPolicy()), transfer.method == .get,
            transfer.body == nil
        else { return nil }
        return OriginalValidity(StoredResponse(url: transfer.url.withoutUser, responseTime: storedAt))
    }
}
