public import FoundationEssentials
public import HalcyonCodecs
internal import HalcyonStore
internal import HalcyonSystem

extension ImageCache {
    /// Returns the parts of the cache that have the image of a request, without extending its life.
    public func tiers(with request: ImageRequest) async -> Tiers {
        let request = request.completed()
        guard let key = try? await key(for: request) else { return [] }
        var parts: Tiers = memory.contains(key) ? .memory : []
        if (try? await isOnDisk(key.diskKey(request))) == true { parts.insert(.disk) }
        return parts
    }

    /// Returns whether the disk has an entry for a key that is not known to be outdated, nor being removed. Changes nothing.
    func isOnDisk(_ key: CacheKey) async throws -> Bool {
        // As long as it is registered, the order knows of removals of the name.
        let registration = order.register(key.name)
        try await tiers.settle(key, in: 0, priority: PriorityBox(.normal))
        let content = await tiers.content(key, in: 0)?.content
        try Task.checkCancellation()
        guard let content else { return false }
        return withExtendedLifetime(registration) {
            order.isCurrent(content.digest, of: content.representation, at: key)
        }
    }

    /// Returns whether memory has the image of a request, without extending its life. Never reads the disk, and so finds no
    /// file without a cache key.
    public func isInMemory(_ request: ImageRequest) -> Bool {
        ImageKey(request).map { memory.contains($0) } ?? false
    }

    /// Stores the encoded bytes of an original, in place of what the cache has of it: also of one that was never loaded
    /// or that will only exist later. Images of it that are being loaded or stored do not replace it. Cancelling the
    /// task has no effect.
    ///
    /// - Parameters:
    ///   - data: The encoded bytes, as a server would send them.
    ///   - request: The source, and options with a key rule and ``CachePolicy/diskExpiration``.
    /// - Returns: `true` if it was stored; it is on disk then. `false` if it has expired, if it was removed or replaced
    ///   before this call could end, or if the source is the thumbnail of a file: no original is stored of that, and
    ///   its bytes would replace the whole image of the same ``Source/cacheKey``.
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``.
    @discardableResult
    public func store(_ data: Data, for request: ImageRequest) async throws -> Bool {
        let request = request.completed()
        guard request.source.isWhole, let key = ImageKey(request) else { return false }
        let original = key.originalDiskKey
        let digest = ContentDigest(of: data)
        let claim = ContentClaim(
            registrations: ContentRegistrations(for: key, with: [self], .replacement),
            digest: digest
        )
        let held = tiers.hold(original)
        defer { held.end() }
        order.replace(claim, resultOf: nil)
        memory.removeAll { $0.hasOriginal(of: key) }
        return try await tiers.store(
            TierEntry(body: data, expiration: request.options.cache.diskExpiration, digest: digest.value),
            for: CacheKey(name: original),
            replacing: .name(original),
            durability: request.options.cache.diskDurability ?? .normal,
            if: admission(of: claim, key)
        )
    }

    /// Stores an image, in memory at once and then on disk, as a load with these options would. A load that has begun
    /// does not replace it.
    ///
    /// On disk, an unprocessed image is `original` where it is given, and a processed one is encoded. Without the
    /// original an unprocessed image is encoded as ``CachePolicy/serializer`` says, unless it is a frame of an
    /// animation, an embedded thumbnail, or scaled down: a part would then take the place of the whole, so only memory
    /// has it. The same holds with a serializer of the program, whose bytes no decoder may know.
    ///
    /// Where nothing is stored on disk, as without ``CachePolicy/storesOnDisk``, the processed image and the encoded
    /// forms that this one replaces are removed from there.
    ///
    /// An image with an animation is on disk as its original, also if it is processed: by default the bytes that its
    /// ``DecodedImage/animation`` has.
    ///
    /// - Parameters:
    ///   - image: The image for memory, and for the disk where it is the result of processing.
    ///   - request: The source, and options with processing, key rule, serializer and lifetimes.
    ///   - original: The bytes that the image was decoded from.
    ///   - codecs: Encodes, unless the options name codecs. Default: ``ImageCodecs/standard``.
    /// - Returns: `true` if it is on disk.
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/encode`` or ``ImageError/Stage/store``.
    @discardableResult
    public func store(
        _ image: DecodedImage,
        original: Data? = nil,
        for request: ImageRequest,
        codecs: ImageCodecs = .standard
    ) async throws -> Bool {
        let request = request.completed()
        guard let key = ImageKey(request) else { return false }
        // Nobody who refuses damage is given a part.
        guard !image.isPartial || request.options.decode.damage == .showsWhatIsThere else { return false }
        let forms = StoredForms(of: image, original: original, for: request)
        let policy = request.options.cache
        let claim = ContentClaim(
            registrations: ContentRegistrations(for: key, with: [self], .replacement),
            digest: forms.storesOriginal ? forms.original.map { ContentDigest(of: $0) } : nil
        )
        // First, so that a load which is called after the store waits for it.
        let held = tiers.hold(key.originalDiskKey)
        order.replace(claim, resultOf: forms.replacesOriginal ? nil : key)
        var outdated: Task<Void, Never>?
        if forms.replacesOriginal {
            forgetOutdated(claim, for: key)
            outdated = removeOutdated(claim, after: [held.task])
        }
        if policy.storesInMemory {
            let now = disk.now()
            let transfer = request.source.transfer(request.options, over: NetworkPolicy())
            remember(
                .image(image),
                byteCount: forms.original?.count ?? 0,
                transfer?.headWithoutStatements(receivedAt: now).map(OriginalValidity.init),
                receivedAt: now,
                for: key,
                claim,
                policy,
                sizes: ImageSizes(of: request)
            )
        } else {
            memory.remove(for: key) { _ in order.admits(claim, key, in: .memory) }
        }
        // Work in progress on encoded forms of an older image stores them no more, as this one has a later place in
        // the order.
        if mayHaveEncodedForms.load(ordering: .acquiring) { memory.removeAll { $0.isEncodedForm(of: key) } }
        let result: Result<Bool, any Error>
        do {
            result = .success(try await store(image, forms, for: request, key, claim, codecs: codecs))
        } catch {
            result = .failure(error)
        }
        held.end()
        // A listing that follows does not show what this store has replaced.
        await outdated?.value
        return try result.get()
    }

    /// The forms in which an image of the program is stored in the tiers.
    private struct StoredForms {
        /// `true` for an image without processing, whose place is that of the original.
        let isOriginal: Bool
        /// The bytes of the original; `nil` if they are not known.
        let original: Data?
        /// `true` if these are stored.
        let storesOriginal: Bool
        /// `true` if the original is stored in place of a result.
        let keepsOriginalOnly: Bool
        /// `true` if the image may be encoded and stored.
        let isEncodable: Bool
        /// `true` if everything that was made of another original is outdated.
        let replacesOriginal: Bool

        init(of image: DecodedImage, original: Data?, for request: ImageRequest) {
            let policy = request.options.cache
            self.original = original ?? image.animation?.data
            isOriginal = request.isUnprocessed
            // One frame must not take the place of the others.
            keepsOriginalOnly = policy.keepsOriginalOnly || image.animation != nil
            storesOriginal =
                policy.storesOnDisk && (isOriginal || policy.keepsOriginal || keepsOriginalOnly)
                && request.source.isWhole && self.original != nil
            // No other process would find the result of codecs without a name, but another image under its name.
            isEncodable =
                isOriginal
                ? image.info.frameCount <= 1 && request.options.decode.showsOriginal
                    && policy.serializer is ImageSerializer
                : !keepsOriginalOnly && request.options.decode.isNamed
            replacesOriginal =
                storesOriginal || isOriginal && isEncodable && policy.storesOnDisk && !image.isPartial
        }
    }

    /// Stores an image of the program in the tiers.
    private func store(
        _ image: DecodedImage,
        _ forms: StoredForms,
        for request: ImageRequest,
        _ key: ImageKey,
        _ claim: ContentClaim,
        codecs: ImageCodecs
    ) async throws -> Bool {
        let options = request.options
        let policy = options.cache
        let durability = policy.diskDurability ?? .normal
        let admission = self.admission(of: claim, key)
        let diskKey = key.diskKey(request)
        let encodedForms = TierScope.names(beginningWith: key.encodedDiskKeyPrefix)
        /// Removes what this image replaces where nothing of it is stored. The original stays.
        func removeReplaced(result: Bool) async {
            if result { await tiers.remove(.entry(diskKey), if: admission) }
            await tiers.remove(encodedForms, if: admission)
        }
        guard policy.storesOnDisk else {
            await removeReplaced(result: !forms.isOriginal)
            return false
        }
        if let original = forms.original, forms.storesOriginal {
            let isAll = forms.isOriginal || forms.keepsOriginalOnly
            let isStored = try await tiers.store(
                TierEntry(body: original, expiration: policy.diskExpiration, digest: claim.digest?.value),
                for: CacheKey(name: key.originalDiskKey),
                replacing: isAll ? encodedForms : nil,
                durability: durability,
                if: admission
            )
            if isAll {
                if image.animation != nil, !forms.isOriginal { await removeReplaced(result: true) }
                return isStored
            }
        }
        // Of a partial image only the original is kept.
        guard !image.isPartial, forms.isEncodable else {
            await removeReplaced(result: image.isPartial && !forms.isOriginal)
            return false
        }
        let serializer = policy.serializer
        let body: Data?
        do {
            body = try await (options.workers ?? .shared).encode(
                image,
                original: forms.original,
                codecs: options.codecs(or: codecs),
                serializer: serializer,
                color: forms.isOriginal ? .sRGB : .asStored,
                priority: PriorityBox(options.priority)
            )
        } catch {
            // The entry that it was to replace is older.
            await removeReplaced(result: true)
            let reason: ImageError.Reason
            switch error {
            case let error as CodecError: reason = .codec(error)
            case let error as SerializationError: reason = .serialization(error.reason)
            default: throw error
            }
            throw ImageError(stage: .encode, reason: reason, source: "\(request)")
        }
        guard let body else {
            await removeReplaced(result: true)
            return false
        }
        // No metadata is stored beside an original that could describe the meaning of its samples.
        var entry = TierEntry(body: body, expiration: policy.diskExpiration, digest: claim.digest?.value)
        if forms.isOriginal {
            var stored = claim
            stored.digest = ContentDigest(of: body)
            entry.digest = stored.digest?.value
            order.replace(stored, resultOf: nil)
        } else {
            // What is encoded later is encoded from this image, also if it is stored here with losses.
            entry.metadata =
                ProcessedImageMetadata(
                    image,
                    byteCount: forms.original?.count ?? 0,
                    digest: claim.digest,
                    serializer: serializer,
                    isExact: true
                ).data
        }
        return try await tiers.store(
            entry,
            for: diskKey,
            replacing: encodedForms,
            durability: durability,
            if: admission
        )
    }

    /// Returns the encoded bytes on disk of the image of a request; `nil` if there are none.
    public func storedData(for request: ImageRequest) async -> Data? {
        let request = request.completed()
        guard let key = ImageKey(request) else { return nil }
        return try? await tiers.first(
            for: key.diskKey(request),
            extending: request.options.cache.diskExtension,
            priority: PriorityBox(request.options.priority)
        ) { entry, place in
            let content = EntryContent(entry, at: place.key)
            return isCurrent(content.digest, of: content.representation, at: place) ? entry.body : nil
        }
    }

    /// Returns the path of the file with the encoded bytes on disk; `nil` if there is none, or if they are so few that
    /// they have no file of their own. The file must not be changed, and may be removed at any time.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``.
    public func fileLocation(for request: ImageRequest) async throws -> String? {
        let request = request.completed()
        guard let key = ImageKey(request)?.diskKey(request), try await isOnDisk(key) else { return nil }
        return try await disk.perform { try $0.fileLocation(for: key.text) }
    }
}

extension ImageKey {
    /// Returns the key of this image in the tiers, with the request that it was derived from: the result of processors has
    /// a place of its own; any frame at its own size is in the original.
    func diskKey(_ request: ImageRequest) -> CacheKey {
        CacheKey(text: request.isUnprocessed ? originalDiskKey : processedDiskKey)
    }
}

extension Source {
    /// A Boolean value that indicates whether its bytes are those of the whole image, which the disk may have under the
    /// name of the original. Those of a thumbnail have the same name if they have its cache key.
    var isWhole: Bool { if case .thumbnail = location { false } else { true } }
}

extension ImageRequest {
    /// A Boolean value that indicates whether neither the options nor the source have processors.
    var isUnprocessed: Bool { source.loadOptions(from: options).loadProcessing.isIdentity }
}
