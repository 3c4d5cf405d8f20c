public import HalcyonRaster

extension ImageProcessorChain {
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

    /// Draws a line along the sides of an image, and cuts nothing off.
    ///
    /// - Parameters:
    ///   - border: The line.
    ///   - corners: The radii of its corners. Default: none is round.
    public static func border(_ border: Border, corners: RoundedCorners = RoundedCorners()) -> ImageProcessorChain {
        ImageProcessorChain(BorderProcessor(border: border, corners: corners))
    }
}
