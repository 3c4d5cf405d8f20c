internal import Halcyon
internal import ServerURLs

/// The place of an area within an image, in pixels.
struct Placement: Hashable, Sendable {
    let gravity: ImagePlan.Gravity
    /// The factor of offsets in pixels.
    let density: Double

    /// Returns the rectangle of a size within an image, as far as its edges allow.
    ///
    /// - Parameters:
    ///   - area: The size of the rectangle; no side is longer than that of the image.
    ///   - image: The image, whose pixels the smart gravity looks at.
    ///   - full: The size that the image stands for, in whose pixels a focus may be.
    func rectangle(of area: PixelSize, in image: DecodedImage, standingFor full: PixelSize, isCancelled: () -> Bool)
        throws
        -> PixelRect
    {
        let size = image.size
        let free = (x: Double(size.width - area.width), y: Double(size.height - area.height))
        let x: Double
        let y: Double
        switch gravity {
        case .anchor(let anchorX, let anchorY, let offsetX, let offsetY):
            x = free.x * anchorX + offset(offsetX, anchorX, size.width)
            y = free.y * anchorY + offset(offsetY, anchorY, size.height)
        case .focus(let focusX, let focusY):
            (x, y) = centered(area, at: focusX * Double(size.width), focusY * Double(size.height))
        case .focusPixels(let focusX, let focusY):
            let scale = (Double(size.width) / Double(full.width), Double(size.height) / Double(full.height))
            (x, y) = centered(area, at: focusX * scale.0, focusY * scale.1)
        case .smart:
            // The frames of an animation have to be cut alike.
            guard !image.info.isAnimated else {
                return try Placement(gravity: .center, density: 1)
                    .rectangle(of: area, in: image, standingFor: full, isCancelled: isCancelled)
            }
            let origin = try Saliency(of: image.bitmap, isCancelled: isCancelled).bestOrigin(of: area)
            (x, y) = (Double(origin.x), Double(origin.y))
        }
        return PixelRect(
            x: Int(min(max(0, x), free.x).rounded()),
            y: Int(min(max(0, y), free.y).rounded()),
            width: area.width,
            height: area.height
        )
    }

    private func centered(_ area: PixelSize, at x: Double, _ y: Double) -> (Double, Double) {
        (x - Double(area.width) / 2, y - Double(area.height) / 2)
    }

    /// Offsets lead away from the edge that the anchor is at, and from the middle to the right and down.
    ///
    /// - Returns: Pixels to the right, or down.
    func offset(_ offset: Double, _ anchor: Double, _ side: Int) -> Double {
        let pixels = abs(offset) < 1 ? offset * Double(side) : offset * density
        return anchor == 1 ? -pixels : pixels
    }

    /// Returns the origin of an image within a larger area, as far as the edges of the area allow.
    func origin(of size: PixelSize, within area: PixelSize) -> PixelPoint {
        let free = (x: Double(area.width - size.width), y: Double(area.height - size.height))
        let origin: (Double, Double)
        switch gravity {
        case .anchor(let x, let y, let offsetX, let offsetY):
            origin = (free.x * x + offset(offsetX, x, area.width), free.y * y + offset(offsetY, y, area.height))
        case .focus(let x, let y):
            origin = centered(size, at: x * Double(area.width), y * Double(area.height))
        // Points of the image that are no places in the area.
        case .focusPixels, .smart: origin = (free.x / 2, free.y / 2)
        }
        return PixelPoint(
            Int(min(max(0, origin.0), free.x).rounded()),
            Int(min(max(0, origin.1), free.y).rounded())
        )
    }

    func encode(into encoder: inout CacheKeyEncoder) {
        encoder.encode(density)
        switch gravity {
        case .anchor(let x, let y, let offsetX, let offsetY):
            encoder.encode("anchor")
            for value in [x, y, offsetX, offsetY] { encoder.encode(value) }
        case .focus(let x, let y):
            encoder.encode("focus")
            for value in [x, y] { encoder.encode(value) }
        case .focusPixels(let x, let y):
            encoder.encode("focusPixels")
            for value in [x, y] { encoder.encode(value) }
        case .smart: encoder.encode("smart")
        }
    }
}
