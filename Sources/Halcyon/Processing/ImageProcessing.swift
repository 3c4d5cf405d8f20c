public import HalcyonCodecs
public import HalcyonRaster

/// A type that makes one image of another.
///
/// A processor is a value: equal processors do the same. Its identity in caches consists of its type, its ``version``
/// and its parameters; raise the version when the processor begins to give other pixels.
public protocol ImageProcessing: Hashable, Sendable {
    /// The version of the result, raised by one whenever equal parameters begin to give other pixels. Default: 1.
    static var version: Int { get }

    /// Writes every parameter that changes the result, in a fixed order.
    func encodeParameters(into encoder: inout CacheKeyEncoder)

    /// Returns the processor with its lengths in pixels.
    ///
    /// A pipeline calls it for a request whose ``DeliveryPolicy/scale`` is not 1, and derives the key of the image from
    /// the result. At scale 1, a point is a pixel. A processor that equals its result for the scale 2 has no lengths in
    /// points. Default: the same processor.
    ///
    /// - Parameter scale: Pixels of a point; greater than 0.
    func inPixels(atScale scale: Double) -> Self

    /// A Boolean value that indicates whether processing an image and scaling the result down shows the same as
    /// processing the image scaled down, as with corners that are round in relation to its sides. A larger image in
    /// memory may then answer for a smaller one; see ``SizePrecision/inexact``. Default: `false`.
    var scalesWithImage: Bool { get }

    /// The smallest decoded image that suffices for this processor, so that a decoder may save work. Default:
    /// ``DecodeTarget/full``.
    var decodeTarget: DecodeTarget { get }

    /// Returns the size of the largest bitmap that processing `image` makes, in pixels, or of one that takes as much
    /// memory as all bitmaps that it holds at the same time beside `image`. Processing begins once there is room for it
    /// in the budget (``ImagePipeline/Configuration/decodeBudget``). Default: the size of `image`.
    func workingSize(for image: DecodedImage) -> PixelSize

    /// Returns the processed image.
    ///
    /// Runs on a worker thread; it should call `isCancelled` now and then and throw `CancellationError` if it returns
    /// `true`.
    ///
    /// - Throws: Any error; it reaches the caller as an ``ImageError`` of the stage ``ImageError/Stage/process``.
    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage
}

extension ImageProcessing {
    /// The first version, 1.
    public static var version: Int { 1 }

    /// Returns the same processor.
    public func inPixels(atScale scale: Double) -> Self { self }

    /// `false`: the size of the image makes a difference.
    public var scalesWithImage: Bool { false }

    /// The whole image.
    public var decodeTarget: DecodeTarget { .full }

    /// Returns the size of the image.
    public func workingSize(for image: DecodedImage) -> PixelSize { image.size }
}

/// The part of an image's resolution that a processor needs.
public enum DecodeTarget: Sendable, Hashable {
    /// The whole resolution.
    case full
    /// Enough to fit, fill or stretch the image to a size without enlarging the decoded pixels; without `enlarges`, no
    /// more than the image has. Default of `enlarges`: `true`.
    case resized(PixelSize, ResizeMode, enlarges: Bool = true)

    /// Returns the size to request from a decoder, for an image of this display size; `nil` for the image's own.
    func targetSize(for displaySize: PixelSize) -> PixelSize? {
        switch self {
        case .full: nil
        case .resized(let size, let mode, let enlarges): mode.resultSize(of: displaySize, in: size, enlarges: enlarges)
        }
    }
}

/// The failure of a built-in processor.
public enum ProcessingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The requested size has no pixel.
    case emptySize(PixelSize)
    /// A part of an image was requested in which the image has no pixel.
    case emptyArea(CropArea, of: PixelSize)
    /// A processor would take more bytes than ``DecodeLimits/memory`` allows, and than four times the image, as the rotation of a
    /// very long line.
    case tooManyBytes(byteCount: Int, maximum: Int)

    /// A description of the error.
    public var description: String {
        switch self {
        case .emptySize(let size): "an image cannot be made \(size) pixels large"
        case .emptyArea(let area, let size): "an image of \(size) pixels has none in the area \(area)"
        case .tooManyBytes(let byteCount, let maximum):
            "\(byteCount) bytes would be taken; the limit is \(maximum)"
        }
    }
}
