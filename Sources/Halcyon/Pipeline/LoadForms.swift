internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonHTTP
internal import HalcyonSystem

/// The form in which the result of a load is wanted, and what of the load depends on it.
protocol LoadForm: Sendable {
    associatedtype Result: Sendable

    /// The form as interceptors see it.
    static var name: InterceptedLoad.Form { get }
    /// The parts of the pipeline that loads.
    var parts: PipelineStages { get }

    /// Returns the request to load for one that has left the chain of interceptors. Default: that.
    func request(for request: ImageRequest) -> ImageRequest
    /// Returns the request whose key is that of the result. Default: that of the image.
    func target(of request: ResolvedRequest) -> ResolvedRequest
    /// Does the work, once for all equal requests. Default: for this one alone.
    func share(
        _ request: ResolvedRequest,
        context: WorkContext,
        _ work: @escaping @Sendable (WorkContext) async throws -> Result
    ) async throws -> Result
    /// Returns the result in memory; `nil` if there is none that may be used. Default: `nil`.
    func remembered(for request: ResolvedRequest) -> Result?
    /// Returns the result on disk; `nil` if there is none that may be used. Default: `nil`.
    func stored(for request: ResolvedRequest, context: WorkContext) async throws -> Result?
    /// Makes the result of the original.
    func make(for request: ResolvedRequest, context: WorkContext) async throws -> LoadOutput<Result>
    /// Stores a result and its original, as the options and the server allow, and returns the result.
    func store(_ made: LoadOutput<Result>, for request: ResolvedRequest, _ context: WorkContext) async -> Result
    /// Returns what may be used where a result could not be made. Default: throws the error.
    func fallback(for request: ResolvedRequest, after error: ImageError, context: WorkContext) async throws -> Result
    /// Returns a result with the bytes of its original, if the request asks for them; `nil` if a cache has another original
    /// by now. Default: leaves it as it is.
    func withOriginalData(_ result: Result, of request: ResolvedRequest, context: WorkContext) async throws -> Result?
    /// Adds to a result where it came from, and how long it took. Default: leaves it as it is.
    func record(_ time: Duration, _ substitution: SourceSubstitution?, in result: inout Result)

    /// Returns the result as interceptors see it.
    func loadResult(_ result: Result) -> LoadResult
    /// Returns the result of the chain of interceptors, in this form.
    func result(of answer: LoadResult, to request: ImageRequest, context: WorkContext) async throws -> Result
}

/// A result that was made, and its effect on the caches.
struct LoadOutput<Result: Sendable>: Sendable {
    let result: Result
    var caching: OriginalCaching
    let claim: ContentClaim
    /// The original, with the request whose options say whether it is stored; `nil` if it was not needed.
    let original: (original: Original, request: ResolvedRequest)?
}

extension LoadOutput {
    /// A result that was made of an original.
    init(_ result: Result, of original: Original, for request: ResolvedRequest) {
        self.init(
            result: result,
            caching: original.caching,
            claim: original.claim(of: request),
            original: (original, request)
        )
    }

    /// A result that was made of pixels.
    ///
    /// - Parameter request: The request whose options say whether the original is stored.
    init(_ result: Result, of pixels: LoadedPixels, for request: ResolvedRequest) {
        self.init(
            result: result,
            caching: pixels.caching(for: request),
            claim: pixels.claim(of: request),
            original: pixels.original.map { ($0, request) }
        )
    }
}

extension LoadForm {
    func request(for request: ImageRequest) -> ImageRequest { request }

    func target(of request: ResolvedRequest) -> ResolvedRequest { request }

    func share(
        _ request: ResolvedRequest,
        context: WorkContext,
        _ work: @escaping @Sendable (WorkContext) async throws -> Result
    ) async throws -> Result {
        try await work(context)
    }

    func remembered(for request: ResolvedRequest) -> Result? { nil }

    func stored(for request: ResolvedRequest, context: WorkContext) async throws -> Result? { nil }

    func fallback(for request: ResolvedRequest, after error: ImageError, context: WorkContext) async throws -> Result {
        await request.removeOriginal(ifGone: error)
        throw error
    }

    func withOriginalData(_ result: Result, of request: ResolvedRequest, context: WorkContext) async throws -> Result? {
        result
    }

    func record(_ time: Duration, _ substitution: SourceSubstitution?, in result: inout Result) {}
}

/// Images.
struct ImageForm: CachedForm {
    static let name = InterceptedLoad.Form.image
    let parts: PipelineStages

    init(_ parts: PipelineStages) {
        self.parts = parts
    }

    var work: WorkCoalescer<ImageWorkKey, ImageResponse> { parts.images }

    func make(for request: ResolvedRequest, context: WorkContext) async throws -> LoadOutput<ImageResponse> {
        let pixels = try await parts.pixels(for: request, context: context)
        let original = pixels.original
        let response = ImageResponse(
            image: try await parts.decoding.animated(pixels, for: request, context: context),
            source: pixels.source,
            byteCount: pixels.originalByteCount,
            data: request.options.delivery.includesOriginalData && request.source.hasEncodedBytes
                ? original?.data : nil,
            timings: pixels.timings,
            metrics: original?.metrics,
            head: original?.head
        )
        return LoadOutput(response, of: pixels, for: request)
    }

    /// Adds the encoded original, which is read if the options ask for it and the response does not have it.
    func withOriginalData(
        _ response: ImageResponse,
        of request: ResolvedRequest,
        context: WorkContext
    ) async throws -> ImageResponse? {
        guard request.options.delivery.includesOriginalData, response.data == nil,
            let original = try await parts.original.stored(for: request, context: context)
        else { return response }
        if let digest = original.digest, response.originalDigest != digest {
            // What the program stored is kept, and may be of this original or of another.
            return response.originalDigest == nil ? response : nil
        }
        var response = response
        response.data = original.data
        return response
    }

    func remembered(for request: ResolvedRequest) -> ImageResponse? {
        guard let cached = parts.memory.cached(for: request, sizes: request.sizes), var response = ImageResponse(cached)
        else { return nil }
        if request.options.delivery.includesOriginalData { response.originalDigest = cached.digest }
        return response
    }

    func loadResult(_ response: ImageResponse) -> LoadResult { LoadResult(response) }

    func result(of answer: LoadResult, to request: ImageRequest, context: WorkContext) throws -> ImageResponse {
        try answer.image(for: request)
    }
}

/// Images on disk: they are encoded for it, and decoded again.
extension ImageForm {
    func result(
        in body: Data,
        _ metadata: ProcessedImageMetadata,
        for request: ResolvedRequest,
        priority: PriorityBox
    ) async throws -> ImageResponse {
        let start = ContinuousClock.now
        let decoded = try await (request.options.workers ?? parts.workers).decode(
            body,
            of: request.options.cache.serializer,
            size: metadata.size,
            codecs: request.codecs(ofResultsOver: parts.codecs),
            options: request.options.decode.storedResultOptions,
            priority: priority
        )
        var timings = ImageTimings()
        timings.decode = ContinuousClock.now - start
        return ImageResponse(
            image: metadata.image(decoded.bitmap),
            source: .disk,
            byteCount: metadata.byteCount,
            timings: timings,
            head: metadata.validity(isShared: false).map { TransferResponse($0.response) },
            originalDigest: metadata.contentDigest
        )
    }

    func entry(
        of response: ImageResponse,
        from original: Data?,
        _ validity: OriginalValidity?,
        _ digest: ContentDigest?,
        for request: ResolvedRequest,
        priority: PriorityBox
    ) async throws -> (body: Data, metadata: Data)? {
        let (image, serializer) = (response.image, request.options.cache.serializer)
        // An animation is on disk as its original, of which it is made again: an encoding would keep one frame.
        // Of a partial image only the original is kept.
        if image.animation != nil || image.isPartial { return nil }
        let body = try await (request.options.workers ?? parts.workers).encode(
            image,
            original: original,
            codecs: request.options.codecs(or: parts.codecs),
            serializer: serializer,
            priority: priority
        )
        guard let body else { return nil }
        // Of the formats, only PNG keeps every bitmap without losses.
        let isExact = serializer is ImageSerializer && ImageFormat.detect(body.prefix(64)) == .png
        let metadata = ProcessedImageMetadata(
            image,
            byteCount: response.byteCount,
            validity: validity,
            digest: digest,
            serializer: serializer,
            isExact: isExact
        )
        return (body, metadata.data)
    }

    func byteCount(of response: ImageResponse) -> Int {
        response.image.animation == nil && !response.image.isPartial ? response.image.bitmap.byteCount : 0
    }
}

/// The encoded bytes of originals, which are not decoded. They are not stored, as it is not known whether they are an
/// image.
struct OriginalForm: LoadForm {
    /// Bytes, and the place that they came from.
    struct Bytes: Sendable {
        let data: Data
        let source: ImageResponse.Source
    }

    static let name = InterceptedLoad.Form.original
    let parts: PipelineStages

    init(_ parts: PipelineStages) {
        self.parts = parts
    }

    func request(for request: ImageRequest) -> ImageRequest { request.ofBytes }

    func make(for request: ResolvedRequest, context: WorkContext) async throws -> LoadOutput<Bytes> {
        if case .inline(.pixels(let bitmap, _)) = request.source.location {
            let image = DecodedImage(bitmap: bitmap, info: ImageInfo(format: .png, size: bitmap.size))
            let source = ImageRequest(request.source, exactly: request.options)
            let bytes = try await result(of: LoadResult(image), to: source, context: context)
            let claim = ContentClaim(registrations: request.registrations)
            return LoadOutput(result: bytes, caching: OriginalCaching(.leave), claim: claim, original: nil)
        }
        let original = try await parts.original.original(for: request, context: context)
        return LoadOutput(Bytes(data: original.data, source: original.source), of: original, for: request)
    }

    /// An original that its server does not have any more is removed from the caches, with everything that was made of
    /// it, also if the request accepts what the server sends instead.
    func store(_ made: LoadOutput<Bytes>, for request: ResolvedRequest, _ context: WorkContext) async -> Bytes {
        if made.caching.effect == .removeOriginal { await request.removeOriginal(by: made.claim) }
        return made.result
    }

    func loadResult(_ bytes: Bytes) -> LoadResult { LoadResult(.original(bytes.data, bytes.source)) }

    /// An answer without the bytes of its original is encoded as PNG.
    func result(of answer: LoadResult, to request: ImageRequest, context: WorkContext) async throws -> Bytes {
        if let data = answer.originalData { return Bytes(data: data, source: answer.source) }
        let image = try answer.image(for: request)
        if let data = image.data { return Bytes(data: data, source: image.source) }
        let encoding = try ImageEncoding(.format(.png), codecs: .standard, source: "\(request.source)")
        let encoded = try await EncodedImageForm(parts, encoding).encoded(image, for: request, context: context)
        return Bytes(data: encoded.data, source: image.source)
    }
}

extension TransferResponse {
    /// The head of a response, as far as it is stored.
    fileprivate init(_ stored: StoredResponse) {
        self.init(status: stored.status, headers: stored.headers, url: stored.url)
    }
}
