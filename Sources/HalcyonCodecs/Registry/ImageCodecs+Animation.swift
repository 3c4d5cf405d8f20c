public import FoundationEssentials

extension ImageCodecs {
    /// Returns the first frame of a file, with its animation if it has one: ``DecodedImage/animation``.
    ///
    /// - Parameters:
    ///   - data: The whole file, which the animation keeps.
    ///   - options: As for a still image; the animation has those of ``DecodeOptions/frame`` 0 alone.
    ///     Default: the defaults.
    ///   - preloadsFrames: A Boolean value that indicates whether all frames are decoded now, unless they take more than
    ///     ``DecodeLimits/memory`` together. Default: `false`.
    ///   - isCancelled: As for ``decode(_:options:isCancelled:)``. Default: never.
    /// - Throws: As ``decode(_:options:isCancelled:)`` does.
    public func animatedImage(
        from data: Data,
        options: DecodeOptions = DecodeOptions(),
        preloadsFrames: Bool = false,
        isCancelled: @Sendable () -> Bool = { false }
    ) throws -> DecodedImage {
        let image = try decode(data, options: options, isCancelled: isCancelled)
        guard let animation = animation(of: image, data, options: options) else { return image }
        guard preloadsFrames, image.byteCountOfFrames <= options.limits.memory else {
            return image.replacingAnimation(animation)
        }
        let frames = try animation.decoder().frames(isCancelled: isCancelled)
        return image.replacingAnimation(animation.preloading(frames))
    }

    /// Returns the animation of an image; `nil` if it has none.
    ///
    /// - Parameters:
    ///   - image: The image that was decoded.
    ///   - data: Its encoded bytes.
    ///   - options: Those that it was decoded with.
    ///   - processing: Processes each frame. Default: `nil`, for frames as they are.
    package func animation(
        of image: DecodedImage,
        _ data: Data,
        options: DecodeOptions,
        processing: ImageAnimation.FrameProcessing? = nil
    ) -> ImageAnimation? {
        guard image.info.isAnimated, options.frame == 0 else { return nil }
        var options = options
        // Frames are scaled down after they are composed.
        options.targetSize = nil
        return ImageAnimation(data, info: image.info, codecs: self, options: options, processing: processing)
    }
}

extension DecodedImage {
    /// The bytes that all frames of the file take, if each is as large as this one; `Int.max` if that is more than any
    /// memory.
    package var byteCountOfFrames: Int {
        let (product, overflows) = bitmap.byteCount.multipliedReportingOverflow(by: info.frameCount)
        return overflows ? .max : product
    }
}

extension ImageCodecs {
    /// Opens an animation to be read frame by frame. A still image is one of a single frame.
    ///
    /// - Parameters:
    ///   - data: The whole file. Of one that is cut short, the frames that are there can be read.
    ///   - options: As for a still image, except for ``DecodeOptions/frame``, which does not matter. Default: the
    ///     defaults.
    /// - Throws: ``CodecError``.
    public func frames(of data: Data, options: DecodeOptions = DecodeOptions()) throws -> FrameReader {
        try FrameReader(data, decoder: decoder(for: data, hint: options.typeHint), options: options)
    }
}
