public import FoundationEssentials
public import HalcyonCodecs
internal import HalcyonConcurrency
internal import Synchronization

extension ImageCacheGroup {
    /// Returns the image that the memory of the searched caches has for a request; `nil` if none has it. See
    /// ``ImageCache/entryInMemory(for:)``.
    public func entryInMemory(for request: ImageRequest) -> ImageCache.Entry? {
        guard let key = ImageKey(request) else { return nil }
        let policy = request.options.cache
        let sizes = ImageSizes(of: request)
        return imageInMemory(for: key, sizes, policy)?.image.map {
            request.entry($0, in: .memory)
        }
    }

    /// Returns the image that the searched caches have for a request, from the memory of one or else from a disk; `nil`
    /// if none has it. See ``ImageCache/entry(for:codecs:)``.
    ///
    /// An image from disk is stored in the memory of its cache again, and with ``promotes`` in those above it.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/decode``; `CancellationError`.
    public func entry(for request: ImageRequest, codecs: ImageCodecs = .standard) async throws -> ImageCache.Entry? {
        let policy = request.options.cache
        guard policy.reads != .none, let key = try await highest.key(for: request) else { return nil }
        if policy.reads.includesMemory,
            let image = imageInMemory(for: key, ImageSizes(of: request), policy)?.image
        {
            return request.entry(image, in: .memory)
        }
        guard policy.reads.includesDisk else { return nil }
        return try await entryOnDisk(for: request, key, codecs: codecs)
    }

    /// Returns the image that a disk of the searched caches has for a request, or else one that came with the program;
    /// `nil` if there is none. It is stored in memory.
    func entryOnDisk(
        for request: ImageRequest,
        _ key: ImageKey,
        codecs: ImageCodecs
    ) async throws -> ImageCache.Entry? {
        // Asked for before the first look: what is found in a lower cache must not replace what a higher one gets
        // meanwhile.
        let registrations = ContentRegistrations(for: key, with: searched)
        for cache in searched {
            let targets = promotionTargets(from: cache)
            let found = try await cache.entryOnDisk(
                for: request,
                key,
                codecs: codecs,
                registrations: registrations,
                promotingTo: targets
            )
            if let found { return found }
        }
        for cache in searched {
            let targets = promotionTargets(from: cache)
            let found = try await cache.bundledEntry(
                for: request,
                key,
                codecs: codecs,
                registrations: registrations,
                promotingTo: targets
            )
            if let found { return found }
        }
        return nil
    }

    /// Returns the first usable image that the memory of the searched caches has. One that is found in a lower cache is
    /// stored in those above it, if the group promotes.
    ///
    /// - Parameters:
    ///   - sizes: The sizes that may answer; `nil` for that of the key alone.
    ///   - isUsable: Returns whether an image answers; one that does not hides none in a lower cache. Default: every
    ///     image does.
    func imageInMemory(
        for key: ImageKey,
        _ sizes: ImageSizes?,
        _ policy: CachePolicy,
        isUsable: (CachedImage) -> Bool = { _ in true }
    ) -> CachedImage? {
        guard caches.count > 1, lookup == .all else {
            let cache = lookup == .lowest ? caches[caches.count - 1] : caches[0]
            let image = cache.imageInMemory(for: key, sizes, extending: policy.memoryExtension)
            return image.flatMap { isUsable($0) ? $0 : nil }
        }
        // Asked for before the look, so that an image that is removed meanwhile is not stored again.
        let registrations =
            promotes && policy.storesInMemory ? ContentRegistrations(for: key, with: caches) : nil
        for (index, cache) in caches.enumerated() {
            guard index > 0, let registrations else {
                if let image = cache.memory.entry(for: key, extending: policy.memoryExtension), isUsable(image) {
                    return image
                }
                continue
            }
            let found = cache.memory.entryAndLatest(for: key, extending: policy.memoryExtension)
            guard let (image, latest) = found, isUsable(image) else { continue }
            let claim = ContentClaim(
                registrations: registrations,
                digest: image.digest,
                representation: image.representation,
                isFromMemory: true
            )
            for higher in caches[..<index] {
                if image.image == nil { higher.mayHaveEncodedForms.store(true, ordering: .releasing) }
                higher.remember(
                    image,
                    for: key,
                    claim,
                    expiration: policy.memoryExpiration,
                    until: latest,
                    sizes: sizes
                )
            }
            return image
        }
        guard let sizes, sizes.isInexact else { return nil }
        // One that was made for another size is not stored under this one.
        for cache in caches {
            if let image = cache.largerImage(for: sizes, extending: policy.memoryExtension), isUsable(image) {
                return image
            }
        }
        return nil
    }

    /// Returns whether one of the caches has the image of a request, in memory or on disk, without extending its life.
    public func contains(_ request: ImageRequest) async -> Bool { await !tiers(with: request).isEmpty }

    /// Returns the parts of the caches that have the image of a request, without extending its life.
    public func tiers(with request: ImageRequest) async -> ImageCache.Tiers {
        var tiers: ImageCache.Tiers = []
        for cache in caches(containing) where tiers != .all { tiers.formUnion(await cache.tiers(with: request)) }
        return tiers
    }

    /// Returns whether the memory of one of the caches has the image of a request, without extending its life.
    public func isInMemory(_ request: ImageRequest) -> Bool {
        caches(containing).contains { $0.isInMemory(request) }
    }

    /// Returns the encoded bytes on disk of the image of a request, from the first searched cache that has some.
    public func storedData(for request: ImageRequest) async -> Data? {
        for cache in searched {
            if let data = await cache.storedData(for: request) { return data }
        }
        return nil
    }
}
