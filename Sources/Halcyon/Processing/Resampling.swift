public import HalcyonRaster

/// The way in which pixels become those of another size.
public struct Resampling: Sendable, Hashable {
    /// The weighting of the pixels around a position.
    public var filter: ResamplingFilter
    /// A Boolean value that indicates whether sums are taken in linear light instead of over encoded (sRGB) samples.
    /// Fine light and dark detail then keeps its brightness. It takes several times as long, and the image is decoded
    /// at its whole size.
    public var isInLinearLight: Bool

    /// A way to resample.
    ///
    /// - Parameters:
    ///   - filter: Default: Lanczos with three lobes.
    ///   - isInLinearLight: Default: `false`.
    public init(filter: ResamplingFilter = .lanczos3, isInLinearLight: Bool = false) {
        self.filter = filter
        self.isInLinearLight = isInLinearLight
    }

    /// Lanczos with three lobes over encoded samples.
    public static let standard = Resampling()
    /// Lanczos with three lobes in linear light.
    public static let linearLight = Resampling(isInLinearLight: true)

    /// A Boolean value that indicates whether a decoder may reduce the image first: as sums over encoded samples do.
    var allowsReducedDecoding: Bool { filter != .nearest && !isInLinearLight }

    /// Returns a part of a bitmap in another size, without making the rest.
    func resample(
        _ bitmap: Bitmap,
        to size: PixelSize,
        part: PixelRect,
        isCancelled: @Sendable () -> Bool
    ) throws -> Bitmap {
        isInLinearLight
            ? try bitmap.resampledInLinearLight(to: size, part: part, filter: filter, isCancelled: isCancelled)
            : try bitmap.resampled(to: size, part: part, filter: filter, isCancelled: isCancelled)
    }

    /// Returns the bytes that ``resample(_:to:part:isCancelled:)`` takes in addition to the bitmap and the part.
    func workingByteCount(_ bitmap: Bitmap, to size: PixelSize, part: PixelRect) -> Int {
        isInLinearLight
            ? bitmap.linearLightByteCount(to: size, part: part.size, filter: filter)
            : bitmap.resamplingByteCount(to: size, part: part, filter: filter)
    }
}
