internal import HalcyonRaster
internal import HalcyonSystem

extension ImagePipeline {
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

    /// Decodes an encoded image, and runs work on its pixels as ``withPixels(of:_:)``.
    ///
    /// - Parameters:
    ///   - size: The pixels are decoded no larger than it takes to fit the image into this size.
    ///   - codecs: Decodes. Default: `nil`, the codecs of the pipeline.
    /// - Throws: ``ImageError``, the error of `body`, or `CancellationError`.
    package func withPixels<Result: Sendable>(
        of image: EncodedImage,
        fitting size: PixelSize,
        codecs: ImageCodecs? = nil,
        _ body: @escaping @Sendable (Bitmap) throws -> Result
    ) async throws -> Result {
        let priority = PriorityBox(.normal)
        // Made here, so the limits for bytes from elsewhere do not count.
        var options = DecodePolicy().storedResultOptions
        options.color = .sRGB
        do {
            let (decoded, lease, _) = try await stages.workers.decode(
                image.data,
                codecs: codecs ?? configuration.codecs,
                options: options,
                target: .resized(size, .fit, enlarges: false),
                priority: priority
            )
            return try await stages.workers.withPixels(
                of: decoded,
                lease: lease,
                place: 0,
                priority: priority
            ) { image, flag in
                try flag.check()
                return try body(image.bitmap)
            }
        } catch let error as CodecError {
            throw ImageError(stage: .decode, reason: .codec(error), source: "an image of \(image.data.count) bytes")
        }
    }
}
