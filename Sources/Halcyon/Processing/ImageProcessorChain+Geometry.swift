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

    /// Rotates an image about its middle by any angle, with smooth edges.
    ///
    /// - Parameters:
    ///   - degrees: The angle, clockwise.
    ///   - expands: A Boolean value that indicates whether the result is as large as it takes to show the whole image;
    ///     otherwise it has the size of the image. Default: `true`.
    ///   - interpolation: Default: ``Interpolation/bicubic``.
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
}
