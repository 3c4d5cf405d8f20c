public import FoundationEssentials
internal import HalcyonRaster

extension GIFEncoder: AnimationEncoder {
    /// Encodes an animation. Of opaque frames, the rectangle that differs from the frame before is stored.
    ///
    /// Durations are stored in steps of 10 ms, 655.35 seconds at most, a loop count of 65,536 at most.
    ///
    /// - Throws: ``CodecError/cannotEncode(_:reason:)``, ``CodecError/bitmap(_:)``, or `CancellationError`.
    public func encode(
        _ frames: [AnimationFrame],
        loopCount: Int,
        options: EncodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> Data {
        let size = try frames.commonSize(for: format)
        // A frame that leaves its rectangle transparent must clear the canvas before, so that all frames have to cover
        // it.
        let isOpaque = frames.allSatisfy { $0.bitmap.isOpaque || !$0.bitmap.containsTransparency() }
        var writer = try GIFWriter(size: size, loopCount: loopCount, storesDifferences: isOpaque)
        for frame in frames {
            if isCancelled() { throw CancellationError() }
            try writer.append(options.bitmapInSRGB(frame.bitmap).withEightBits(), delay: frame.duration)
        }
        return try writer.finish()
    }
}
