internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonConcurrency

extension PixelWorkers {
    /// Returns an image with the animation that its file has, as far as the options ask for it.
    ///
    /// - Parameters:
    ///   - image: The first frame, processed.
    ///   - data: The encoded original.
    ///   - options: Those of the work; see ``ImageOptions/forWork()``.
    ///   - codecs: Those that the image was decoded with.
    /// - Throws: ``CodecError``, the error of a processor, or `CancellationError`, where all frames are decoded; not for a
    ///   damaged frame, because of which the frames are decoded when they are due.
    func animated(
        _ image: DecodedImage,
        of data: Data,
        options: ImageOptions,
        codecs: ImageCodecs,
        priority: PriorityBox
    ) async throws -> DecodedImage {
        let decode = options.decode
        let chain = options.processing
        guard image.info.isAnimated, decode.animation != .firstFrame, chain.isIdentity || decode.processesAllFrames
        else { return image }
        let processing: ImageAnimation.FrameProcessing = { frame, isCancelled in
            try chain.process(frame, isCancelled: isCancelled)
        }
        let animation = codecs.animation(
            of: image,
            data,
            options: decode.decodeOptions,
            processing: chain.isIdentity ? nil : processing
        )
        guard let animation else { return image }
        let byteCount = image.byteCountOfFrames
        guard decode.animation == .preloaded, byteCount <= decode.limits.memory else {
            return image.replacingAnimation(animation)
        }
        do {
            let frames = try await run(priority: priority, within: budget.images) {
                Demand(byteCount: byteCount) { flag in
                    try animation.decoder().frames(isCancelled: { flag.isCancelled })
                }
            }.result
            return image.replacingAnimation(animation.preloading(frames))
        } catch let error as CodecError where error.isDamage {
            // Damage in a later frame leaves the others readable, and is no reason to remove the file from a cache.
            return image.replacingAnimation(animation)
        }
    }
}
