public import HalcyonRaster

/// A frame of an animation to be encoded.
public struct AnimationFrame: Sendable {
    /// The whole image as shown; all frames of an animation have the same size.
    public var bitmap: Bitmap
    /// Milliseconds the frame stays.
    public var duration: Int

    /// A frame.
    public init(bitmap: Bitmap, duration: Int) {
        self.bitmap = bitmap
        self.duration = duration
    }
}

extension [AnimationFrame] {
    /// The size that all frames have.
    ///
    /// - Throws: ``CodecError/cannotEncode(_:reason:)`` where there is no frame, or where sizes differ.
    func commonSize(for format: ImageFormat) throws(CodecError) -> PixelSize {
        guard let size = first?.bitmap.size else {
            throw .cannotEncode(format, reason: "there is no frame")
        }
        if let other = firstIndex(where: { $0.bitmap.size != size }) {
            throw .cannotEncode(
                format,
                reason: "frame \(other) has \(self[other].bitmap.size) pixels, the first one \(size)"
            )
        }
        return size
    }
}
