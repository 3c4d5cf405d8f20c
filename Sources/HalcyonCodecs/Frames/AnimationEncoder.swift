public import FoundationEssentials

/// Writes a format that can hold more than one frame.
public protocol AnimationEncoder: ImageEncoder {
    /// Encodes an animation.
    ///
    /// - Parameters:
    ///   - frames: At least one; all of the same size.
    ///   - loopCount: How often it plays; 0 for without end.
    ///   - options: As for a still image.
    ///   - isCancelled: Asked before each frame; once it says `true`, encoding ends.
    /// - Throws: ``CodecError/cannotEncode(_:reason:)``, ``CodecError/bitmap(_:)``, or `CancellationError`.
    func encode(
        _ frames: [AnimationFrame],
        loopCount: Int,
        options: EncodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> Data
}

extension AnimationEncoder {
    /// Encodes an animation to its end; see ``encode(_:loopCount:options:isCancelled:)``.
    public func encode(_ frames: [AnimationFrame], loopCount: Int, options: EncodeOptions) throws -> Data {
        try encode(frames, loopCount: loopCount, options: options, isCancelled: { false })
    }
}
