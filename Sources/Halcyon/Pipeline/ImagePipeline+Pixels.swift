internal import HalcyonConcurrency

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
}
