/// The shape that an image is cut to, the line along its edge, and the colour behind both.
package struct ImageFrame: Hashable, Sendable {
    /// The radii of the corners, in pixels.
    package var radii: CornerRadii
    /// A Boolean value that indicates whether the image is cut at the edge; if not, the line alone follows the radii.
    package var cutsImage: Bool
    /// The line along the edge; `nil` for none.
    package var border: PixelBorder?
    /// The colour behind the image; `nil` for none.
    package var background: Color?

    /// Creates a frame.
    package init(radii: CornerRadii, cutsImage: Bool = true, border: PixelBorder? = nil, background: Color? = nil) {
        self.radii = radii
        self.cutsImage = cutsImage
        self.border = border
        self.background = background
    }

    /// The areas of an image with a frame. What lies in `line` and not in `hole` is drawn with the colour of the border.
    struct Shapes {
        /// The area of the image.
        let image: RoundedRectangle
        /// The area within the outer side of the line.
        let line: RoundedRectangle
        /// The area within the inner side of the line, which lies in both others.
        let hole: RoundedRectangle
    }

    /// Returns the areas for an image of this size.
    func shapes(in size: PixelSize) -> Shapes {
        let width = border?.width(in: size) ?? 0
        let whole = RoundedRectangle(in: size, radii: CornerRadii())
        guard width > 0 else {
            let image = cutsImage ? RoundedRectangle(in: size, radii: radii) : whole
            return Shapes(image: image, line: image, hole: image)
        }
        // The distance from the side of the image to the edge that the radii belong to.
        let margin = border?.placement == .centered ? width / 2 : 0
        let radii = radii.fitted(width: Double(size.width) - 2 * margin, height: Double(size.height) - 2 * margin)
        return Shapes(
            image: cutsImage ? RoundedRectangle(in: size, inset: margin, radii: radii) : whole,
            line: RoundedRectangle(in: size, radii: radii.offset(by: margin)),
            hole: RoundedRectangle(in: size, inset: width, radii: radii.offset(by: margin - width))
        )
    }
}
