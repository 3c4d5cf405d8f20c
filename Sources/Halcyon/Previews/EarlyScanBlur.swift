internal import HalcyonCodecs
internal import HalcyonRaster

/// The blur that conceals the blocks of the first scans of an image.
enum EarlyScanBlur {
    /// Returns the standard deviation of the Gaussian for an image, in its pixels; 0 for none.
    ///
    /// A JPEG or an interlaced PNG has blocks as long as few of its scans or passes are there. libjxl smooths the first
    /// pass of a JPEG XL itself, and what comes by rows has no blocks.
    static func radius(for image: DecodedImage, at progress: IncrementalProgress?) -> Double {
        guard let progress, !progress.isComplete, progress.coverage == 1,
            image.info.format == .jpeg || image.info.format == .png
        else { return 0 }
        // The blocks of an image that is decoded at reduced size are smaller.
        let fullLength = max(image.fullSize.width, image.fullSize.height)
        let length = max(image.size.width, image.size.height)
        return radius(after: progress.passCount) * Double(length) / Double(max(1, fullLength))
    }

    /// Returns the standard deviation in pixels of the whole image: 6 after the first scan, 2 after the second to the
    /// fourth, 0 from the fifth on.
    static func radius(after scanCount: Int) -> Double {
        1...4 ~= scanCount ? max(2, 10 - 4 * Double(scanCount)) : 0
    }

    /// Returns an image blurred.
    static func blur(
        _ image: DecodedImage,
        radius: Double,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage {
        // It stands for the same image as before.
        DecodedImage(
            bitmap: try image.bitmap.blurred(radius: radius, isCancelled: isCancelled),
            info: image.info,
            fullSize: image.fullSize,
            colorProfile: image.colorProfile,
            isPartial: image.isPartial
        )
    }
}
