public import HalcyonCodecs
public import HalcyonRaster

/// A processor that makes the corners of an image round, and draws a line along its edge.
public struct RoundCornersProcessor: ImageProcessing {
    /// The second version mixes each pixel of an edge in one step, instead of rounding after each.
    public static let version = 2

    /// The radius of each corner.
    public let corners: RoundedCorners
    /// The line along the edge; `nil` for none.
    public let border: Border?
    /// The colour that the image is drawn on, which shows behind the corners and where the image is transparent; `nil`:
    /// none, the corners become transparent.
    public let background: Color?

    /// A processor with these parameters. Default: no line, no background.
    public init(corners: RoundedCorners, border: Border? = nil, background: Color? = nil) {
        self.corners = corners
        self.border = border
        self.background = background
    }

    /// A Boolean value that indicates whether all lengths are parts of a side.
    public var scalesWithImage: Bool { corners.isRelative && border?.width.isRelative != false }

    /// Returns the processor with its lengths in pixels.
    public func inPixels(atScale scale: Double) -> RoundCornersProcessor {
        RoundCornersProcessor(
            corners: corners.inPixels(atScale: scale),
            border: border?.inPixels(atScale: scale),
            background: background
        )
    }

    /// Writes radii, line and background.
    public func encodeParameters(into encoder: inout CacheKeyEncoder) {
        corners.encode(into: &encoder)
        encoder.encode(border != nil)
        border?.encode(into: &encoder)
        encoder.encode(background != nil)
        background?.encodeComponents(into: &encoder)
    }

    /// Returns the image with round corners.
    ///
    /// - Throws: ``BitmapError``, `CancellationError`.
    public func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        try processInOnePass(image, isCancelled: isCancelled)
    }
}

extension RoundCornersProcessor: PassProcessing {
    func add(to pass: inout BitmapPass, fullSize: PixelSize) -> Bool {
        let size = pass.size
        pass.add(
            ImageFrame(radii: corners.pixels(in: size), border: border?.pixels(in: size), background: background)
        )
        return true
    }
}
