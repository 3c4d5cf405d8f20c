import HalcyonRaster

/// A frame drawn with floating-point numbers: each row of pixels is cut into thin lines, on which the edges are points
/// that plain geometry names.
struct ExactFrame {
    var radii: CornerRadii
    var cutsImage = true
    var border: PixelBorder?
    var background: Color?

    /// A rectangle with round corners, `inset` pixels away from the sides of the image.
    private struct Shape {
        let size: SIMD2<Double>
        let inset: Double
        let radii: CornerRadii

        init(_ size: PixelSize, inset: Double, radii: CornerRadii) {
            self.size = SIMD2(Double(size.width), Double(size.height))
            self.inset = inset
            self.radii = radii
        }

        /// Returns the ends of the shape on a horizontal line; equal ones where it has none of the line.
        func ends(at y: Double) -> (Double, Double) {
            let (fromTop, fromBottom) = (y - inset, size.y - inset - y)
            guard fromTop > 0, fromBottom > 0 else { return (0, 0) }
            func indent(_ top: Double, _ bottom: Double) -> Double {
                func arc(_ radius: Double, _ distance: Double) -> Double {
                    guard distance < radius else { return 0 }
                    return radius - (radius * radius - (radius - distance) * (radius - distance)).squareRoot()
                }
                return inset + max(arc(top, fromTop), arc(bottom, fromBottom))
            }
            let left = indent(radii.topLeft, radii.bottomLeft)
            return (left, max(left, size.x - indent(radii.topRight, radii.bottomRight)))
        }
    }

    /// Returns the samples of an image with the frame, not rounded.
    ///
    /// - Parameter lines: The number of lines that a row of pixels is cut into.
    func samples(of bitmap: Bitmap, lines: Int) -> [Double] {
        let maximum = bitmap.depth == .eight ? 255.0 : 65_535
        let source = bitmap.samples
        let width = min(max(0, border?.width ?? 0), Double(min(bitmap.width, bitmap.height)) / 2)
        let margin = border?.placement == .centered ? width / 2 : 0
        let ink = SIMD4<Double>(premultiplying: width > 0 ? border?.color ?? .clear : .clear) * maximum
        let backdrop = SIMD4<Double>(premultiplying: background ?? .clear) * maximum
        func moved(_ distance: Double) -> CornerRadii {
            func radius(_ radius: Double) -> Double { radius > 0 ? max(0, radius + distance) : 0 }
            return CornerRadii(
                topLeft: radius(radii.topLeft),
                topRight: radius(radii.topRight),
                bottomLeft: radius(radii.bottomLeft),
                bottomRight: radius(radii.bottomRight)
            )
        }
        let image =
            cutsImage
            ? Shape(bitmap.size, inset: margin, radii: radii) : Shape(bitmap.size, inset: 0, radii: CornerRadii())
        let line = Shape(bitmap.size, inset: 0, radii: moved(margin))
        let hole = Shape(bitmap.size, inset: width, radii: moved(margin - width))
        var result: [Double] = []
        for y in 0..<bitmap.height {
            let ends = (0..<lines).map { number in
                let position = Double(y) + (Double(number) + 0.5) / Double(lines)
                return (image.ends(at: position), line.ends(at: position), hole.ends(at: position))
            }
            for x in 0..<bitmap.width {
                var (imageShare, lineShare, commonShare) = (0.0, 0.0, 0.0)
                func length(_ start: Double, _ end: Double) -> Double {
                    max(0, min(end, Double(x + 1)) - max(start, Double(x)))
                }
                for (image, line, hole) in ends {
                    imageShare += length(image.0, image.1)
                    guard width > 0 else { continue }
                    lineShare += length(line.0, line.1) - length(hole.0, hole.1)
                    commonShare +=
                        length(max(image.0, line.0), min(image.1, line.1))
                        - length(max(image.0, hole.0), min(image.1, hole.1))
                }
                let pixel = SIMD4(source[((y * bitmap.width + x) * 4)..<((y * bitmap.width + x) * 4 + 4)])
                let share = (imageShare - commonShare * ink.w / maximum) / Double(lines)
                let above = pixel * share + ink * (lineShare / Double(lines))
                let mixed = above + backdrop * (1 - above.w / maximum)
                result += [mixed.x, mixed.y, mixed.z, mixed.w]
            }
        }
        return result
    }
}

extension SIMD4<Double> {
    /// The components of a colour, multiplied by alpha, from 0 to 1.
    init(premultiplying color: Color) {
        self = SIMD4(color.red, color.green, color.blue, 1) * color.alpha
    }
}
