public import HalcyonCodecs

/// How a processed image is encoded for the disk cache. (Unprocessed images are stored as they came.)
public enum ImageSerializer: Sendable, Hashable {
    /// JPEG of quality 95 where the source is a JPEG and the image opaque, PNG otherwise. What had no losses gets none.
    case automatic
    /// Always this format.
    case format(ImageFormat, EncodeOptions)

    /// Format and options for one image.
    func encoding(of image: DecodedImage) -> (ImageFormat, EncodeOptions) {
        switch self {
        case .automatic:
            image.info.format == .jpeg && image.bitmap.isOpaque
                ? (.jpeg, EncodeOptions(quality: 95)) : (.png, EncodeOptions())
        case .format(let format, let options):
            (format, options)
        }
    }
}
