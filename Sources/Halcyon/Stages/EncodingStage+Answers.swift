extension EncodingStage {
    /// Returns the encoded form of an image that an interceptor has answered with. It is stored nowhere.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    func encoded(
        _ answer: ImageResponse,
        of request: ImageRequest,
        as encoding: ImageEncoding,
        context: WorkContext
    ) async throws -> EncodedImage {
        let (body, duration) = try await body(
            of: answer.image,
            from: request.source,
            options: request.options,
            as: encoding,
            context: context
        )
        var image = EncodedImage(body, source: answer.source, originalByteCount: answer.byteCount)
        image.timings = answer.timings
        image.timings.encode = duration
        image.metrics = answer.metrics
        image.substitution = answer.substitution
        return image
    }
}
