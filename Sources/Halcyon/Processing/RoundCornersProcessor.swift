public import HalcyonCodecs
public import HalcyonRaster

/// A processor that makes the corners of an image round.
public struct RoundCornersProcessor: ImageProcessing {
    /// The radius of the corners.
    public let radius: CornerRadius
    /// The corners to make round.
    public let corners: Corners
    /// The colour that the image is drawn on, which shows behind the corners and where the image is transparent; `nil`:
    /// none, the corners become transparent.
    public let background: Color?

    /// A processor with these parameters.
    public init(radius: CornerRadius, corners: Corners, background: Color?) {
        self.radius = radius
        self.corners = corners
        self.background = background
    }

    /// A Boolean value that indicates whether the radius is in points.
    public var hasLengthsInPoints: Bool { if case .points = radius { true } else { false } }

    /// A Boolean value that indicates whether the radius is a part of a side.
    public var scalesWithImage: Bool {
        switch radius {
        case .widthFraction, .heightFraction: true
        case .points, .pixels: false
        }
    }

    /// Returns the processor with a radius in points in pixels.
    public func inPixels(atScale scale: Double) -> RoundCornersProcessor {
        guard case .points(let value) = radius else { return self }
        return RoundCornersProcessor(radius: .pixels(value * scale), corners: corners, background: background)
    }

    /// Writes radius, corners and background.
    public func encodeParameters(into encoder: inout CacheKeyEncoder) {
        switch radius {
        case .points(let value):
            encoder.encode(0)
            encoder.encode(value)
        case .widthFraction(let value):
            encoder.encode(1)
            encoder.encode(value)
        case .heightFraction(let value):
            encoder.encode(2)
            encoder.encode(value)
        case .pixels(let value):
            encoder.encode(3)
            encoder.encode(value)
        }
        encoder.encode(Int(corners.rawValue))
        encoder.encode(background != nil)
        if let background {
            encoder.encode(background.red)
            encoder.encode(background.green)
            encoder.encode(background.blue)
            encoder.encode(background.alpha)
        }
    }

    /// Returns the image with round corners.
    ///
    /// - Throws: ``BitmapError``.
    public func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        let bitmap = try image.bitmap.roundingCorners(
            radius: radius.pixels(in: image.size),
            corners: corners,
            background: background
        )
        return image.replacingBitmap(bitmap)
    }
}

/// The radius of a corner.
public enum CornerRadius: Sendable, Hashable {
    /// In points, which become pixels by ``DeliveryPolicy/scale``: at scale 1, a point is a pixel.
    case points(Double)
    /// In pixels.
    case pixels(Double)
    /// As a part of the width; useful up to 0.5.
    case widthFraction(Double)
    /// As a part of the height; useful up to 0.5.
    case heightFraction(Double)

    func pixels(in size: PixelSize) -> Double {
        switch self {
        case .points(let value), .pixels(let value): value
        case .widthFraction(let fraction): fraction * Double(size.width)
        case .heightFraction(let fraction): fraction * Double(size.height)
        }
    }
}
