public import HalcyonCodecs
public import HalcyonRaster

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

    /// Mixes an image with a colour that has the image's shape; see ``OverlayProcessor``.
    ///
    /// - Parameters:
    ///   - color: The colour.
    ///   - fraction: The part of the image: 0 gives the colour alone, 1 the image. Default: 0.5.
    public static func overlay(_ color: Color, fraction: Double = 0.5) -> ImageProcessorChain {
        ImageProcessorChain(OverlayProcessor(color: color, fraction: fraction))
    }

    /// Puts a colour over every pixel of an image.
    ///
    /// - Parameters:
    ///   - color: The colour. Its alpha says how much of the image it covers.
    ///   - mode: The rule; the image is the backdrop. Default: ``BlendMode/normal``, which colours transparent pixels
    ///     as well.
    public static func tint(_ color: Color, mode: BlendMode = .normal) -> ImageProcessorChain {
        ImageProcessorChain(TintProcessor(color: color, mode: mode))
    }

    /// Puts an image over a background of one colour by a rule.
    ///
    /// - Parameters:
    ///   - mode: The rule; the image is the source.
    ///   - opacity: What the image's alpha is multiplied by first. Default: 1.
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

    /// Adjusts colours in one pass, as in `.adjustColors([.sepia(), .contrast(1.2)])`.
    ///
    /// - Parameters:
    ///   - adjustments: In their order. Components are limited to 0…1 after the last.
    ///   - space: The meaning of the components. Default: ``ColorAdjustment/WorkingSpace/sRGB``, as they are encoded.
    public static func adjustColors(
        _ adjustments: [ColorAdjustment],
        in space: ColorAdjustment.WorkingSpace = .sRGB
    ) -> ImageProcessorChain {
        ImageProcessorChain(ColorAdjustmentProcessor(adjustments, in: space))
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

    /// Runs a closure; see ``ClosureProcessor``.
    ///
    /// - Parameters:
    ///   - name: The name of the processor in caches: equal names are taken for equal work.
    ///   - process: Returns the processed image. It runs on a worker thread; it should call its second argument now and
    ///     then and throw `CancellationError` if that returns `true`.
    public static func closure(
        name: String,
        _ process: @escaping @Sendable (DecodedImage, _ isCancelled: @Sendable () -> Bool) throws -> DecodedImage
    ) -> ImageProcessorChain {
        ImageProcessorChain(ClosureProcessor(name: name, process))
    }
}
