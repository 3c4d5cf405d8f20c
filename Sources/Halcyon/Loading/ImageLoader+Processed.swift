internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonConcurrency
internal import HalcyonStore

extension ImageLoader {
    /// The top stage: a processed image, from disk or made anew, and stored.
    func image(
        for request: LoadRequest,
        key: ImageKey,
        original: OriginalWorkKey,
        context: WorkContext
    ) async throws -> ImageResponse {
        // Someone else may have finished between the caller's look into memory and now.
        if let response = responseFromMemory(for: request) { return response }
        let policy = request.options.cache
        if original.readsDisk, !request.options.processing.isIdentity, request.source.isCachedOnDisk,
            !policy.revalidates,
            let (response, validity) = try await processedImageFromDisk(key, request: request, context: context)
        {
            remember(response, key: key, policy: policy, validity: validity)
            return response
        }
        var response: ImageResponse
        let decoded: DecodedOriginal
        do {
            (response, decoded) = try await processed(request, key: key, original: original, context: context)
        } catch let error as ImageError where original.readsDisk {
            guard let stale = try await staleImage(key, insteadOf: error, request: request, context: context)
            else { throw error }
            return stale
        }
        let caching = decoded.original.caching
        if caching.isStorable {
            remember(response, key: key, policy: policy, validity: caching.validity)
        } else {
            await forgetReplaced(key, original: original, request: request)
        }
        let stores = store(response, decoded: decoded, key: key, request: request)
        if policy.waitsForStore, !stores.isEmpty {
            let start = ContinuousClock.now
            for store in stores {
                await store.value
            }
            response.timings.store = ContinuousClock.now - start
        }
        return response
    }

    /// Decodes and runs the processors.
    private func processed(
        _ request: LoadRequest,
        key: ImageKey,
        original: OriginalWorkKey,
        context: WorkContext
    ) async throws -> (ImageResponse, DecodedOriginal) {
        let processing = request.options.processing
        let decoding = DecodedWorkKey(
            original: original,
            decode: request.options.decode,
            target: processing.decodeTarget
        )
        let result = try await processed(processing, of: decoding, request: request, key: key, context: context)
        let decoded = result.decoded
        var timings = decoded.original.timings
        timings.decode = decoded.decodeTime
        timings.process = processing.isIdentity ? nil : result.processTime
        let response = ImageResponse(
            image: result.image,
            origin: decoded.original.origin,
            byteCount: decoded.original.data.count,
            data: decoded.original.data,
            timings: timings,
            metrics: decoded.original.metrics
        )
        return (response, decoded)
    }

    /// The result of a chain of processors; each beginning of a chain is shared by all chains that begin so.
    private func processed(
        _ processing: ImageProcessing,
        of decoding: DecodedWorkKey,
        request: LoadRequest,
        key: ImageKey,
        context: WorkContext
    ) async throws -> ProcessedOriginal {
        guard let (rest, last) = processing.droppingLast else {
            let decoded = try await decodedOriginal(for: request, key: key, work: decoding, context: context)
            return ProcessedOriginal(image: decoded.image, decoded: decoded, processTime: .zero)
        }
        let work = ProcessedWorkKey(decoding: decoding, processing: processing)
        return try await processings.value(for: work, context: context) { [self] context in
            let input = try await processed(rest, of: decoding, request: request, key: key, context: context)
            let start = ContinuousClock.now
            do {
                let image = try await workers.run(priority: context.priority) { flag in
                    try last.process(input.image, isCancelled: { flag.isCancelled })
                }
                let time = input.processTime + (ContinuousClock.now - start)
                return ProcessedOriginal(image: image, decoded: input.decoded, processTime: time)
            } catch let error as CancellationError {
                throw error
            } catch {
                throw ImageError(stage: .process, reason: .processing("\(error)"), source: "\(request.source)")
            }
        }
    }

    /// A processed image that was stored before; `nil` if there is none, or none that can be decoded.
    ///
    /// - Parameter failure: Why its original cannot be had, which may make an image usable whose time is over.
    func processedImageFromDisk(
        _ key: ImageKey,
        request: LoadRequest,
        context: WorkContext,
        insteadOf failure: StaleUse? = nil
    ) async throws -> (ImageResponse, OriginalValidity?)? {
        let start = ContinuousClock.now
        let diskKey = key.processedDiskKey
        let cache = target(request.options.cache)
        let entry = try await cache.disk.entry(
            for: diskKey,
            extending: request.options.cache.diskExtension,
            priority: context.priority
        )
        guard let entry else { return nil }
        var timings = ImageTimings()
        timings.disk = ContinuousClock.now - start
        guard let metadata = ProcessedImageMetadata(entry.metadata) else {
            await cache.disk.remove(diskKey)
            return nil
        }
        let followsServer = request.options.cache.freshness != .ignoringServer
        // It stays for requests whose headers it is for.
        if followsServer, !metadata.matches(sentRequest(request.source, options: request.options)) { return nil }
        // The entry may live longer than its original is fresh.
        if followsServer, let validity = metadata.validity, validity.isOver(at: cache.disk.now()),
            failure.map({ !mayUse(validity, $0, for: request) }) ?? true
        {
            return nil
        }
        do {
            let decodeStart = ContinuousClock.now
            // The limits are for what others sent; this is what was made here, from an original within the limits.
            let decoded = try await decode(entry.body, options: DecodeOptions(), target: .full, context: context)
            timings.decode = ContinuousClock.now - decodeStart
            let response = ImageResponse(
                image: DecodedImage(bitmap: decoded.bitmap, info: metadata.info).replacingBitmap(decoded.bitmap),
                origin: .disk,
                byteCount: metadata.byteCount,
                timings: timings
            )
            return (response, metadata.validity)
        } catch is CodecError {
            await cache.disk.remove(diskKey)
            return nil
        }
    }

    /// Removes the image that one which must not be stored takes the place of. Where the disk was looked into for the
    /// original, that one has gone already.
    private func forgetReplaced(_ key: ImageKey, original: OriginalWorkKey, request: LoadRequest) async {
        let policy = request.options.cache
        let cache = target(policy)
        if policy.storesInMemory { cache.memory.remove(key) }
        guard policy.storesOnDisk, request.source.isCachedOnDisk else { return }
        if !original.readsDisk {
            for cache in originalCaches(request.options) {
                for diskKey in OriginalStorage.diskKeys(key.originalDiskKey) { await cache.disk.remove(diskKey) }
            }
        }
        await cache.disk.remove(key.processedDiskKey)
    }

    func remember(
        _ response: ImageResponse,
        key: ImageKey,
        policy: CachePolicy,
        validity: OriginalValidity?
    ) {
        guard policy.storesInMemory else { return }
        let cache = target(policy)
        // What must be asked for again has no place.
        if validity?.isOver(at: cache.disk.now()) ?? false {
            cache.memory.remove(key)
            return
        }
        let cached = CachedImage(image: response.image, byteCount: response.byteCount, validity: validity)
        cache.memory.insert(cached, for: key, cost: cached.cost, expiration: policy.memoryExpiration)
    }

    /// Begins to write what the options want on disk.
    private func store(
        _ response: ImageResponse,
        decoded: DecodedOriginal,
        key: ImageKey,
        request: LoadRequest
    ) -> [Task<Void, Never>] {
        let policy = request.options.cache
        let isIdentity = request.options.processing.isIdentity
        guard policy.storesOnDisk, request.source.isCachedOnDisk else { return [] }
        let cache = target(policy)
        let originals = originalCaches(request.options)[0]
        var stores: [Task<Void, Never>] = []
        let caching = decoded.original.caching
        if let entry = caching.entry {
            let data = decoded.original.data
            let content = { @Sendable in (data, entry.metadata) }
            if isIdentity || policy.storesOriginal {
                stores.append(originals.disk.store(entry.diskKey, expiration: policy.diskExpiration, content: content))
            } else if let old = caching.replaced {
                // One that is kept is kept up to date.
                stores.append(old.disk.store(old.diskKey, expiration: policy.diskExpiration, content: content))
            }
        }
        let validity = caching.validity
        if !isIdentity, caching.isStorable, !(validity?.isOver(at: cache.disk.now()) ?? false) {
            let expiration = processedExpiration(policy, validity)
            let image = response.image
            let metadata = ProcessedImageMetadata(info: image.info, byteCount: response.byteCount, validity: validity)
            let codecs = codecs
            stores.append(
                cache.disk.store(key.processedDiskKey, expiration: expiration) {
                    let (format, options) = policy.serializer.encoding(of: image)
                    return (try codecs.encode(image.bitmap, as: format, options: options), metadata.data)
                }
            )
        }
        return stores
    }

    /// How long a processed image stays on disk: no longer than its original is fresh, as nobody asks a server about what
    /// was made here, unless it may be shown afterwards if that server fails.
    private func processedExpiration(_ policy: CachePolicy, _ validity: OriginalValidity?) -> Expiration? {
        guard let freshUntil = validity?.freshUntil, validity?.mayBeUsedStale != true else {
            return policy.diskExpiration
        }
        let now = cache.disk.now()
        guard let own = policy.diskExpiration, own.interval(since: now) < freshUntil.timeIntervalSince(now) else {
            return .date(freshUntil)
        }
        return own
    }
}
