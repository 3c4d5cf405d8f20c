internal import HalcyonCodecs

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
        let start = ContinuousClock.now
        let body: EncodedImageBody
        do {
            body = try await (request.options.workers ?? workers).withPixels(
                of: answer.image,
                priority: context.priority
            ) { [codecs = request.options.codecs(or: codecs)] image, flag in
                try encoding.body(of: image, keeping: nil, codecs: codecs, isCancelled: { flag.isCancelled })
            }
        } catch let error as CodecError {
            throw ImageError(stage: .encode, reason: .codec(error), source: "\(request.source)")
        }
        var image = EncodedImage(body, source: answer.source, originalByteCount: answer.byteCount)
        image.timings = answer.timings
        let time = ContinuousClock.now - start
        image.timings.encode = time
        image.metrics = answer.metrics
        image.substitution = answer.substitution
        context.note(.encoded(body.format, byteCount: body.data.count, duration: time))
        return image
    }
}
