public import HalcyonRaster

/// An error in turning bytes into pixels, or pixels into bytes.
public enum CodecError: Error, Sendable, Hashable {
    /// There are no bytes at all.
    case empty
    /// The first bytes belong to no known image format. `detected` names what they look like ("HTML", "PDF", …).
    case unknownFormat(detected: String?)
    /// The format is that of a product of its own, such as `HalcyonHEIC`, which nobody registered
    /// (``ImageCodecs/register(_:)``).
    case unregistered(ImageFormat)
    /// The format is known, but this kind of file is not supported.
    case unsupported(ImageFormat, reason: String)
    /// The bytes end before the image does.
    case truncated(ImageFormat)
    /// The bytes contradict the format; `reason` says what and where.
    case corrupt(ImageFormat, reason: String)
    /// The file asks for more than ``DecodeLimits`` allow.
    case limitExceeded(ImageFormat, Limit)
    /// The frame asked for does not exist.
    case noSuchFrame(Int, frameCount: Int)
    /// The memory for the pixels could not be had.
    case bitmap(BitmapError)
    /// The encoder cannot store such an image.
    case cannotEncode(ImageFormat, reason: String)
    /// The encoded image has more than ``EncodeOptions/maximumByteCount`` bytes, at the lowest quality if the format
    /// has one: `byteCount` is what it would take.
    case tooManyBytes(ImageFormat, byteCount: Int, maximum: Int)
    /// The image could not be decoded in a process of its own; see ``DecodeIsolation``.
    case isolation(IsolationError)

    /// A Boolean value that indicates whether the bytes are cut short or damaged, so that a part of the image may be
    /// there.
    var isOfDamage: Bool {
        switch self {
        case .truncated, .corrupt: true
        default: false
        }
    }

    /// A bound of ``DecodeLimits`` and what the file asked for.
    public enum Limit: Sendable, Hashable {
        case pixelCount(PixelSize, maximum: Int)
        case sideLength(PixelSize, maximum: Int)
        case frameCount(Int, maximum: Int)
        case memory(Int, maximum: Int)
    }
}
