public import HalcyonRaster

extension ImageProcessorChain {
    /// Draws another image onto an image.
    ///
    /// - Parameters:
    ///   - watermark: The image to draw. Create it once: that reads all of its pixels.
    ///   - placement: Its size and its place. Default: the original size, in the bottom right corner.
    ///   - mode: The rule; the image below is the backdrop. Default: ``BlendMode/normal``.
    ///   - opacity: What the watermark's alpha is multiplied by. Default: 1.
    public static func watermark(
        _ watermark: WatermarkImage,
        placement: WatermarkPlacement = WatermarkPlacement(),
        mode: BlendMode = .normal,
        opacity: Double = 1
    ) -> ImageProcessorChain {
        ImageProcessorChain(
            WatermarkProcessor(watermark: watermark, placement: placement, mode: mode, opacity: opacity)
        )
    }
}
