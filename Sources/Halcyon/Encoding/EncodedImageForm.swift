internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonHTTP
internal import HalcyonSystem

/// Encoded images.
///
/// The image to encode comes from memory, from disk, or from its original. The bytes depend on the key alone: an image
/// that was stored on disk with losses is used only where its original cannot be had, and what is made of it is not
/// stored.
struct EncodedImageForm: CachedForm {
    static let name = InterceptedLoad.Form.encodedImage
    let parts: PipelineStages
    let encoding: ImageEncoding

    init(_ parts: PipelineStages, _ encoding: ImageEncoding) {
        self.parts = parts
        self.encoding = encoding
    }

    var work: WorkCoalescer<ImageWorkKey, EncodedImage> { parts.encodings }

    func target(of request: ResolvedRequest) -> ResolvedRequest { request.encoded(as: encoding) }

    func make(for request: ResolvedRequest, context: WorkContext) async throws -> LoadOutput<EncodedImage> {
        let image = request.encodedImage ?? request
        guard encoding.keepsUndecoded, encoding.mayKeepOriginal(of: image) else {
            return try await made(input(for: image, context: context), for: image, request, context: context)
        }
        let original = try await parts.original.original(for: image, context: context)
        if let kept = try await undecoded(original, for: image, context: context) {
            return LoadOutput(kept, of: original, for: image)
        }
        let decoded = try await parts.decoded(for: image, beginningWith: original, context: context)
        return try await made(decoded, for: image, request, context: context)
    }

    /// Returns an original as it came, by its header alone; `nil` if it has to be decoded: one that is in another format,
    /// may not be whole, or takes the place of another, which can be shown.
    private func undecoded(
        _ original: Original,
        for request: ResolvedRequest,
        context: WorkContext
    ) async throws -> EncodedImage? {
        guard original.caching.replaced == nil else { return nil }
        let info: ImageInfo
        do {
            info = try await (request.options.workers ?? parts.workers).info(
                of: original.data,
                codecs: request.codecs(over: parts.codecs),
                options: request.options.decode.decodeOptions,
                priority: context.priority
            )
        } catch is CodecError {
            // Decoding says what is wrong with it.
            return nil
        }
        guard encoding.keeps(info.format), info.isComplete(original.data) == true else { return nil }
        let body = EncodedImageBody(
            data: original.data,
            format: info.format,
            size: info.displaySize,
            originalInfo: info,
            isOriginal: true
        )
        var image = EncodedImage(body, source: original.source, originalByteCount: original.data.count)
        image.timings = original.timings
        image.metrics = original.metrics
        image.validity = original.caching.validity
        return image
    }

    func loadResult(_ image: EncodedImage) -> LoadResult { LoadResult(.encodedImage(image)) }

    func result(of answer: LoadResult, to request: ImageRequest, context: WorkContext) async throws -> EncodedImage {
        if let image = answer.encodedImage { return image }
        return try await encoded(answer.image(for: request), for: request, context: context)
    }

    /// Returns the encoded form of an image that an interceptor has answered with. It is stored nowhere.
    func encoded(_ answer: ImageResponse, for request: ImageRequest, context: WorkContext) async throws -> EncodedImage
    {
        let (body, duration) = try await body(
            of: answer.image,
            from: request.source,
            options: request.options,
            context: context
        )
        var image = EncodedImage(body, source: answer.source, originalByteCount: answer.byteCount)
        image.timings = answer.timings
        image.timings.encode = duration
        image.metrics = answer.metrics
        image.substitution = answer.substitution
        return image
    }

    /// Returns the image to encode.
    private func input(for request: ResolvedRequest, context: WorkContext) async throws -> LoadedPixels {
        // The bytes of an original that is kept are those that its image is decoded from.
        if !encoding.mayKeepOriginal(of: request),
            let found = try await cachedInput(for: request, context: context), found.isExact,
            found.pixels.image.animation != nil || !encodesAnimation(of: found.pixels.image, for: request)
        {
            return found.pixels
        }
        return try await parts.pixels(for: request, context: context)
    }

    /// Encodes an image of a cache although its original is unavailable. What is made of it is not stored.
    func substitute(
        for target: ResolvedRequest,
        insteadOf error: ImageError,
        context: WorkContext
    ) async throws -> LoadOutput<EncodedImage>? {
        let request = target.encodedImage ?? target
        guard error.stage != .encode, !error.isAboutResource, !encoding.mayKeepOriginal(of: request) else { return nil }
        var input = try await cachedInput(for: request, context: context)?.pixels
        if input == nil, request.mayBeResult,
            let stale = try await images.staleResult(for: request, insteadOf: error, context: context)
        {
            input = LoadedPixels(stale)
        }
        guard let input else { return nil }
        var made = try await made(input, for: request, target, context: context)
        made.caching.effect = .leave
        return made
    }

    private var images: ImageForm { ImageForm(parts) }

    /// Returns the image from memory or disk.
    private func cachedInput(
        for request: ResolvedRequest,
        context: WorkContext
    ) async throws -> (pixels: LoadedPixels, isExact: Bool)? {
        if let cached = parts.memory.cached(for: request), let pixels = LoadedPixels(cached) {
            return (pixels, cached.isExact)
        }
        guard let found = try await images.foundResult(for: request, context: context) else { return nil }
        return (LoadedPixels(found), found.isExact)
    }

    /// Returns whether all frames of an image's file are to be encoded.
    private func encodesAnimation(of image: DecodedImage, for request: ResolvedRequest) -> Bool {
        let decode = request.options.decode
        return image.info.isAnimated && decode.animation != .firstFrame && decode.frame == 0
            && request.source.hasEncodedBytes && encoding.mayAnimate(request.options.codecs(or: parts.codecs))
    }

    /// Returns the image of an input with the animation of its original.
    private func animated(_ input: LoadedPixels, for request: ResolvedRequest) -> DecodedImage {
        guard input.image.animation == nil, let original = input.original,
            encodesAnimation(of: input.image, for: request)
        else { return input.image }
        return PixelWorkers.animation(
            of: input.image,
            original.data,
            options: request.options,
            codecs: request.codecs(over: parts.codecs)
        ).map { input.image.replacingAnimation($0) } ?? input.image
    }

    /// Encodes an image.
    private func made(
        _ input: LoadedPixels,
        for request: ResolvedRequest,
        _ target: ResolvedRequest,
        context: WorkContext
    ) async throws -> LoadOutput<EncodedImage> {
        let kept = encoding.mayKeepOriginal(of: request) ? input.original?.data : nil
        let (body, duration) = try await body(
            of: animated(input, for: request),
            lease: input.lease,
            keeping: kept,
            from: request.source,
            options: request.options,
            context: context
        )
        var image = EncodedImage(body, source: input.source, originalByteCount: input.originalByteCount)
        image.timings = input.timings
        image.timings.encode = duration
        image.metrics = input.original?.metrics
        image.validity = input.caching(for: request).validity
        // An original that is kept is stored as that of an unprocessed image is.
        return LoadOutput(image, of: input, for: body.isOriginal ? request : target)
    }

    /// Encodes an image on a worker, and notes that in the context.
    ///
    /// - Parameters:
    ///   - lease: The part of the budget that the image's pixels take. Default: `nil`, for an image of a cache.
    ///   - original: The bytes that the image was decoded from, if they may be the result. Default: `nil`.
    private func body(
        of image: DecodedImage,
        lease: PixelLease? = nil,
        keeping original: Data? = nil,
        from source: Source,
        options: ImageOptions,
        context: WorkContext
    ) async throws -> (body: EncodedImageBody, duration: Duration) {
        let start = ContinuousClock.now
        let codecs = options.codecs(or: parts.codecs)
        let encode = { @Sendable [encoding, decode = options.decode] (image: DecodedImage, flag: CancellationFlag) in
            try encoding.body(
                of: image,
                keeping: original,
                options: decode,
                codecs: codecs,
                isCancelled: { flag.isCancelled }
            )
        }
        let workers = options.workers ?? parts.workers
        let body = try await source.typingErrors(ofCodecsAt: .encode) {
            if image.animation != nil, encoding.mayAnimate(codecs) {
                return try await workers.withFrames(of: image, lease: lease, priority: context.priority, encode)
            }
            return try await workers.withPixels(
                of: image,
                lease: lease,
                place: options.processing.steps.count,
                priority: context.priority,
                encode
            )
        }
        let duration = ContinuousClock.now - start
        context.note(.encoded(body.format, byteCount: body.data.count, duration: duration))
        return (body, duration)
    }
}

/// Encoded images on disk, which are stored as they are.
extension EncodedImageForm {
    func result(
        in data: Data,
        _ metadata: ProcessedImageMetadata,
        for request: ResolvedRequest,
        priority: PriorityBox
    ) async throws -> EncodedImage {
        // The body has a checksum, so it is what was stored.
        guard let form = metadata.encoded else { throw CodecError.unknownFormat(detected: nil) }
        let body = EncodedImageBody(data: data, format: form.format, size: form.size, originalInfo: metadata.info)
        var image = EncodedImage(body, source: .disk, originalByteCount: metadata.byteCount)
        image.validity = metadata.validity(isShared: request.target.isShared)
        return image
    }

    func entry(
        of image: EncodedImage,
        from original: Data?,
        _ validity: OriginalValidity?,
        _ digest: ContentDigest?,
        for request: ResolvedRequest,
        priority: PriorityBox
    ) async throws -> (body: Data, metadata: Data)? {
        // An original that is kept is on disk as the original of an unprocessed image is, and not once more.
        if image.isOriginal || image.isPartial { return nil }
        let count = image.originalByteCount
        return (
            image.data, ProcessedImageMetadata(image.body, byteCount: count, validity: validity, digest: digest).data
        )
    }

    func byteCount(of image: EncodedImage) -> Int { image.isOriginal || image.isPartial ? 0 : image.data.count }
}

extension ImageEncoding {
    /// Returns whether the bytes of a request's original may be its result.
    fileprivate func mayKeepOriginal(of request: ResolvedRequest) -> Bool {
        // A hash is text or a few bytes, and no file that a client could show.
        if case .inline = request.source.location { return false }
        var decode = request.options.decode
        // A file that is kept has the samples that it has.
        decode.keepsSixteenBits = false
        return keepsOriginal && request.options.processing.isIdentity && decode.isIdentity
    }
}
