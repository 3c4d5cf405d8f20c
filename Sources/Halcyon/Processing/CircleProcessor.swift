public import HalcyonCodecs
public import HalcyonRaster

/// A processor that cuts a disc out of the middle of an image, as wide as its shorter side.
public struct CircleProcessor: ImageProcessing {
    /// The line along the edge; `nil` for none.
    public let border: Border?
    /// The colour behind the disc; `nil` for none.
    public let background: Color?

    /// A processor with these parameters. Default: no line, no background.
    public init(border: Border? = nil, background: Color? = nil) {
        self.border = border
        self.background = background
    }

    /// A Boolean value that indicates whether there is no line, or one whose width is a part of a side.
    public var scalesWithImage: Bool { border?.width.isRelative != false }

    /// Returns the processor with its lengths in pixels.
    public func inPixels(atScale scale: Double) -> CircleProcessor {
        CircleProcessor(border: border?.inPixels(atScale: scale), background: background)
    }

    /// Returns the size of the square around the disc.
    public func workingSize(for image: DecodedImage) -> PixelSize { Self.square(in: image.size) }

    /// Writes line and background.
    public func encodeParameters(into encoder: inout CacheKeyEncoder) {
        encoder.encode(border != nil)
        border?.encode(into: &encoder)
        encoder.encode(background != nil)
        background?.encodeComponents(into: &encoder)
    }

    /// Returns the disc.
    ///
    /// - Throws: ``BitmapError``, `CancellationError`.
    public func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        try processInOnePass(image, isCancelled: isCancelled)
    }

    private static func square(in size: PixelSize) -> PixelSize {
        let side = min(size.width, size.height)
        return PixelSize(side, side)
    }
}

extension CircleProcessor: PassProcessing {
    func add(to pass: inout BitmapPass, fullSize: PixelSize) -> Bool {
        let square = Self.square(in: pass.size)
        guard pass.crop(to: pass.size.cropRect(for: square)) else { return false }
        pass.add(
            ImageFrame(
                radii: CornerRadii(Double(square.width) / 2),
                border: border?.pixels(in: square),
                background: background
            )
        )
        return true
    }
}
