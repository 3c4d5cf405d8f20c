public import HalcyonRaster

extension ImageProcessorChain {
    /// Reduces an image so that it fits into `size`, and decodes no more of it than needed. Smaller images stay as
    /// they are.
    public static func downsample(to size: PixelSize) -> ImageProcessorChain {
        ImageProcessorChain(ResizeProcessor(size: size, mode: .fit, enlarges: false))
    }

    /// Resizes an image.
    ///
    /// - Parameters:
    ///   - size: In pixels.
    ///   - mode: What to do where the sides have another ratio. Default: `.fit`.
    ///   - enlarges: Whether smaller images are enlarged. Default: `true`.
    public static func resize(to size: PixelSize, mode: ResizeMode = .fit, enlarges: Bool = true) -> ImageProcessorChain
    {
        ImageProcessorChain(ResizeProcessor(size: size, mode: mode, enlarges: enlarges))
    }

    /// Cuts out a part of an image.
    ///
    /// - Parameters:
    ///   - size: In pixels; what exceeds the image is left away.
    ///   - anchor: Where the part lies: (0, 0) top left, (1, 1) bottom right. Default: the centre.
    public static func crop(to size: PixelSize, anchor: RelativePoint = .center) -> ImageProcessorChain {
        ImageProcessorChain(CropProcessor(size: size, anchor: anchor))
    }

    /// Makes the corners round, smooth at their edge.
    ///
    /// - Parameters:
    ///   - radius: Absolute or relative to a side.
    ///   - corners: Default: all four.
    ///   - background: What is behind the corners. Default: nothing; they become transparent.
    public static func roundCorners(
        radius: CornerRadius,
        corners: Corners = .all,
        background: Color? = nil
    ) -> ImageProcessorChain {
        ImageProcessorChain(RoundCornersProcessor(radius: radius, corners: corners, background: background))
    }
}
