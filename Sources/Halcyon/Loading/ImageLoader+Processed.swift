internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonConcurrency
internal import HalcyonHTTP
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
            let found = try await processedImageFromDisk(key, request: request, context: context)
        {
            let claim = StoreClaim(load: request.permits, age: found.age)
            remember(found.response, key: key, request: request, claim: claim, found.validity)
            return found.response
        }
        var response: ImageResponse
        let loaded: Original
        do {
            (response, loaded) = try await processed(request, key: key, original: original, context: context)
        } catch let error as ImageError {
            await forget(key, ifGone: error, request: request)
            guard original.readsDisk,
                let stale = try await staleImage(key, insteadOf: error, request: request, context: context)
            else { throw error }
            return stale
        }
        let caching = loaded.caching
        let claim = loaded.claim(of: request.permits)
        if caching.isStorable {
            remember(response, key: key, request: request, claim: claim, caching.validity)
        } else {
            await forgetReplaced(key, original: original, request: request, claim: claim)
        }
        // A disk that is slower than what is loaded slows it down, so that what waits to be stored is bounded.
        let waitsForStore = policy.waitsForStore || target(policy).disk.isBehind
        let storePriority = PriorityBox(.low)
        let stores = store(
            response,
            original: loaded,
            key: key,
            request: request,
            claim: claim,
            priority: storePriority
        )
        if waitsForStore, !stores.isEmpty {
            let start = ContinuousClock.now
            await storePriority.following(context.priority) {
                for store in stores { await store.value }
            }
            response.timings.store = ContinuousClock.now - start
        }
        return response
    }

    /// Decodes and runs the processors. The pixels take nothing of the budget any more when this returns.
    private func processed(
        _ request: LoadRequest,
        key: ImageKey,
        original: OriginalWorkKey,
        context: WorkContext
    ) async throws -> (ImageResponse, Original) {
        let processing = request.options.processing
        let decoding = DecodedWorkKey(original: original, decode: request.options.decode, processing: processing)
        let result = try await processed(processing, of: decoding, request: request, key: key, context: context)
        var timings = result.original.timings
        timings.decode = result.decodeTime
        timings.process = result.processTime
        let response = ImageResponse(
            image: result.image,
            origin: result.original.origin,
            byteCount: result.original.data.count,
            data: result.original.data,
            timings: timings,
            metrics: result.original.metrics
        )
        return (response, result.original)
    }

    /// The result of a chain of processors; each beginning of a chain is shared by all chains that begin so.
    private func processed(
        _ processing: ImageProcessorChain,
        of decoding: DecodedWorkKey,
        request: LoadRequest,
        key: ImageKey,
        context: WorkContext
    ) async throws -> DecodedOriginal {
        guard let (rest, last) = processing.droppingLast else {
            return try await decodedOriginal(for: request, key: key, work: decoding, context: context)
        }
        let work = ProcessedWorkKey(decoding: decoding, processing: processing)
        return try await processings.value(for: work, since: request.sharesSince, context: context) {
            [self] context in
            let input = try await processed(rest, of: decoding, request: request, key: key, context: context)
            let start = ContinuousClock.now
            do {
                let (image, lease) = try await workers.process(
                    input.image,
                    size: last.workingSize(for: input.image),
                    place: rest.steps.count,
                    priority: context.priority
                ) { image, flag in
                    let result = try last.process(image, isCancelled: { flag.isCancelled })
                    // Where the decoder did not, after the first processor.
                    return try result.converted(decoding.decode.color, isCancelled: { flag.isCancelled })
                }
                return DecodedOriginal(
                    image: image,
                    lease: lease,
                    original: input.original,
                    decodeTime: input.decodeTime,
                    processTime: (input.processTime ?? .zero) + (ContinuousClock.now - start)
                )
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
    ) async throws -> ProcessedImageOnDisk? {
        let start = ContinuousClock.now
        let diskKey = key.processedDiskKey
        let cache = target(request.options.cache)
        try await cache.disk.settle(diskKey, priority: context.priority)
        let age = cache.order.age(of: .image(key), named: key.originalDiskKey)
        let entry = try await cache.disk.entry(
            for: diskKey,
            extending: request.options.cache.diskExtension,
            priority: context.priority
        )
        guard let entry else { return nil }
        var timings = ImageTimings()
        timings.disk = ContinuousClock.now - start
        guard let metadata = ProcessedImageMetadata(entry.metadata) else {
            await cache.disk.remove(diskKey, ifStill: entry.version)
            return nil
        }
        let validity = validity(of: metadata, storedAt: entry.storedAt, for: request)
        guard mayUse(validity, insteadOf: failure, for: request) else { return nil }
        do {
            let decodeStart = ContinuousClock.now
            let options = request.options.decode.storedResultOptions
            let decoded = try await workers.decode(
                entry.body,
                codecs: codecs,
                options: options,
                priority: context.priority
            )
            timings.decode = ContinuousClock.now - decodeStart
            let response = ImageResponse(
                image: metadata.image(decoded.bitmap),
                origin: .disk,
                byteCount: metadata.byteCount,
                timings: timings
            )
            return ProcessedImageOnDisk(response: response, validity: validity, age: age)
        } catch let error as CancellationError {
            throw error
        } catch {
            // Whatever is wrong with it, it can be made anew.
            await cache.disk.remove(diskKey, ifStill: entry.version)
            return nil
        }
    }

    /// For how long and for whom a stored result may be used. Where nothing is known of the original but when its result was
    /// stored, that counts as when it came.
    func validity(
        of metadata: ProcessedImageMetadata,
        storedAt: Date,
        for request: LoadRequest
    ) -> OriginalValidity? {
        guard metadata.response == nil else { return metadata.validity }
        return followingServer(request).map { transfer in
            OriginalValidity(StoredResponse(url: transfer.url, responseTime: storedAt))
        }
    }

    /// Whether a stored result may be used, now or because of a failure.
    func mayUse(
        _ validity: OriginalValidity?,
        insteadOf failure: StaleUse?,
        for request: LoadRequest
    ) -> Bool {
        let policy = request.options.cache
        guard policy.freshness != .ignoringServer, let validity else { return true }
        // It stays for requests whose headers it is for.
        if validity.isVarying {
            guard let transfer = sentRequest(request.source, options: request.options),
                validity.response.matches(transfer)
            else { return false }
        }
        // The entry may live longer than its original is fresh.
        guard validity.isOver(at: target(policy).disk.now(), policy.freshness) else { return true }
        return failure.map { mayUse(validity, $0, for: request) } ?? false
    }
}

/// The result of processors that was found on disk.
struct ProcessedImageOnDisk: Sendable {
    let response: ImageResponse
    /// For how long and for whom; `nil`: its server had no say.
    let validity: OriginalValidity?
    let age: ContentAge
}
