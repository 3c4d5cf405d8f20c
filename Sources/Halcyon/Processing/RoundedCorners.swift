internal import HalcyonCodecs
public import HalcyonRaster

/// The radius of each corner of an image.
public struct RoundedCorners: Sendable, Hashable {
    /// The radius of the top left corner.
    public var topLeft: ImageLength
    /// The radius of the top right corner.
    public var topRight: ImageLength
    /// The radius of the bottom left corner.
    public var bottomLeft: ImageLength
    /// The radius of the bottom right corner.
    public var bottomRight: ImageLength

    /// Creates corners. Default of each: square.
    public init(
        topLeft: ImageLength = .pixels(0),
        topRight: ImageLength = .pixels(0),
        bottomLeft: ImageLength = .pixels(0),
        bottomRight: ImageLength = .pixels(0)
    ) {
        self.topLeft = topLeft
        self.topRight = topRight
        self.bottomLeft = bottomLeft
        self.bottomRight = bottomRight
    }

    /// Creates corners of one radius.
    ///
    /// - Parameters:
    ///   - radius: The radius.
    ///   - corners: Those with the radius; the others are square. Default: all four.
    public init(_ radius: ImageLength, corners: Corners = .all) {
        self.init(
            topLeft: corners.contains(.topLeft) ? radius : .pixels(0),
            topRight: corners.contains(.topRight) ? radius : .pixels(0),
            bottomLeft: corners.contains(.bottomLeft) ? radius : .pixels(0),
            bottomRight: corners.contains(.bottomRight) ? radius : .pixels(0)
        )
    }

    private var all: [ImageLength] { [topLeft, topRight, bottomLeft, bottomRight] }

    func pixels(in size: PixelSize) -> CornerRadii {
        CornerRadii(
            topLeft: topLeft.pixels(in: size),
            topRight: topRight.pixels(in: size),
            bottomLeft: bottomLeft.pixels(in: size),
            bottomRight: bottomRight.pixels(in: size)
        )
    }

    func inPixels(atScale scale: Double) -> RoundedCorners {
        RoundedCorners(
            topLeft: topLeft.inPixels(atScale: scale),
            topRight: topRight.inPixels(atScale: scale),
            bottomLeft: bottomLeft.inPixels(atScale: scale),
            bottomRight: bottomRight.inPixels(atScale: scale)
        )
    }

    /// A Boolean value that indicates whether all radii are parts of a side.
    var isRelative: Bool { all.allSatisfy { $0.isRelative } }

    func encode(into encoder: inout CacheKeyEncoder) {
        for radius in all {
            radius.encode(into: &encoder, pixels: 3, width: 1, height: 2)
        }
    }
}

/// A processor that makes the corners of an image round, and draws a line along its edge.
struct RoundCornersProcessor: ImageProcessing {
    /// The second version mixes each pixel of an edge in one step, instead of rounding after each.
    static let version = 2

    let corners: RoundedCorners
    let border: Border?
    let background: Color?

    /// A Boolean value that indicates whether all lengths are parts of a side.
    var scalesWithImage: Bool { corners.isRelative && border?.width.isRelative != false }

    func inPixels(atScale scale: Double) -> RoundCornersProcessor {
        RoundCornersProcessor(
            corners: corners.inPixels(atScale: scale),
            border: border?.inPixels(atScale: scale),
            background: background
        )
    }

    func encodeParameters(into encoder: inout CacheKeyEncoder) {
        corners.encode(into: &encoder)
        encoder.encode(border != nil)
        border?.encode(into: &encoder)
        encoder.encode(background != nil)
        background?.encode(into: &encoder)
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
