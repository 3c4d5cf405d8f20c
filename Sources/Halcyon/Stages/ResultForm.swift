internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonConcurrency
internal import HalcyonHTTP
internal import HalcyonStore

/// A result on disk, as it was found.
struct StoredResult: Sendable {
    let entry: TierEntry
    let metadata: ProcessedImageMetadata
    /// The times of the look-up.
    let timings: ImageTimings
}

/// What is stored with a result of its original.
struct ResultProvenance: Sendable {
    /// The encoded bytes, for a serializer of the program; `nil` if they are not needed.
    let data: Data?
    /// The time and the requests for which it may be used; `nil` if no server decides about it.
    let validity: OriginalValidity?
    /// The digest of the original; `nil` if that is not known.
    let digest: ContentDigest?
}

/// The form of results on disk.
protocol ResultForm: Sendable {
    associatedtype Result: CachedResult

    /// Returns a result on disk.
    ///
    /// - Throws: ``CodecError``, ``SerializationError``, `CancellationError`.
    func result(in stored: StoredResult, for request: ResolvedRequest, priority: PriorityBox) async throws -> Result

    /// Returns the body and the metadata of an entry; `nil` if the result has none: the entry that it was to replace is
    /// then removed.
    ///
    /// - Throws: ``CodecError``, ``SerializationError``, `CancellationError`.
    func entry(
        of result: Result,
        from provenance: ResultProvenance,
        for request: ResolvedRequest,
        priority: PriorityBox
    ) async throws -> (body: Data, metadata: Data)?

    /// Returns the number of bytes that wait in memory while a result is stored.
    func byteCount(of result: Result) -> Int
}

/// Images, which are encoded for the disk and decoded again.
struct DecodedForm: ResultForm {
    let codecs: ImageCodecs
    let workers: PixelWorkers

    func result(in stored: StoredResult, for request: ResolvedRequest, priority: PriorityBox) async throws
        -> ImageResponse
    {
        let start = ContinuousClock.now
        let decoded = try await (request.options.workers ?? workers).decode(
            stored.entry.body,
            of: request.options.cache.serializer,
            size: stored.metadata.size,
            codecs: request.options.codecs(or: codecs),
            options: request.options.decode.storedResultOptions,
            priority: priority
        )
        var timings = stored.timings
        timings.decode = ContinuousClock.now - start
        return ImageResponse(
            image: stored.metadata.image(decoded.bitmap),
            source: .disk,
            byteCount: stored.metadata.byteCount,
            timings: timings,
            head: stored.metadata.validity.map { TransferResponse($0.response) }
        )
    }

    func entry(
        of response: ImageResponse,
        from provenance: ResultProvenance,
        for request: ResolvedRequest,
        priority: PriorityBox
    ) async throws -> (body: Data, metadata: Data)? {
        let (image, serializer) = (response.image, request.options.cache.serializer)
        // An animation is on disk as its original, of which it is made again: an encoding would keep one frame.
        // Of a partial image only the original is kept.
        if image.animation != nil || image.isPartial { return nil }
        let body = try await (request.options.workers ?? workers).encode(
            image,
            original: provenance.data,
            codecs: request.options.codecs(or: codecs),
            serializer: serializer,
            priority: priority
        )
        guard let body else { return nil }
        // Of the formats, only PNG keeps every bitmap without losses.
        let isExact = serializer is ImageSerializer && ImageFormat.detect(body.prefix(64)) == .png
        let metadata = ProcessedImageMetadata(
            image,
            byteCount: response.byteCount,
            validity: provenance.validity,
            digest: provenance.digest,
            serializer: serializer,
            isExact: isExact
        )
        return (body, metadata.data)
    }

    func byteCount(of response: ImageResponse) -> Int {
        response.image.animation == nil && !response.image.isPartial ? response.image.bitmap.byteCount : 0
    }
}

/// Encoded images, which are stored as they are.
struct EncodedForm: ResultForm {
    func result(in stored: StoredResult, for request: ResolvedRequest, priority: PriorityBox) async throws
        -> EncodedImage
    {
        // The body has a checksum, so it is what was stored.
        let metadata = stored.metadata
        guard let form = metadata.encoded else { throw CodecError.unknownFormat(detected: nil) }
        let body = EncodedImageBody(
            data: stored.entry.body,
            format: form.format,
            size: form.size,
            originalInfo: metadata.info
        )
        var image = EncodedImage(body, source: .disk, originalByteCount: metadata.byteCount)
        image.timings = stored.timings
        return image
    }

    func entry(
        of image: EncodedImage,
        from provenance: ResultProvenance,
        for request: ResolvedRequest,
        priority: PriorityBox
    ) async throws -> (body: Data, metadata: Data)? {
        // An original that is kept is on disk as the original of an unprocessed image is, and not once more.
        if image.isOriginal || image.isPartial { return nil }
        let metadata = ProcessedImageMetadata(
            image.stored,
            byteCount: image.originalByteCount,
            validity: provenance.validity,
            digest: provenance.digest
        )
        return (image.data, metadata.data)
    }

    func byteCount(of image: EncodedImage) -> Int { image.isOriginal || image.isPartial ? 0 : image.data.count }
}

extension TransferResponse {
    /// The head of a response, as far as it is stored.
    fileprivate init(_ stored: StoredResponse) {
        self.init(status: stored.status, headers: stored.headers, url: stored.url)
    }
}
