internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster
internal import HalcyonSystem

/// An image that its source has itself: that of a hash, or pixels.
enum InlineImage: Sendable, Hashable {
    case blurHash(String, size: PixelSize, punch: Double)
    case thumbHash(Data)
    /// Text that is no Base64, of which every load fails.
    case malformedThumbHash(String)
    /// Pixels, which are known by an identifier.
    case pixels(Bitmap, id: String)

    /// The bytes of the hash; of pixels the identifier, which stands for them.
    var data: Data {
        switch self {
        case .blurHash(let text, _, _), .malformedThumbHash(let text), .pixels(_, let text): Data(text.utf8)
        case .thumbHash(let bytes): bytes
        }
    }

    /// The decoder of these bytes, by which nothing could tell what they are.
    var decoder: any ImageDecoder {
        switch self {
        case .blurHash(_, let size, let punch): BlurHashDecoder(size: size, punch: punch)
        case .thumbHash: ThumbHashDecoder(isText: false)
        case .malformedThumbHash: ThumbHashDecoder(isText: true)
        case .pixels(let bitmap, _): PixelsDecoder(bitmap: bitmap)
        }
    }

    /// The name of the image in caches.
    var name: String {
        switch self {
        case .blurHash(let text, let size, let punch): "blurhash:\(size.width)x\(size.height):\(punch):\(text)"
        case .thumbHash(let bytes): "thumbhash:\(bytes.base64EncodedString())"
        case .malformedThumbHash(let text): "thumbhash:\(text)"
        case .pixels(_, let id): "pixels:\(id)"
        }
    }
}

extension InlineImage {
    /// Returns whether both have the same name, by its bytes.
    static func == (left: InlineImage, right: InlineImage) -> Bool { ExactString.hasSameBytes(left.name, right.name) }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ExactString(name))
    }
}

extension InlineImage: CustomStringConvertible {
    /// The kind, and the text of the hash or the identifier, cut where it is long.
    var description: String {
        name.shortened
    }
}

/// The decoder of an image whose pixels are there.
private struct PixelsDecoder: ImageDecoder {
    let bitmap: Bitmap

    var format: ImageFormat { .png }

    private var info: ImageInfo {
        ImageInfo(
            format: format,
            size: bitmap.size,
            bitDepth: bitmap.depth == .sixteen ? 16 : 8,
            hasAlpha: !bitmap.isOpaque
        )
    }

    func recognizes(_ prefix: Data) -> Bool { true }

    func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo { info }

    func decode(_ data: Data, options: DecodeOptions, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        guard options.frame == 0 else { throw CodecError.noSuchFrame(options.frame, frameCount: 1) }
        return DecodedImage(bitmap: bitmap, info: info)
    }
}
