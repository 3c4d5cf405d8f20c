public import HalcyonCodecs
public import HalcyonRaster

/// A processor that turns an image by quarter turns, or mirrors it, or both: it moves pixels, and loses nothing.
///
/// Decoders turn images upright by themselves; this processor does what an EXIF orientation says to any image.
public struct OrientProcessor: ImageProcessing {
    /// The orientation that the image is taken to be stored in.
    public let orientation: Orientation

    /// A processor that turns images upright which are stored as `orientation` says.
    public init(orientation: Orientation) {
        self.orientation = orientation
    }

    /// `true`: pixels are moved alike at every size.
    public var scalesWithImage: Bool { true }

    /// Returns the size of the image, with its sides exchanged by odd quarter turns.
    public func workingSize(for image: DecodedImage) -> PixelSize { orientation.displaySize(of: image.size) }

    /// Writes the orientation.
    public func encodeParameters(into encoder: inout CacheKeyEncoder) {
        encoder.encode(orientation.rawValue)
    }

    /// Returns the turned image.
    ///
    /// - Throws: ``BitmapError``, `CancellationError`.
    public func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        image.replacingBitmap(try image.bitmap.oriented(orientation, isCancelled: isCancelled))
    }
}
