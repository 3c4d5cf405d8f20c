public import FoundationEssentials
public import HalcyonCodecs
public import HalcyonHTTP
public import HalcyonRaster
internal import HalcyonSystem

/// The encoded bytes of a processed image, and their provenance.
///
/// A server sends them as they are:
///
/// ```swift
/// let image = try await pipeline.encoded(for: url, as: .accepted(by: request.headers["Accept"]), options: [
///     .processor(.resize(to: .pixels(400, 400))),
/// ])
/// respond(image.data, contentType: image.mediaType, entityTag: image.entityTag, vary: "Accept")
/// ```
public struct EncodedImage: Sendable {
    let body: EncodedImageBody
    /// The place that the bytes, or the image they were encoded from, came from.
    public var source: ImageResponse.Source
    /// The number of bytes of the encoded original.
    public var originalByteCount: Int
    /// The duration of each stage.
    public var timings = ImageTimings()
    /// The times and sizes of the transfer; `nil` unless ``source`` is ``ImageResponse/Source/network``.
    public var metrics: TransferMetrics?
    /// The substitution, if the image came from another source than the requested one; else `nil`.
    public var substitution: SourceSubstitution?
    /// The time and the requests for which the original may be used; `nil` if no server decides about it, it stated nothing,
    /// or it forbids to keep it.
    var validity: OriginalValidity?

    init(_ body: EncodedImageBody, source: ImageResponse.Source, originalByteCount: Int) {
        self.body = body
        self.source = source
        self.originalByteCount = originalByteCount
    }

    /// The encoded bytes.
    public var data: Data { body.data }

    /// The format of the bytes.
    public var format: ImageFormat { body.format }

    /// The media type of the bytes, for `Content-Type`. Of a format without one: "application/octet-stream".
    public var mediaType: String { format.mediaType ?? "application/octet-stream" }

    /// The size in pixels of the image that the bytes encode.
    public var size: PixelSize { body.size }

    /// The description in the header of the original.
    public var originalInfo: ImageInfo { body.originalInfo }

    /// A Boolean value that indicates whether the bytes are those of the original, as
    /// ``EncodedImageFormat/keepsOriginal`` allows.
    public var isOriginal: Bool { body.isOriginal }

    /// A Boolean value that indicates whether the original was cut short or damaged; see ``DecodedImage/isPartial``. A
    /// server states a short lifetime for such an image.
    public var isPartial: Bool { body.isPartial }

    /// A strong entity tag (RFC 9110, section 8.8.3) with its quotes: the XXH3 checksum of the bytes, in hexadecimal
    /// digits. Equal bytes have equal tags in every process.
    public var entityTag: String { "\"\(body.checksum.hexadecimalDigits)\"" }
}

extension EncodedImage: CachedResult {
    var content: CachedImage.Content { .encoded(body) }

    init?(_ cached: CachedImage) {
        guard case .encoded(let body) = cached.content else { return nil }
        self.init(body, source: .memory, originalByteCount: cached.byteCount)
        validity = cached.validity
    }
}

/// The encoded bytes of an image with their description, shared by the memory cache and all responses.
final class EncodedImageBody: Sendable {
    let data: Data
    let format: ImageFormat
    /// The size of the image that the bytes encode.
    let size: PixelSize
    /// The description in the header of the original.
    let originalInfo: ImageInfo
    /// A Boolean value that indicates whether the bytes are those of the original.
    let isOriginal: Bool
    /// A Boolean value that indicates whether the original was cut short or damaged.
    let isPartial: Bool
    /// The XXH3 checksum of the bytes.
    let checksum: UInt64

    init(
        data: Data,
        format: ImageFormat,
        size: PixelSize,
        originalInfo: ImageInfo,
        isOriginal: Bool = false,
        isPartial: Bool = false
    ) {
        self.data = data
        self.format = format
        self.size = size
        self.originalInfo = originalInfo
        self.isOriginal = isOriginal
        self.isPartial = isPartial
        checksum = Checksum.hash(of: data)
    }

    /// The number of bytes that this value keeps in memory.
    var byteCount: Int { data.count + originalInfo.byteCount }
}

extension ImageInfo {
    /// The number of bytes that this value keeps in memory beside its own size.
    var byteCount: Int {
        var count = frameDurations.count * MemoryLayout<Int>.stride
        if case .icc(let description) = colorSpace { count += description.utf8.count }
        return count
    }
}
