internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonSystem

/// The part of an animated file that a load gives.
public enum AnimationLoading: Sendable, Hashable, CaseIterable {
    /// The first frame, with the animation that it belongs to: its encoded bytes, from which players decode the other
    /// frames when they are due.
    case onDemand
    /// The first frame, with the animation and all of its frames, decoded. Where they take more than
    /// ``DecodeLimits/memory`` together, or one is damaged, the same as ``onDemand``.
    case preloaded
    /// The first frame alone, as a still image; of an animated PNG that has another image for programs that play none,
    /// not that image.
    case firstFrame
}

extension PixelWorkers {
    /// Returns the animation of an image, whose frames are processed as the options say; `nil` if it has none.
    static func animation(
        of image: DecodedImage,
        _ data: Data,
        options: ImageOptions,
        codecs: ImageCodecs
    ) -> ImageAnimation? {
        let chain = options.processing
        let processing: ImageAnimation.FrameProcessing = { frame, isCancelled in
            try chain.process(frame, isCancelled: isCancelled)
        }
        return codecs.animation(
            of: image,
            data,
            options: options.decode.decodeOptions,
            processing: chain.isIdentity ? nil : processing
        )
    }

    /// Makes something of all frames of an image on a worker, which takes as much memory as they do.
    ///
    /// - Parameter lease: The part of the budgets that the image's pixels take; `nil` if they take none.
    func withFrames<Result: Sendable>(
        of image: DecodedImage,
        lease: PixelLease?,
        priority: PriorityBox,
        _ body: @escaping @Sendable (DecodedImage, CancellationFlag) throws -> Result
    ) async throws -> Result {
        defer { withExtendedLifetime(lease) {} }
        return try await run(priority: priority, within: budget.frames, holding: lease) {
            Demand(byteCount: image.byteCountOfFrames) { flag in try body(image, flag) }
        }.result
    }

    /// Returns an image with the animation that its file has, as far as the options ask for it.
    ///
    /// - Parameters:
    ///   - lease: The part of the budgets that its pixels take; `nil` for an image of a cache.
    ///   - options: Those of the work; see ``ImageOptions/forWork()``.
    /// - Throws: ``CodecError``, the error of a processor, or `CancellationError`, where all frames are decoded; not for a
    ///   damaged frame, because of which the frames are decoded when they are due.
    func animated(
        _ image: DecodedImage,
        lease: PixelLease?,
        of data: Data,
        options: ImageOptions,
        codecs: ImageCodecs,
        priority: PriorityBox
    ) async throws -> DecodedImage {
        let decode = options.decode
        guard image.info.isAnimated, decode.animation != .firstFrame,
            options.processing.isIdentity || decode.processesAllFrames,
            let animation = Self.animation(of: image, data, options: options, codecs: codecs)
        else { return image }
        let byteCount = image.byteCountOfFrames
        guard decode.animation == .preloaded, byteCount <= decode.limits.memory else {
            return image.replacingAnimation(animation)
        }
        do {
            let frames = try await run(priority: priority, within: budget.frames, holding: lease) {
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
