public import HalcyonCodecs
internal import HalcyonRaster

/// A processor that draws a line along the sides of an image. It cuts nothing off: beyond round corners of the line, the
/// image shows. ``RoundCornersProcessor`` cuts as well.
public struct BorderProcessor: ImageProcessing {
    /// The line.
    public let border: Border
    /// The radius of each corner of the line: that of its outer side, or of its middle where it is
    /// ``BorderPlacement/centered``.
    public let corners: RoundedCorners

    /// A processor with these parameters. Default: square corners.
    public init(border: Border, corners: RoundedCorners = RoundedCorners()) {
        self.border = border
        self.corners = corners
    }

    /// A Boolean value that indicates whether all lengths are parts of a side.
    public var scalesWithImage: Bool { corners.isRelative && border.width.isRelative }

    /// Returns the processor with its lengths in pixels.
    public func inPixels(atScale scale: Double) -> BorderProcessor {
        BorderProcessor(border: border.inPixels(atScale: scale), corners: corners.inPixels(atScale: scale))
    }

    /// Writes line and radii.
    public func encodeParameters(into encoder: inout CacheKeyEncoder) {
        border.encode(into: &encoder)
        corners.encode(into: &encoder)
    }

    /// Returns the image with the line.
    ///
    /// - Throws: ``BitmapError``, `CancellationError`.
    public func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        try processInOnePass(image, isCancelled: isCancelled)
    }
}

extension BorderProcessor: PassProcessing {
    func add(to pass: inout BitmapPass, fullSize: PixelSize) -> Bool {
        let size = pass.size
        pass.add(ImageFrame(radii: corners.pixels(in: size), cutsImage: false, border: border.pixels(in: size)))
        return true
    }
}
