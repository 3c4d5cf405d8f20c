public import FoundationEssentials
public import HalcyonCodecs
internal import HalcyonConcurrency
internal import HalcyonStore

extension ImageCache {
    /// Returns the parts of the cache that have the image of a request, without extending its life.
    public func tiers(with request: ImageRequest) async -> Tiers {
        guard let key = try? await key(for: request) else { return [] }
        var tiers: Tiers = memory.contains(key) ? .memory : []
        if (try? await disk.contains(key.diskKey(request))) == true { tiers.insert(.disk) }
        return tiers
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
        guard request.source.isWhole, let key = ImageKey(request) else { return false }
        let original = key.originalDiskKey
        let claim = ContentClaim(
            registrations: ContentRegistrations(for: key, with: [self], .replacement),
            digest: ContentDigest(of: data)
        )
        order.replace(claim, resultOf: nil)
        let held = disk.hold(original)
        defer { held.end() }
        memory.removeAll { $0.hasOriginal(of: key) }
        let expiration = request.options.cache.diskExpiration
        let durability = request.options.cache.diskDurability ?? .normal
        let admission = self.admission(of: claim, key)
        defer { if durability == .none { disk.flushSoon() } }
        // Also in a task that was cancelled: what is older has gone from memory already, and must not be left on disk.
        return try await disk.remove { disk in
            try disk.replace(original, if: admission) { original in
                try disk.removeEntries(prefix: original + "\0")
                return try disk.store(data, for: original, expiration: expiration, durability: durability)
            }
        }
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
        guard let key = ImageKey(request) else { return false }
        let options = request.options
        // Nobody who refuses damage is given a part.
        guard !image.isPartial || options.decode.damage == .showsWhatIsThere else { return false }
        let policy = options.cache
        let isOriginal = request.isUnprocessed
        let original = original ?? image.animation?.data
        // One frame must not take the place of the others.
        let keepsOriginalOnly = policy.keepsOriginalOnly || image.animation != nil
        let serializer = policy.serializer
        let storesOriginal =
            policy.storesOnDisk && (isOriginal || policy.keepsOriginal || keepsOriginalOnly)
            && request.source.isWhole && original != nil
        // No other process would find the result of codecs without a name, but another image under its name.
        let isStorable =
            isOriginal
            ? image.info.frameCount <= 1 && options.decode.showsOriginal && serializer is ImageSerializer
            : !keepsOriginalOnly && options.decode.isNamed
        let replacesOriginal =
            storesOriginal || isOriginal && isStorable && policy.storesOnDisk && !image.isPartial
        let claim = ContentClaim(
            registrations: ContentRegistrations(for: key, with: [self], .replacement),
            digest: storesOriginal ? original.map { ContentDigest(of: $0) } : nil
        )
        order.replace(claim, resultOf: replacesOriginal ? nil : key)
        let held = disk.hold(key.diskKey(request))
        defer { held.end() }
        if replacesOriginal {
            forgetOutdated(claim, for: key)
            removeOutdated(claim, after: [held.task])
        }
        if policy.storesInMemory {
            let now = disk.now()
            let isFollowed = policy.freshness != .ignoringServer
            let validity = request.validityWithoutHead(storedAt: now)
            let cached = CachedImage(
                image: image,
                byteCount: original?.count ?? 0,
                validity: validity,
                receivedAt: now,
                dropsSilence: isFollowed,
                digest: claim.digest
            )
            remember(
                cached,
                for: key,
                claim,
                expiration: policy.memoryExpiration,
                latest: isFollowed ? validity?.silentEnd : nil,
                sizes: ImageSizes(of: request)
            )
        }
        // Work in progress on encoded forms of an older image stores them no more, as this one has a later place in
        // the order.
        if mayHaveEncodedForms.load(ordering: .acquiring) { memory.removeAll { $0.isEncodedForm(of: key) } }
        guard policy.storesOnDisk else {
            await removeResult(of: key, isOriginal: isOriginal, claim)
            return false
        }
        let durability = policy.diskDurability ?? .normal
        defer { if durability == .none { disk.flushSoon() } }
        if let original, storesOriginal {
            let diskKey = key.originalDiskKey
            let admission = self.admission(of: claim, key)
            let isStored = try await replace(diskKey, admission) { [self] disk in
                if isOriginal || keepsOriginalOnly { try removeEncodedForms(of: key, claim, from: disk) }
                return try disk.store(original, for: diskKey, expiration: policy.diskExpiration, durability: durability)
            }
            if isOriginal || keepsOriginalOnly {
                if image.animation != nil, !isOriginal { await removeResult(of: key, isOriginal: false, claim) }
                return isStored
            }
        }
        // Of a partial image only the original is kept.
        if image.isPartial {
            await removeResult(of: key, isOriginal: isOriginal, claim)
            return false
        }
        guard isStorable else {
            await removeEncodedForms(of: key, claim)
            return false
        }
        // No metadata is stored beside an original that could describe the meaning of its samples.
        // What is encoded later is encoded from this image, also if it is stored here with losses.
        let metadata =
            isOriginal
            ? Data()
            : ProcessedImageMetadata(
                image,
                byteCount: original?.count ?? 0,
                digest: claim.digest,
                serializer: serializer,
                isExact: true
            ).data
        let diskKey = key.diskKey(request)
        let admission = self.admission(of: claim, key)
        let body: Data?
        do {
            body = try await (options.workers ?? .shared).encode(
                image,
                original: original,
                codecs: options.codecs(or: codecs),
                serializer: serializer,
                color: isOriginal ? .sRGB : .asStored,
                priority: PriorityBox(options.priority)
            )
        } catch {
            // The entry that it was to replace is older.
            await disk.remove(for: diskKey, if: admission)
            await removeEncodedForms(of: key, claim)
            let reason: ImageError.Reason
            switch error {
            case let error as CodecError: reason = .codec(error)
            case let error as SerializationError: reason = .serialization(error.reason)
            default: throw error
            }
            throw ImageError(stage: .encode, reason: reason, source: "\(request)")
        }
        guard let body else {
            await disk.remove(for: diskKey, if: admission)
            await removeEncodedForms(of: key, claim)
            return false
        }
        if isOriginal {
            var stored = claim
            stored.digest = ContentDigest(of: body)
            order.replace(stored, resultOf: nil)
        }
        return try await replace(diskKey, admission) { [self] disk in
            try removeEncodedForms(of: key, claim, from: disk)
            return try disk.store(
                body,
                for: diskKey,
                metadata: metadata,
                expiration: policy.diskExpiration,
                durability: durability
            )
        }
    }

    /// Removes from disk the result of processors that a store replaces where it stores nothing there, and all encoded
    /// forms. The original stays.
    func removeResult(of key: ImageKey, isOriginal: Bool, _ claim: ContentClaim) async {
        if !isOriginal { await disk.remove(for: key.processedDiskKey, if: admission(of: claim, key)) }
        await removeEncodedForms(of: key, claim)
    }

    /// Removes the encoded forms of an image that a store replaces, where nothing of the new image is stored on disk.
    private func removeEncodedForms(of key: ImageKey, _ claim: ContentClaim) async {
        await disk.write(priority: .normal) { [self] in
            do {
                try removeEncodedForms(of: key, claim, from: disk.cache)
            } catch {
                disk.faults.report(error)
            }
        }
    }

    /// Removes the encoded forms of an image that a store replaces, on the thread that changes the disk.
    private func removeEncodedForms(of key: ImageKey, _ claim: ContentClaim, from disk: DiskCache) throws {
        guard order.admits(claim, key, in: .disk) else { return }
        try disk.removeEntries(prefix: key.encodedDiskKeyPrefix)
        // Look-ups since the store began may have found them on disk.
        if mayHaveEncodedForms.load(ordering: .acquiring) { memory.removeAll { $0.isEncodedForm(of: key) } }
    }

    /// Stores what replaces an entry, if that is admitted. If it fails or is cancelled, the entry is removed, as it is older
    /// than what memory has.
    private func replace(
        _ diskKey: String,
        _ admission: @escaping StoreAdmission,
        _ store: @escaping @Sendable (DiskCache) throws -> Bool
    ) async throws -> Bool {
        do {
            return try await disk.change(storing: diskKey) { disk in
                try disk.replace(diskKey, if: admission) { _ in try store(disk) }
            }
        } catch let error as CancellationError {
            // The store was cancelled before it began.
            await disk.remove(for: diskKey, if: admission)
            throw error
        }
    }

    /// Returns the encoded bytes on disk of the image of a request; `nil` if there are none.
    public func storedData(for request: ImageRequest) async -> Data? {
        guard let key = ImageKey(request) else { return nil }
        let options = request.options
        let priority = PriorityBox(options.priority)
        let diskKey = key.diskKey(request)
        let entry = try? await disk.entry(for: diskKey, extending: options.cache.diskExtension, priority: priority)
        guard let entry else { return nil }
        let content = StoredContent(entry, isOriginal: request.isUnprocessed)
        let name = key.originalDiskKey
        return order.isCurrent(content.digest, of: content.representation, named: name) ? entry.body : nil
    }

    /// Returns the path of the file with the encoded bytes on disk; `nil` if there is none, or if they are so few that
    /// they have no file of their own. The file must not be changed, and may be removed at any time.
    ///
    /// With a ``CachePolicy/fileExtension`` the path ends with it, and bytes without a file of their own get one, so
    /// that the result is `nil` only if there is no entry. The path is a symbolic link to the file, made by this
    /// function.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``.
    public func fileLocation(for request: ImageRequest) async throws -> String? {
        guard let key = ImageKey(request)?.diskKey(request) else { return nil }
        guard let fileExtension = request.options.cache.fileExtension else {
            return try await disk.perform { try $0.fileLocation(for: key) }
        }
        // After the changes before it: it may give the bytes a file.
        try? await disk.settle(key, priority: PriorityBox(request.options.priority))
        return try await disk.change { try $0.fileLocation(for: key, fileExtension: fileExtension) }
    }
}

extension ImageKey {
    /// Returns the name of this image on disk, with the request that it was derived from: the result of processors has
    /// a place of its own; any frame at its own size is in the original.
    func diskKey(_ request: ImageRequest) -> String {
        request.isUnprocessed ? originalDiskKey : processedDiskKey
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
