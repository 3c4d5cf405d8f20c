public import FoundationEssentials

/// Writes a format that can hold more than one frame.
public protocol AnimationEncoder: ImageEncoder {
    /// Encodes an animation.
    ///
    /// - Parameters:
    ///   - frames: At least one; all of the same size.
    ///   - loopCount: How often it plays; 0 for without end.
    ///   - options: As for a still image.
    /// - Throws: ``CodecError/cannotEncode(_:reason:)``, ``CodecError/bitmap(_:)``.
    func encode(_ frames: [AnimationFrame], loopCount: Int, options: EncodeOptions) throws(CodecError) -> Data
}
