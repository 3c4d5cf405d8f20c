public import HalcyonCodecs
public import HalcyonRaster

extension ImageProcessorChain {
    /// Blurs an image by a Gaussian.
    ///
    /// Beyond the edges, the pixels at the edge go on for ever. The size of the image and its transparency at even areas
    /// stay; an opaque image stays opaque. See `Bitmap.blurred(radius:isCancelled:)` for accuracy and limits.
    ///
    /// - Parameter radius: The standard deviation of the Gaussian. One that is not greater than 0 changes nothing; one of
    ///   more than 1,000 pixels counts as that.
    public static func blur(radius: ImageLength) -> ImageProcessorChain {
        ImageProcessorChain(BlurProcessor(radius: radius))
    }

    /// Sharpens an image by an unsharp mask: what distinguishes it from its blurred self is added to it.
    ///
    /// Alpha stays, and transparent pixels have no part in the mask. See
    /// `Bitmap.sharpened(radius:amount:threshold:isCancelled:)`.
    ///
    /// - Parameters:
    ///   - radius: The standard deviation of the Gaussian that the image is compared with. One that is not greater than 0
    ///     changes nothing. Default: 1 pixel.
    ///   - amount: The part of the difference that is added, such as 0.5 to 2. Default: 1.
    ///   - threshold: The difference that is left alone, from 0 to 1, so that noise is not sharpened. Default: 0.
    public static func sharpen(
        radius: ImageLength = .pixels(1),
        amount: Double = 1,
        threshold: Double = 0
    ) -> ImageProcessorChain {
        ImageProcessorChain(SharpenProcessor(radius: radius, amount: amount, threshold: threshold))
    }

    /// Mixes an image with a colour that has the image's shape: where the image is transparent, it stays so.
    ///
    /// - Parameters:
    ///   - color: The colour, mixed as it is encoded (sRGB). Where it is translucent, so is its part of the mixture.
    ///   - fraction: The part of the image, limited to 0…1: 0 gives the colour alone, 1 the image. Default: 0.5.
    public static func overlay(_ color: Color, fraction: Double = 0.5) -> ImageProcessorChain {
        ImageProcessorChain(OverlayProcessor(color: color, fraction: fraction))
    }

    /// Puts a colour over every pixel of an image.
    ///
    /// - Parameters:
    ///   - color: The colour. Its alpha says how much of the image it covers.
    ///   - mode: The rule; the image is the backdrop. Default: ``BlendMode/normal``, which colours transparent pixels
    ///     as well; ``BlendMode/sourceAtop`` keeps the image's shape.
    public static func tint(_ color: Color, mode: BlendMode = .normal) -> ImageProcessorChain {
        ImageProcessorChain(TintProcessor(color: color, mode: mode))
    }

    /// Puts an image over a background of one colour by a rule.
    ///
    /// - Parameters:
    ///   - mode: The rule; the image is the source.
    ///   - opacity: What the image's alpha is multiplied by first, limited to 0…1. Default: 1.
    ///   - background: The backdrop. Default: none, transparent black.
    public static func blend(
        _ mode: BlendMode,
        opacity: Double = 1,
        background: Color? = nil
    ) -> ImageProcessorChain {
        ImageProcessorChain(BlendProcessor(mode: mode, opacity: opacity, background: background))
    }

    /// Puts an image over a colour, which shows where the image is transparent. With an opaque colour, so is the result.
    public static func background(_ color: Color) -> ImageProcessorChain {
        ImageProcessorChain(BlendProcessor(mode: .normal, opacity: 1, background: color))
    }

    /// Multiplies the alpha of an image.
    ///
    /// - Parameter factor: 1 changes nothing, 0 leaves nothing.
    public static func opacity(_ factor: Double) -> ImageProcessorChain {
        ImageProcessorChain(BlendProcessor(mode: .normal, opacity: factor, background: nil))
    }

    /// Adjusts colours in one pass, and leaves alpha as it is, as in `.adjustColors([.sepia(), .contrast(1.2)])`.
    ///
    /// - Parameters:
    ///   - adjustments: In their order. Components are limited to 0…1 after the last.
    ///   - space: The meaning of the components. Default: ``ColorAdjustment/WorkingSpace/sRGB``, as they are encoded.
    public static func adjustColors(
        _ adjustments: [ColorAdjustment],
        in space: ColorAdjustment.WorkingSpace = .sRGB
    ) -> ImageProcessorChain {
        ImageProcessorChain(ColorAdjustmentProcessor(adjustments: adjustments, space: space))
    }

    /// Changes saturation, contrast and brightness, then exposure, in this order; the formulas are those of
    /// ``ColorAdjustment/controls(brightness:contrast:saturation:exposure:)``.
    ///
    /// - Parameters:
    ///   - brightness: What is added to each component. Default: 0, unchanged.
    ///   - contrast: The factor of distances from ½. Default: 1, unchanged.
    ///   - saturation: The factor of distances from gray. Default: 1, unchanged.
    ///   - exposure: In stops: each doubles the light. Default: 0, unchanged.
    ///   - space: The meaning of the components. Default: ``ColorAdjustment/WorkingSpace/linear``, as in Core Image.
    public static func colorControls(
        brightness: Double = 0,
        contrast: Double = 1,
        saturation: Double = 1,
        exposure: Double = 0,
        in space: ColorAdjustment.WorkingSpace = .linear
    ) -> ImageProcessorChain {
        let controls = ColorAdjustment.controls(
            brightness: brightness,
            contrast: contrast,
            saturation: saturation,
            exposure: exposure
        )
        return adjustColors([controls], in: space)
    }

    /// Removes all colour and brightens by 0.7 stops: `colorControls(saturation: 0, exposure: 0.7)`.
    ///
    /// For gray of the same luminance, take `adjustColors([.grayscale()], in: .linear)`.
    public static var blackAndWhite: ImageProcessorChain {
        colorControls(saturation: 0, exposure: 0.7)
    }

    /// Draws another image onto an image, once or as tiles.
    ///
    /// The part of the watermark outside of the image is left out, and pixels that it does not reach stay as they are,
    /// whatever the mode. A watermark without a pixel, as one that is to fit into a size without any, changes nothing.
    ///
    /// - Parameters:
    ///   - watermark: The image to draw. Create it once: that reads all of its pixels.
    ///   - placement: Its size and its place. Default: the original size, in the bottom right corner.
    ///   - mode: The rule; the image below is the backdrop. Default: ``BlendMode/normal``.
    ///   - opacity: What the watermark's alpha is multiplied by, limited to 0…1. Default: 1.
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

    /// Runs a closure under a name, which is its identity in memory and on disk, also for a later run of the program.
    ///
    /// - Parameters:
    ///   - name: The name of the processor in caches, such as `"com.example.vignette(0.5)"`. It includes every value that
    ///     the closure uses, and changes whenever the closure begins to give other pixels.
    ///   - process: Returns the processed image. It runs on a worker thread; it should call its second argument now and
    ///     then and throw `CancellationError` if that returns `true`.
    public static func closure(
        name: String,
        _ process: @escaping @Sendable (DecodedImage, _ isCancelled: @Sendable () -> Bool) throws -> DecodedImage
    ) -> ImageProcessorChain {
        ImageProcessorChain(ClosureProcessor(name: name, closure: process))
    }
}
