internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonConcurrency
internal import HalcyonHTTP

/// Finds an encoded image in memory or on disk, or encodes and stores it.
///
/// The image to encode comes from memory, from disk, or from its original. The bytes depend on the key alone: an image
/// that was stored on disk with losses is used only where its original cannot be had, and what is made of it is not
/// stored.
final class EncodingStage: Sendable {
    private typealias Made = CachingStage<EncodedForm>.Made

    private let memory: MemoryStage
    private let images: ResultStorage<DecodedForm>
    private let processing: ProcessingStage
    private let codecs: ImageCodecs
    private let workers: PixelWorkers
    private let caching: CachingStage<EncodedForm>

    init(
        memory: MemoryStage,
        images: ResultStorage<DecodedForm>,
        processing: ProcessingStage,
        codecs: ImageCodecs,
        workers: PixelWorkers
    ) {
        self.memory = memory
        self.images = images
        self.processing = processing
        self.codecs = codecs
        self.workers = workers
        caching = CachingStage(memory: memory, storage: ResultStorage(EncodedForm()), kind: .encoding)
    }

    /// The loads under way.
    var work: WorkCoalescer<ImageWorkKey, EncodedImage> { caching.work }

    /// Returns the encoded image of a request; equal requests share it.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    func encoded(
        for request: ResolvedRequest,
        as encoding: ImageEncoding,
        context: WorkContext
    ) async throws -> EncodedImage {
        try await caching.result(for: request.encoded(as: encoding), context: context) { [self] target, context in
            let input = try await input(for: request, encoding, context: context)
            return try await made(input, for: request, target, encoding, context: context)
        } fallback: { [self] target, error, context in
            guard let input = try await input(for: request, encoding, insteadOf: error, context: context) else {
                return nil
            }
            return try await made(input, for: request, target, encoding, context: context)
        }
    }

    /// An image to encode, and its provenance.
    fileprivate struct Input: Sendable {
        let image: DecodedImage
        /// The part of the budget that its pixels take; `nil` for an image of a cache.
        var lease: PixelLease?
        let source: ImageResponse.Source
        let originalByteCount: Int
        var timings = ImageTimings()
        var caching: OriginalCaching
        let claim: ContentClaim
        var original: Original?
    }

    /// Returns the image to encode.
    private func input(
        for request: ResolvedRequest,
        _ encoding: ImageEncoding,
        context: WorkContext
    ) async throws -> Input {
        // The bytes of an original that is kept are those that its image is decoded from.
        if !encoding.mayKeepOriginal(of: request),
            let found = try await cachedInput(for: request, context: context), found.isExact,
            found.input.image.animation != nil || !encodesAnimation(of: found.input.image, for: request, encoding)
        {
            return found.input
        }
        return Input(try await processing.result(for: request, context: context), for: request)
    }

    /// Returns an image that may be encoded although its original is unavailable. What is made of it is not stored.
    private func input(
        for request: ResolvedRequest,
        _ encoding: ImageEncoding,
        insteadOf error: ImageError,
        context: WorkContext
    ) async throws -> Input? {
        guard error.stage != .encode, !error.isAboutResource, !encoding.mayKeepOriginal(of: request) else { return nil }
        var input = try await cachedInput(for: request, context: context)?.input
        if input == nil, request.mayBeResult,
            let stale = try await images.staleResult(for: request, insteadOf: error, context: context)
        {
            input = Input(stale, for: request)
        }
        input?.caching.effect = .leave
        return input
    }

    /// Returns the image from memory or disk.
    private func cachedInput(
        for request: ResolvedRequest,
        context: WorkContext
    ) async throws -> (input: Input, isExact: Bool)? {
        if let cached = memory.cached(for: request), let image = cached.image {
            let input = Input(
                image: image,
                source: .memory,
                originalByteCount: cached.byteCount,
                caching: OriginalCaching(validity: cached.validity(for: request)),
                claim: ContentClaim(
                    registrations: request.registrations,
                    digest: cached.digest,
                    representation: cached.representation,
                    isFromMemory: true
                )
            )
            return (input, cached.isExact)
        }
        guard let found = try await images.result(for: request, context: context) else { return nil }
        return (Input(found, for: request), found.isExact)
    }

    /// Returns whether all frames of an image's file are to be encoded.
    private func encodesAnimation(
        of image: DecodedImage,
        for request: ResolvedRequest,
        _ encoding: ImageEncoding
    ) -> Bool {
        let decode = request.options.decode
        return image.info.isAnimated && decode.animation != .firstFrame && decode.frame == 0
            && request.source.hasEncodedBytes && encoding.mayAnimate(request.options.codecs(or: codecs))
    }

    /// Returns the image of an input with the animation of its original.
    private func animated(_ input: Input, for request: ResolvedRequest, _ encoding: ImageEncoding) -> DecodedImage {
        guard input.image.animation == nil, let original = input.original,
            encodesAnimation(of: input.image, for: request, encoding)
        else { return input.image }
        return PixelWorkers.animation(
            of: input.image,
            original.data,
            options: request.options,
            codecs: request.source.codecs(over: request.options.codecs(or: codecs))
        ).map { input.image.replacingAnimation($0) } ?? input.image
    }

    /// Encodes an image.
    private func made(
        _ input: Input,
        for request: ResolvedRequest,
        _ target: ResolvedRequest,
        _ encoding: ImageEncoding,
        context: WorkContext
    ) async throws -> Made {
        let kept = encoding.mayKeepOriginal(of: request) ? input.original?.data : nil
        let (body, duration) = try await body(
            of: animated(input, for: request, encoding),
            lease: input.lease,
            keeping: kept,
            from: request.source,
            options: request.options,
            as: encoding,
            context: context
        )
        var image = EncodedImage(body, source: input.source, originalByteCount: input.originalByteCount)
        image.timings = input.timings
        image.timings.encode = duration
        image.metrics = input.original?.metrics
        // An original that is kept is stored as that of an unprocessed image is.
        return Made(
            result: image,
            caching: input.caching,
            claim: input.claim,
            original: input.original.map { ($0, body.isOriginal ? request : target) }
        )
    }

    /// Encodes an image on a worker, and notes that in the context.
    ///
    /// - Parameters:
    ///   - lease: The part of the budget that the image's pixels take. Default: `nil`, for an image of a cache.
    ///   - original: The bytes that the image was decoded from, if they may be the result. Default: `nil`.
    /// - Returns: The encoded bytes, and the time that took.
    /// - Throws: ``ImageError``, `CancellationError`.
    func body(
        of image: DecodedImage,
        lease: PixelLease? = nil,
        keeping original: Data? = nil,
        from source: Source,
        options: ImageOptions,
        as encoding: ImageEncoding,
        context: WorkContext
    ) async throws -> (body: EncodedImageBody, duration: Duration) {
        let start = ContinuousClock.now
        let codecs = options.codecs(or: codecs)
        let encode = { @Sendable [decode = options.decode] (image: DecodedImage, flag: CancellationFlag) in
            try encoding.body(
                of: image,
                keeping: original,
                options: decode,
                codecs: codecs,
                isCancelled: { flag.isCancelled }
            )
        }
        let workers = options.workers ?? workers
        let body: EncodedImageBody
        do {
            if image.animation != nil, encoding.mayAnimate(codecs) {
                body = try await workers.withFrames(of: image, lease: lease, priority: context.priority, encode)
            } else {
                body = try await workers.withPixels(
                    of: image,
                    lease: lease,
                    place: options.processing.steps.count,
                    priority: context.priority,
                    encode
                )
            }
        } catch let error as CodecError {
            throw ImageError(stage: .encode, reason: .codec(error), source: "\(source)")
        } catch let error as CancellationError {
            throw error
        } catch {
            throw ImageError(stage: .process, reason: .processing("\(error)"), source: "\(source)")
        }
        let duration = ContinuousClock.now - start
        context.note(.encoded(body.format, byteCount: body.data.count, duration: duration))
        return (body, duration)
    }
}

extension EncodingStage.Input {
    /// An image of a cache.
    fileprivate init(_ found: ResultStorage<DecodedForm>.Found, for request: ResolvedRequest) {
        self.init(
            image: found.result.image,
            source: .disk,
            originalByteCount: found.result.byteCount,
            timings: found.result.timings,
            caching: OriginalCaching(validity: found.validity),
            claim: found.claim(of: request)
        )
    }

    /// An image that was made.
    fileprivate init(_ result: DecodedOriginal, for request: ResolvedRequest) {
        let original = result.original
        self.init(
            image: result.image,
            lease: result.lease,
            source: original.source,
            originalByteCount: original.data.count,
            timings: original.timings,
            caching: original.caching,
            claim: original.claim(of: request),
            original: original
        )
        timings.decode = result.decodeTime
        timings.process = result.processTime
    }
}

extension ImageEncoding {
    /// Returns whether the bytes of a request's original may be its result.
    fileprivate func mayKeepOriginal(of request: ResolvedRequest) -> Bool {
        // A hash is text or a few bytes, and no file that a client could show.
        if case .placeholder = request.source.location { return false }
        return keepsOriginal && request.options.processing.isIdentity && request.options.decode.isIdentity
    }
}

extension CachedImage {
    /// Returns the time and the requests for which the image may be used; `nil` if no server decides about it. An image
    /// about which its server stated nothing has the default lifetime.
    fileprivate func validity(for request: ResolvedRequest) -> OriginalValidity? {
        if let validity { return validity }
        guard let receivedDate, let transfer = request.cacheableTransfer else { return nil }
        return OriginalValidity(StoredResponse(url: transfer.url.withoutUser, responseTime: receivedDate))
    }
}

extension OriginalCaching {
    /// Creates the effect of an image that a cache has.
    fileprivate init(validity: OriginalValidity?) {
        self.init()
        self.validity = validity
    }
}
