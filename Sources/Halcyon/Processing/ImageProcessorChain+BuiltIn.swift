public import HalcyonRaster

extension ImageProcessorChain {
    /// Reduces an image so that it fits into `size`, and decodes no more of it than needed. Smaller images stay as they
    /// are.
    ///
    /// - Parameter size: In pixels.
    public static func downsample(to size: PixelSize) -> ImageProcessorChain {
        ImageProcessorChain(ResizeProcessor(size: size, mode: .fit, enlarges: false))
    }

    /// Resizes an image.
    ///
    /// - Parameters:
    ///   - size: In pixels.
    ///   - mode: The rule for sides of another ratio. Default: `.fit`.
    ///   - enlarges: A Boolean value that indicates whether smaller images are enlarged. Default: `true`.
    ///   - anchor: The part that stays with `.fill`: (0, 0) top left, (1, 1) bottom right. Default: the centre.
    ///   - resampling: The filter, and whether it works in linear light. Default: ``Resampling/standard``.
    public static func resize(
        to size: PixelSize,
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
    ///   - size: In pixels; the part ends at the edges of the image.
    ///   - anchor: The position of the part: (0, 0) top left, (1, 1) bottom right. Default: the centre.
    public static func crop(to size: PixelSize, anchor: RelativePoint = .center) -> ImageProcessorChain {
        ImageProcessorChain(CropProcessor(size: size, anchor: anchor))
    }

    /// Reduces an image so that it fits into `size`, and decodes no more of it than needed. Smaller
    /// images stay as they are.
    ///
    /// - Parameter size: In points, which become pixels by ``DeliveryPolicy/scale``.
    public static func downsample(to size: PointSize) -> ImageProcessorChain {
        ImageProcessorChain(ResizeProcessor(size: size, mode: .fit, enlarges: false))
    }

    /// Resizes an image to a size in points.
    ///
    /// - Parameters:
    ///   - size: In points, which become pixels by ``DeliveryPolicy/scale``.
    ///   - mode: The rule for sides of another ratio. Default: `.fit`.
    ///   - enlarges: A Boolean value that indicates whether smaller images are enlarged. Default: `true`.
    ///   - anchor: The part that stays with `.fill`: (0, 0) top left, (1, 1) bottom right. Default: the centre.
    ///   - resampling: The filter, and whether it works in linear light. Default: ``Resampling/standard``.
    public static func resize(
        to size: PointSize,
        mode: ResizeMode = .fit,
        enlarges: Bool = true,
        anchor: RelativePoint = .center,
        resampling: Resampling = .standard
    ) -> ImageProcessorChain {
        ImageProcessorChain(
            ResizeProcessor(size: size, mode: mode, enlarges: enlarges, anchor: anchor, resampling: resampling)
        )
    }

    /// Cuts out a part of an image whose size is in points.
    ///
    /// - Parameters:
    ///   - size: In points, which become pixels by ``DeliveryPolicy/scale``; the part ends at the edges of the image.
    ///   - anchor: The position of the part: (0, 0) top left, (1, 1) bottom right. Default: the centre.
    public static func crop(to size: PointSize, anchor: RelativePoint = .center) -> ImageProcessorChain {
        ImageProcessorChain(CropProcessor(size: size, anchor: anchor))
    }
}
