public import HalcyonRaster

extension ImageProcessorChain {
    /// Reduces an image so that it fits into `size`, and decodes no more of it than needed. Smaller images stay as they
    /// are.
    ///
    /// - Parameter size: In pixels or in points.
    public static func downsample(to size: ImageSize) -> ImageProcessorChain {
        ImageProcessorChain(ResizeProcessor(size: size, mode: .fit, enlarges: false))
    }

    /// Resizes an image.
    ///
    /// - Parameters:
    ///   - size: In pixels or in points.
    ///   - mode: The rule for sides of another ratio. Default: `.fit`.
    ///   - enlarges: A Boolean value that indicates whether smaller images are enlarged. Default: `true`.
    ///   - anchor: The part that stays with `.fill`: (0, 0) top left, (1, 1) bottom right. Default: the centre.
    ///   - resampling: The filter, and whether it works in linear light. Default: ``Resampling/standard``.
    public static func resize(
        to size: ImageSize,
        mode: ResizeMode = .fit,
        enlarges: Bool = true,
        anchor: RelativePoint = .center,
        resampling: Resampling = .standard
    ) -> ImageProcessorChain {
        ImageProcessorChain(
            ResizeProcessor(size: size, mode: mode, enlarges: enlarges, anchor: anchor, resampling: resampling)
        )
    }

    /// Cuts out a part of an image.
    ///
    /// - Parameters:
    ///   - size: In pixels or in points; the part ends at the edges of the image.
    ///   - anchor: The position of the part: (0, 0) top left, (1, 1) bottom right. Default: the centre.
    public static func crop(to size: ImageSize, anchor: RelativePoint = .center) -> ImageProcessorChain {
        ImageProcessorChain(CropProcessor(size: size, anchor: anchor))
    }
}
