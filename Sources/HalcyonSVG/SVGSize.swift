internal import HalcyonCodecs
internal import HalcyonRaster

/// The size of a drawing in pixels, before it is rounded.
struct SVGSize: Equatable {
    let width: Double
    let height: Double

    /// A drawing that shows a rectangle of the plane.
    init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    /// The size a root element states, `nil` where it leaves it open: a side that is missing follows from the other
    /// one by the shape of the view box, or is that of the view box. Without one it is that of any image whose size is
    /// unknown (CSS Images 3 section 5.1).
    init?(_ root: SVGRootElement) {
        guard !root.hasUnreadableSize else {
            return nil
        }
        let box = root.viewBox
        var (width, height) = (Self.pixels(root.width, of: box?.width), Self.pixels(root.height, of: box?.height))
        if let box {
            if let width, root.height == nil {
                height = width * box.height / box.width
            } else if let height, root.width == nil {
                width = height * box.width / box.height
            }
        } else if width != nil || height != nil {
            (width, height) = (width ?? Self.unknown.width, height ?? Self.unknown.height)
        }
        guard let width = width ?? box?.width, let height = height ?? box?.height, width > 0, height > 0,
            width.isFinite, height.isFinite
        else {
            return nil
        }
        self.width = width
        self.height = height
    }

    /// The size of an image of which no size is known (CSS 2.1 section 10.3.2).
    static let unknown = SVGSize(width: 300, height: 150)

    private static func pixels(_ length: SVGLength?, of side: Double?) -> Double? {
        switch length {
        case .pixels(let pixels): pixels
        case .fraction(let fraction): side.map { $0 * fraction }
        case nil: nil
        }
    }
}

extension SVGSize {
    /// Whole pixels that hold the drawing.
    var pixels: PixelSize { PixelSize(Self.pixels(width), Self.pixels(height)) }

    /// The smallest size of the same shape that covers `target`.
    func covering(_ target: PixelSize) -> PixelSize {
        let scale = max(Double(max(1, target.width)) / width, Double(max(1, target.height)) / height)
        return PixelSize(Self.pixels(width * scale), Self.pixels(height * scale))
    }

    /// Rounded up, but for what arithmetic adds to a whole number. What no limit would let pass is cut off.
    private static func pixels(_ length: Double) -> Int {
        max(1, Int(min((length - 1e-6).rounded(.up), 1e15)))
    }
}
