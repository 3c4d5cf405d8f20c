public import HalcyonCodecs

/// The encoding of processed images for the disk cache. (Unprocessed images are stored as they were received.)
public enum ImageSerializer: Sendable, Hashable {
    /// JPEG of quality 95 where the source is a JPEG and the image opaque, PNG otherwise. An image without losses is
    /// stored without losses.
    case automatic
    /// Always this format.
    case format(ImageFormat, EncodeOptions)

    /// Returns format and options for one image.
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
