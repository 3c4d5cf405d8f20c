public import FoundationEssentials
internal import HalcyonRaster
internal import HalcyonSystem

extension ImagePipeline {
    /// Loads an image, and returns it encoded.
    ///
    /// The encoded bytes are kept in memory and on disk as a processed image is, under the same options; the pixels are
    /// not kept. Equal requests in progress share one encoding. The bytes depend on the source, the options and the
    /// format alone, not on the cache that had the image. The original is stored on disk only with
    /// ``ImageOption/cacheOriginalImage``.
    ///
    /// Encoded bytes in memory are returned without suspending or leaving the actor of the caller, which is what
    /// `isolation` is for. Cancelling the calling task cancels the load.
    ///
    /// - Parameters:
    ///   - request: The source and the options.
    ///   - format: The format, or the rule by which it is chosen.
    ///   - isolation: The actor of the caller. Default: that.
    /// - Throws: ``ImageError``; of the stage ``ImageError/Stage/encode`` before anything is loaded if there is no encoder
    ///   for the format, or with ``ImageError/Reason/notAcceptable(_:)`` if no format is acceptable.
    ///   `CancellationError`.
    public func encoded(
        for request: ImageRequest,
        as format: EncodedImageFormat,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> EncodedImage {
        let prepared = stages.interception.prepared(request)
        let request = prepared.request
        let encoding = try encoding(format, of: request)
        if let encoded = stages.memory.encoded(for: request.source, options: request.options, as: encoding) {
            stages.activities.noteHit(of: request.source, request.options)
            return encoded
        }
        return try await encoded(of: prepared, as: encoding) { _ in }
    }

    /// Loads the image at a URL, and returns it encoded, as ``encoded(for:as:isolation:)``.
    ///
    /// - Parameters:
    ///   - url: The URL; see ``Source/url(_:cacheKey:)``.
    ///   - format: The format, or the rule by which it is chosen.
    ///   - options: The changes to the options of the pipeline. Default: none.
    ///   - isolation: The actor of the caller. Default: that.
    /// - Throws: ``ImageError``, `CancellationError`.
    public func encoded(
        for url: URL,
        as format: EncodedImageFormat,
        options: [ImageOption] = [],
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> EncodedImage {
        try await encoded(for: ImageRequest(url, options: options), as: format)
    }

    /// Returns the encoded image if memory has it, without waiting. Images of files are not found by this function,
    /// because the file would have to be examined first.
    ///
    /// - Parameters:
    ///   - request: The source, and the options that it was loaded with.
    ///   - format: The format, or the rule by which it is chosen.
    public func encodedFromMemory(for request: ImageRequest, as format: EncodedImageFormat) -> EncodedImage? {
        let request = prepared(request)
        guard let encoding = try? encoding(format, of: request) else { return nil }
        let encoded = stages.memory.encoded(for: request.source, options: request.options, as: encoding)
        if encoded != nil { stages.activities.noteHit(of: request.source, request.options) }
        return encoded
    }

    /// Loads an image, and returns it encoded.
    ///
    /// - Parameter onProgress: Called with the progress of the bytes of the original.
    /// - Throws: ``ImageError``, `CancellationError`.
    package func encoded(
        for request: ImageRequest,
        as format: EncodedImageFormat,
        onProgress: @escaping @Sendable (ImageProgress) -> Void
    ) async throws -> EncodedImage {
        let prepared = stages.interception.prepared(request)
        let encoding = try encoding(format, of: prepared.request)
        return try await encoded(of: prepared, as: encoding, onProgress: onProgress)
    }

    private func encoding(_ format: EncodedImageFormat, of request: ImageRequest) throws(ImageError) -> ImageEncoding {
        let codecs = request.options.codecs(or: configuration.codecs)
        return try ImageEncoding(format, codecs: codecs, source: "\(request.source)")
    }

    private func encoded(
        of call: PendingRequest,
        as encoding: ImageEncoding,
        onProgress: @escaping @Sendable (ImageProgress) -> Void
    ) async throws -> EncodedImage {
        let call = stages.resolver.begin(call)
        let status = Lock(WorkStatus())
        let context = WorkContext(priority: PriorityBox(call.options.priority)) { report in
            // Reports of several attempts may overtake each other.
            guard case .progress(let progress) = report, status.withLock({ $0.add(report) }) else { return }
            onProgress(progress.progress)
        }
        let begun = stages.activities.begin(call.request)
        return try await Load(EncodedImageForm(stages, encoding)).observed(call, begun: begun, context: context)
    }

    /// Runs work on the pixels of an image on the pipeline's pixel workers, within its budget. The work is assumed to
    /// need as much memory as the image.
    ///
    /// - Throws: The error of `body`, or `CancellationError`.
    package func withPixels<Result: Sendable>(
        of image: DecodedImage,
        _ body: @escaping @Sendable (Bitmap) throws -> Result
    ) async throws -> Result {
        try await stages.workers.withPixels(of: image, priority: PriorityBox(.normal)) { image, flag in
            try flag.check()
            return try body(image.bitmap)
        }
    }
}
