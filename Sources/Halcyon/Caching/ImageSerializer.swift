public import FoundationEssentials
public import HalcyonCodecs
internal import HalcyonSystem

/// A built-in encoding of processed images for the disk cache. (Unprocessed images are stored as they were received.)
public struct ImageSerializer: ImageSerializing {
    private enum Form: Sendable, Hashable {
        case automatic(quality: Int)
        case format(ImageFormat, EncodeOptions)
        case original
    }

    private let form: Form

    private init(_ form: Form) {
        self.form = form
    }

    /// JPEG of quality 95 where the source is a JPEG or a video and the image opaque, PNG otherwise. An image without losses is
    /// stored without losses.
    public static let automatic = ImageSerializer(.automatic(quality: 95))

    /// The original in the place of the processed image: a load that finds it runs the processors again. So the disk
    /// has each original once, whatever is made of it, and no image is encoded.
    ///
    /// It is stored in the ``CachePolicy/originalCache`` where there is one.
    public static let original = ImageSerializer(.original)

    /// JPEG where the source is a JPEG or a video and the image opaque, PNG otherwise.
    ///
    /// - Parameter quality: The quality of the JPEG, from 1 to 100.
    public static func automatic(quality: Int) -> ImageSerializer {
        ImageSerializer(.automatic(quality: quality))
    }

    /// Always this format.
    public static func format(_ format: ImageFormat, _ options: EncodeOptions) -> ImageSerializer {
        ImageSerializer(.format(format, options))
    }

    /// A Boolean value that indicates whether this is ``original``.
    public var storesOriginal: Bool { form == .original }

    /// Writes the format and its options.
    public func encodeParameters(into encoder: inout CacheKeyEncoder) {
        switch form {
        case .automatic(let quality):
            encoder.encode("automatic")
            encoder.encode(quality)
        case .format(let format, let options):
            encoder.encode("format")
            encoder.encode(format.rawValue)
            options.encode(into: &encoder)
        case .original:
            encoder.encode("original")
        }
    }

    /// Returns the encoded image.
    public func data(for image: DecodedImage, original: Data?, context: ImageSerializationContext) throws -> Data? {
        let (format, options) = encoding(of: image)
        return try context.codecs.encode(image.bitmap, as: format, options: options)
    }

    /// Returns format and options for one image.
    private func encoding(of image: DecodedImage) -> (ImageFormat, EncodeOptions) {
        switch form {
        case .automatic(let quality):
            (image.info.format == .jpeg || image.info.format.isVideo) && image.bitmap.isOpaque
                && image.bitmap.depth == .eight
                ? (.jpeg, EncodeOptions(quality: quality)) : (.png, EncodeOptions())
        case .format(let format, let options):
            (format, options)
        case .original:
            Self.automatic.encoding(of: image)
        }
    }
}
