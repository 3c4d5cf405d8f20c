public import HalcyonRaster

extension ImageProcessorChain {
    /// Cuts out a rectangle of an image.
    ///
    /// - Parameter area: In pixels, in points, or in parts of the sides; the part ends at the edges of the image.
    public static func crop(to area: CropArea) -> ImageProcessorChain {
        ImageProcessorChain(CropAreaProcessor(area: area))
    }

    /// Mirrors an image.
    ///
    /// - Parameter axis: The direction in which the sides change places.
    public static func flip(_ axis: FlipAxis) -> ImageProcessorChain {
        orient(Orientation(flipping: axis))
    }

    /// Turns an image, and loses nothing.
    ///
    /// - Parameter quarterTurns: The number of turns by 90° clockwise; counter-clockwise where it is negative.
    public static func rotate(quarterTurns: Int) -> ImageProcessorChain {
        orient(Orientation(quarterTurns: quarterTurns))
    }

    /// Does to an image what an EXIF orientation says. Decoders do so for that of a file.
    public static func orient(_ orientation: Orientation) -> ImageProcessorChain {
        ImageProcessorChain(OrientProcessor(orientation: orientation))
    }

    /// Rotates an image about its middle by any angle, with smooth edges. Multiples of 90° lose nothing.
    ///
    /// - Parameters:
    ///   - degrees: The angle, clockwise.
    ///   - expands: A Boolean value that indicates whether the result is as large as it takes to show the whole image;
    ///     otherwise it has the size of the image. Default: `true`.
    ///   - interpolation: The way in which pixels are made that lie between those of the image. Default:
    ///     ``Interpolation/bicubic``.
    ///   - background: The colour beside the image, and behind it. Default: none.
    public static func rotate(
        byDegrees degrees: Double,
        expands: Bool = true,
        interpolation: Interpolation = .bicubic,
        background: Color? = nil
    ) -> ImageProcessorChain {
        ImageProcessorChain(
            RotateProcessor(degrees: degrees, expands: expands, interpolation: interpolation, background: background)
        )
    }

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

    /// Makes the corners round, with smooth edges.
    ///
    /// - Parameters:
    ///   - radius: Absolute or relative to a side.
    ///   - corners: Default: all four.
    ///   - border: The line along the edge. Default: none.
    ///   - background: The colour that the image is drawn on, which shows behind the corners and where the image is
    ///     transparent. Default: none; the corners become transparent.
    public static func roundCorners(
        radius: ImageLength,
        corners: Corners = .all,
        border: Border? = nil,
        background: Color? = nil
    ) -> ImageProcessorChain {
        roundCorners(RoundedCorners(radius, corners: corners), border: border, background: background)
    }

    /// Makes the corners round, each with a radius of its own.
    ///
    /// - Parameters:
    ///   - corners: The radii.
    ///   - border: The line along the edge. Default: none.
    ///   - background: As above. Default: none.
    public static func roundCorners(
        _ corners: RoundedCorners,
        border: Border? = nil,
        background: Color? = nil
    ) -> ImageProcessorChain {
        ImageProcessorChain(RoundCornersProcessor(corners: corners, border: border, background: background))
    }

    /// Cuts a disc out of the middle of an image, as wide as its shorter side.
    ///
    /// - Parameters:
    ///   - border: The line along the edge. Default: none.
    ///   - background: The colour behind the disc. Default: none.
    public static func circle(border: Border? = nil, background: Color? = nil) -> ImageProcessorChain {
        ImageProcessorChain(CircleProcessor(border: border, background: background))
    }

    /// Draws a line along the sides of an image, and cuts nothing off: beyond round corners of the line, the image shows.
    ///
    /// - Parameters:
    ///   - border: The line.
    ///   - corners: The radii of its corners: those of its outer side, or of its middle where it is
    ///     ``BorderPlacement/centered``. Default: none is round.
    public static func border(_ border: Border, corners: RoundedCorners = RoundedCorners()) -> ImageProcessorChain {
        ImageProcessorChain(BorderProcessor(border: border, corners: corners))
    }
}
