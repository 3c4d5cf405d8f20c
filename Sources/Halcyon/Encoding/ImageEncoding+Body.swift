internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

extension ImageEncoding {
    /// Returns whether an image with an animation may be encoded with all of its frames, which takes the memory of all.
    func mayAnimate(_ codecs: ImageCodecs) -> Bool {
        formats.contains { codecs.encoder(for: $0) is any AnimationEncoder }
    }

    /// Returns the encoded bytes of an image, in sRGB: of all frames where it has an animation, and the format can hold
    /// them.
    ///
    /// - Parameters:
    ///   - original: The bytes that the image was decoded from, which are kept if the rule allows that; `nil`: the
    ///     image is encoded.
    ///   - options: Those that the image was decoded with.
    ///   - isCancelled: Asked before each attempt to encode the image, before each frame, and while frames are decoded
    ///     and colours converted.
    func body(
        of image: DecodedImage,
        keeping original: Data?,
        options: DecodePolicy,
        codecs: ImageCodecs,
        isCancelled: @Sendable () -> Bool
    ) throws -> EncodedImageBody {
        if isCancelled() { throw CancellationError() }
        if let original, keeps(image.info.format, insteadOf: target(for: image.info, isOpaque: image.isOpaque)) {
            return EncodedImageBody(
                data: original,
                format: image.info.format,
                size: image.info.displaySize,
                originalInfo: image.info,
                isOriginal: true,
                // The first frame of an animation that is cut short may be whole.
                isPartial: image.isPartial || image.info.isComplete(original) == false
            )
        }
        let frames = try frames(of: image, options, codecs, isCancelled)
        let target = target(for: image.info, isOpaque: frames[0].bitmap.isOpaque)
        let data =
            if frames.count > 1, codecs.encoder(for: target.format) is any AnimationEncoder {
                try codecs.encode(
                    frames.map { AnimationFrame(bitmap: $0.bitmap, duration: $0.duration) },
                    as: target.format,
                    loopCount: image.animation?.loopCount ?? 0,
                    options: target.options,
                    isCancelled: isCancelled
                )
            } else {
                try codecs.encode(
                    frames[0].bitmap,
                    as: target.format,
                    options: target.options,
                    isCancelled: isCancelled
                )
            }
        return EncodedImageBody(
            data: data,
            format: target.format,
            size: frames[0].bitmap.size,
            originalInfo: image.info,
            // Frames that a file lacks at its end are not among those.
            isPartial: frames.contains(where: \.isPartial) || image.info.file.hasEnd == false
        )
    }

    private typealias Frame = (bitmap: Bitmap, duration: Int, isPartial: Bool)

    /// Returns the frames to encode: the image itself, or those of its animation. They end before one that is damaged.
    private func frames(
        of image: DecodedImage,
        _ options: DecodePolicy,
        _ codecs: ImageCodecs,
        _ isCancelled: @Sendable () -> Bool
    ) throws -> [Frame] {
        func frame(_ image: DecodedImage, milliseconds: Int = 0) throws -> Frame {
            // Where the pixels came from must not show: a decoder of one format knows that they are opaque, another does
            // not.
            let isOpaque = image.isOpaque
            var bitmap = try image.converted(.sRGB, isCancelled: isCancelled).bitmap
            bitmap.isOpaque = isOpaque
            return (bitmap, milliseconds, image.isPartial)
        }
        // The format follows from the first frame, so that no other is decoded for one that holds a single image.
        guard let animation = image.animation,
            codecs.encoder(for: target(for: image.info, isOpaque: image.isOpaque).format) is any AnimationEncoder
        else { return [try frame(image)] }
        let byteCount = image.byteCountOfFrames
        guard byteCount <= options.limits.memory else {
            throw CodecError.limitExceeded(image.info.format, .memory(byteCount, maximum: options.limits.memory))
        }
        let decoder = try animation.decoder()
        var frames: [Frame] = []
        var sum = 0
        for index in 0..<animation.frameCount {
            do {
                let image = try decoder.frame(at: index, isCancelled: isCancelled)
                // Processors may make frames of other sizes than the first.
                sum += image.bitmap.byteCount
                guard sum <= options.limits.memory else {
                    throw CodecError.limitExceeded(image.info.format, .memory(sum, maximum: options.limits.memory))
                }
                frames.append(try frame(image, milliseconds: animation.milliseconds(ofFrame: index)))
            } catch let error as CodecError where index > 0 && error.isDamage && options.damage != .isRefused {
                frames[index - 1].isPartial = true
                break
            }
        }
        return frames
    }
}

extension DecodedImage {
    /// A Boolean value that indicates whether all pixels are opaque, whether or not the decoder knows it.
    fileprivate var isOpaque: Bool { bitmap.isOpaque || !bitmap.containsTransparency() }
}
