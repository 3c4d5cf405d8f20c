extension ImageProcessorChain {
    /// Blurs an image by a Gaussian; see ``BlurProcessor``.
    ///
    /// - Parameter radius: The standard deviation of the Gaussian.
    public static func blur(radius: ImageLength) -> ImageProcessorChain {
        ImageProcessorChain(BlurProcessor(radius: radius))
    }

    /// Sharpens an image by an unsharp mask; see ``SharpenProcessor``.
    ///
    /// - Parameters:
    ///   - radius: The standard deviation of the Gaussian that the image is compared with. Default: 1 pixel.
    ///   - amount: The part of the difference that is added. Default: 1.
    ///   - threshold: The difference that is left alone, from 0 to 1. Default: 0.
    public static func sharpen(
        radius: ImageLength = .pixels(1),
        amount: Double = 1,
        threshold: Double = 0
    ) -> ImageProcessorChain {
        ImageProcessorChain(SharpenProcessor(radius: radius, amount: amount, threshold: threshold))
    }
}
