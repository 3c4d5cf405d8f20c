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
            let found = try await processedImageFromDisk(key, request: request, context: context)
        {
            let claim = StoreClaim(load: request.permits, age: found.age)
            remember(found.response, key: key, request: request, claim: claim, found.validity)
            return found.response
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
        let claim = decoded.original.claim(of: request.permits)
        if caching.isStorable {
            remember(response, key: key, request: request, claim: claim, caching.validity)
        } else {
            await forgetReplaced(key, original: original, request: request, claim: claim)
        }
        // A disk that is slower than what is loaded slows it down, so that what waits to be stored is bounded.
        let waitsForStore = policy.waitsForStore || target(policy).disk.isBehind
        let stores = store(
            response,
            decoded: decoded,
            key: key,
            request: request,
            claim: claim,
            priority: waitsForStore ? context.priority : nil
        )
        if waitsForStore, !stores.isEmpty {
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
        let decoding = DecodedWorkKey(original: original, decode: request.options.decode, processing: processing)
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
        return try await processings.value(for: work, since: request.sharesSince, context: context) {
            [self] context in
            let input = try await processed(rest, of: decoding, request: request, key: key, context: context)
            let start = ContinuousClock.now
            do {
                let image = try await workers.process(input.image, priority: context.priority) { image, flag in
                    let result = try last.process(image, isCancelled: { flag.isCancelled })
                    // Where the decoder did not, after the first processor.
                    return try result.converted(decoding.decode.color, isCancelled: { flag.isCancelled })
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
    ) async throws -> ProcessedImageOnDisk? {
        let start = ContinuousClock.now
        let diskKey = key.processedDiskKey
        let cache = target(request.options.cache)
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
            return ProcessedImageOnDisk(response: response, validity: metadata.validity, age: age)
        } catch let error as CancellationError {
            throw error
        } catch {
            // Whatever is wrong with it, it can be made anew.
            await cache.disk.remove(diskKey)
            return nil
        }
    }
}

/// The result of processors that was found on disk.
struct ProcessedImageOnDisk: Sendable {
    let response: ImageResponse
    /// For how long and for whom; `nil`: its server had no say.
    let validity: OriginalValidity?
    let age: ContentAge
}
