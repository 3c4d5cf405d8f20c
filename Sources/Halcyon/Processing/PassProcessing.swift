internal import HalcyonCodecs
internal import HalcyonRaster

/// A processor that shares one pass over the pixels with its neighbours in a chain.
protocol PassProcessing: ImageProcessing {
    /// Adds the work of the processor to a pass; returns `false` where the pass has no room for it, and leaves it as it
    /// is.
    ///
    /// - Parameters:
    ///   - pass: The work of the processors before; its size is that of the image to process.
    ///   - fullSize: The ``DecodedImage/fullSize`` of the image to process.
    /// - Throws: What ``ImageProcessing/process(_:isCancelled:)`` throws for parameters that do not fit the image.
    func add(to pass: inout BitmapPass, fullSize: PixelSize) throws -> Bool
}

extension PassProcessing {
    /// Returns the image after the work of this processor alone.
    func processInOnePass(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        var pass = BitmapPass(over: image.size)
        // An empty pass has room for those that are done in a pass also on their own.
        _ = try add(to: &pass, fullSize: image.fullSize)
        return image.replacingBitmap(try image.bitmap.applying(pass, isCancelled: isCancelled))
    }
}
