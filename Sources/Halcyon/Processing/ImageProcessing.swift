public import HalcyonCodecs
public import HalcyonRaster

/// Makes one image of another.
///
/// A processor is a value: equal processors do the same. Its identity in caches comes from its type, its ``version``
/// and its parameters, so that changing what a processor does is a matter of raising its version.
public protocol ImageProcessing: Hashable, Sendable {
    /// Raised by one whenever equal parameters begin to give other pixels. Default: 1.
    static var version: Int { get }

    /// Writes every parameter that changes the result, in a fixed order.
    func encodeParameters(into encoder: inout CacheKeyEncoder)

    /// The smallest decoded image that serves this processor, so that a decoder may save work.
    /// Default: ``DecodeTarget/full``.
    var decodeTarget: DecodeTarget { get }

    /// The size of the largest bitmap that processing `image` makes, in pixels. Its memory is waited for before processing
    /// begins (``ImagePipeline/Configuration/decodeBudget``). Default: that of `image`.
    func workingSize(for image: DecodedImage) -> PixelSize

    /// Processes an image.
    ///
    /// Runs on a worker thread; it should poll `isCancelled` now and then and throw `CancellationError` if it says
    /// `true`.
    ///
    /// - Throws: Any error; it reaches the caller as ``ImageError`` of the stage ``ImageError/Stage/process``.
    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage
}

extension ImageProcessing {
    /// 1.
    public static var version: Int { 1 }

    /// The whole image.
    public var decodeTarget: DecodeTarget { .full }

    /// That of the image.
    public func workingSize(for image: DecodedImage) -> PixelSize { image.size }
}

/// How much of an image's resolution a processor needs.
public enum DecodeTarget: Sendable, Hashable {
    /// All of it.
    case full
    /// Enough to fit, fill or stretch to a size without enlarging what was decoded; where the image itself is not to be
    /// enlarged, no more than it has. Default: it is.
    case resized(PixelSize, ResizeMode, enlarges: Bool = true)

    /// The size to ask a decoder for, for an image of this display size; `nil` for the image's own.
    func targetSize(for displaySize: PixelSize) -> PixelSize? {
        switch self {
        case .full: nil
        case .resized(let size, let mode, let enlarges): mode.resultSize(of: displaySize, in: size, enlarges: enlarges)
        }
    }
}
