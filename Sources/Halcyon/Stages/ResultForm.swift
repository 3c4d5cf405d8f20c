internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonConcurrency
internal import HalcyonStore

/// The form of results on disk.
protocol ResultForm: Sendable {
    associatedtype Result: CachedResult

    /// Returns the result in an entry.
    ///
    /// - Throws: ``CodecError``, `CancellationError`.
    func result(
        in entry: DiskCache.Entry,
        _ metadata: ProcessedImageMetadata,
        for request: ResolvedRequest,
        _ timings: ImageTimings,
        priority: PriorityBox
    ) async throws -> Result

    /// Returns the body and the metadata of an entry.
    ///
    /// - Throws: ``CodecError``, `CancellationError`.
    func entry(
        of result: Result,
        validity: OriginalValidity?,
        for request: ResolvedRequest,
        priority: PriorityBox
    ) async throws -> (body: Data, metadata: Data)

    /// Returns the number of bytes that wait in memory while a result is stored.
    func byteCount(of result: Result) -> Int
}

/// Images, which are encoded for the disk and decoded again.
struct DecodedForm: ResultForm {
    let codecs: ImageCodecs
    let workers: PixelWorkers

    func result(
        in entry: DiskCache.Entry,
        _ metadata: ProcessedImageMetadata,
        for request: ResolvedRequest,
        _ timings: ImageTimings,
        priority: PriorityBox
    ) async throws -> ImageResponse {
        let start = ContinuousClock.now
        let decoded = try await workers.decode(
            entry.body,
            codecs: codecs,
            options: request.options.decode.storedResultOptions,
            priority: priority
        )
        var timings = timings
        timings.decode = ContinuousClock.now - start
        return ImageResponse(
            image: metadata.image(decoded.bitmap),
            source: .disk,
            byteCount: metadata.byteCount,
            timings: timings
        )
    }

    func entry(
        of response: ImageResponse,
        validity: OriginalValidity?,
        for request: ResolvedRequest,
        priority: PriorityBox
    ) async throws -> (body: Data, metadata: Data) {
        let image = response.image
        let body = try await workers.encode(
            image,
            codecs: codecs,
            serializer: request.options.cache.serializer,
            priority: priority
        )
        // Of the formats, only PNG keeps every bitmap without losses.
        let isExact = ImageFormat.detect(body.prefix(64)) == .png
        let metadata = ProcessedImageMetadata(
            image,
            byteCount: response.byteCount,
            validity: validity,
            isExact: isExact
        )
        return (body, metadata.data)
    }

    func byteCount(of response: ImageResponse) -> Int { response.image.bitmap.byteCount }
}

/// Encoded images, which are stored as they are.
struct EncodedForm: ResultForm {
    func result(
        in entry: DiskCache.Entry,
        _ metadata: ProcessedImageMetadata,
        for request: ResolvedRequest,
        _ timings: ImageTimings,
        priority: PriorityBox
    ) async throws -> EncodedImage {
        // The body has a checksum, so it is what was stored.
        guard let form = metadata.encoded else { throw CodecError.unknownFormat(detected: nil) }
        let body = EncodedImageBody(
            data: entry.body,
            format: form.format,
            size: form.size,
            originalInfo: metadata.info
        )
        var image = EncodedImage(body, source: .disk, originalByteCount: metadata.byteCount)
        image.timings = timings
        return image
    }

    func entry(
        of image: EncodedImage,
        validity: OriginalValidity?,
        for request: ResolvedRequest,
        priority: PriorityBox
    ) async throws -> (body: Data, metadata: Data) {
        let metadata = ProcessedImageMetadata(image.stored, byteCount: image.originalByteCount, validity: validity)
        return (image.data, metadata.data)
    }

    func byteCount(of image: EncodedImage) -> Int { image.data.count }
}
