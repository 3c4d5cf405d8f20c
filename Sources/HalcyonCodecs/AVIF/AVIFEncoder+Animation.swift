public import FoundationEssentials
internal import HalcyonRaster

extension AVIFEncoder: AnimationEncoder {
    /// Encodes an image sequence, with alpha if any of its frames has it.
    ///
    /// - Throws: As for a still image, and ``CodecError/cannotEncode(_:reason:)`` for no frames or for frames of
    ///   different sizes; `CancellationError`.
    public func encode(
        _ frames: [AnimationFrame],
        loopCount: Int,
        options: EncodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> Data {
        guard let size = frames.first?.bitmap.size else {
            throw CodecError.cannotEncode(.avif, reason: "an animation without frames")
        }
        guard let other = frames.first(where: { $0.bitmap.size != size }) else {
            let hasAlpha = frames.contains { !$0.bitmap.isOpaque }
            let writer = try AVIFWriter(options, loopCount: loopCount)
            for frame in frames {
                if isCancelled() { throw CancellationError() }
                try writer.add(frame.bitmap, hasAlpha: hasAlpha, duration: max(1, frame.duration))
            }
            let file = try writer.finish()
            return writer.writesLoopCount ? file : AVIFLoopCount.set(loopCount, in: file)
        }
        throw CodecError.cannotEncode(.avif, reason: "frames of \(size) and \(other.bitmap.size) pixels")
    }
}
