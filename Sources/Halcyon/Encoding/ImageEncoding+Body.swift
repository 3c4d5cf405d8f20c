internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

extension ImageEncoding {
    /// Returns the encoded bytes of an image, in sRGB.
    ///
    /// - Parameters:
    ///   - original: The bytes that the image was decoded from, which are kept if the rule allows that; `nil`: the
    ///     image is encoded.
    ///   - isCancelled: Asked before the image is encoded, and while its colours are converted.
    /// - Throws: ``CodecError``, `CancellationError`.
    func body(
        of image: DecodedImage,
        keeping original: Data?,
        codecs: ImageCodecs,
        isCancelled: () -> Bool
    ) throws -> EncodedImageBody {
        if isCancelled() { throw CancellationError() }
        // Where the pixels came from must not show: a decoder of one format knows that they are opaque, another does not.
        let isOpaque = image.bitmap.isOpaque || !image.bitmap.containsTransparency()
        let target = target(for: image.info, isOpaque: isOpaque)
        if let original, keeps(image.info.format, insteadOf: target) {
            return EncodedImageBody(
                data: original,
                format: image.info.format,
                size: image.info.displaySize,
                originalInfo: image.info,
                isOriginal: true,
                isPartial: image.isPartial
            )
        }
        var bitmap = try image.converted(.sRGB, isCancelled: isCancelled).bitmap
        bitmap.isOpaque = isOpaque
        return EncodedImageBody(
            data: try codecs.encode(bitmap, as: target.format, options: target.options),
            format: target.format,
            size: bitmap.size,
            originalInfo: image.info,
            isPartial: image.isPartial
        )
    }
}
