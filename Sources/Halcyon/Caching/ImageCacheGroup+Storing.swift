public import FoundationEssentials
public import HalcyonCodecs

extension ImageCacheGroup {
    /// Stores the encoded bytes of an original in the caches of ``storing``, in place of what any cache has of it. See
    /// ``ImageCache/store(_:for:)``.
    ///
    /// - Returns: `true` if all of these caches have it on disk.
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``.
    @discardableResult
    public func store(_ data: Data, for request: ImageRequest) async throws -> Bool {
        // Nothing is stored, and so nothing replaced, of the bytes of a thumbnail.
        guard request.source.isWhole, let key = ImageKey(request) else { return false }
        return try await replacing(key) { cache in
            try await cache.store(data, for: request)
        } elsewhere: { cache, _ in
            _ = try await cache.remove(key, from: .all)
        }
    }

    /// Stores an image in the caches of ``storing``, in place of the one that any cache has. See
    /// ``ImageCache/store(_:original:for:codecs:)``.
    ///
    /// - Returns: `true` if all of these caches have it on disk.
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/encode`` or ``ImageError/Stage/store``.
    @discardableResult
    public func store(
        _ image: DecodedImage,
        original: Data? = nil,
        for request: ImageRequest,
        codecs: ImageCodecs = .standard
    ) async throws -> Bool {
        guard let key = ImageKey(request) else { return false }
        return try await replacing(key) { cache in
            try await cache.store(image, original: original, for: request, codecs: codecs)
        } elsewhere: { cache, isStored in
            await cache.removeImage(of: request, key, withOriginal: isStored)
        }
    }

    /// Runs a store in each of the caches of ``storing``, and a removal in the others.
    ///
    /// Loads that found something older in one cache store nothing in another until all of this has been done.
    private func replacing(
        _ key: ImageKey,
        store: (ImageCache) async throws -> Bool,
        elsewhere remove: (ImageCache, _ isStored: Bool) async throws -> Void
    ) async throws -> Bool {
        let changes = ContentOrder.begin(.name(key.originalDiskKey), from: [], in: caches)
        defer { ContentOrder.end(changes) }
        var isStored = true
        var failure: (any Error)?
        for cache in stored {
            do { isStored = try await store(cache) && isStored } catch { failure = failure ?? error }
        }
        // A failure in one cache leaves nothing older in the others.
        for cache in unstored {
            do { try await remove(cache, isStored || failure != nil) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
        return isStored
    }
}

extension ImageCache {
    /// Removes the image of a request in favor of one that is stored elsewhere: from memory, from disk where it is the
    /// result of processors, and its encoded forms.
    ///
    /// - Parameter withOriginal: A Boolean value that indicates whether an unprocessed image is removed from disk as
    ///   well: elsewhere, the disk has one.
    fileprivate func removeImage(of request: ImageRequest, _ key: ImageKey, withOriginal: Bool) async {
        let claim = ContentClaim(registrations: ContentRegistrations(for: key, with: [self], .replacement))
        let isOriginal = request.isUnprocessed
        order.replace(claim, resultOf: isOriginal && withOriginal ? nil : key)
        forget(key, claim)
        await removeResult(of: key, isOriginal: isOriginal, claim)
        guard isOriginal, withOriginal else { return }
        for diskKey in OriginalStorage.diskKeys(key.originalDiskKey) {
            await disk.remove(for: diskKey, if: admission(of: claim, key))
        }
    }
}
