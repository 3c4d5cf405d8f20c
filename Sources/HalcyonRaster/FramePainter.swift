/// Draws an ``ImageFrame`` row by row into an image, in place: a row that is still in the processor's cache is not read
/// from memory again.
///
/// Each pixel is the sum of its areas: that of the image, that of the line, and the rest, with the colour behind. Drawn
/// one after the other instead, the image would shine through at the edge of the line.
struct FramePainter {
    private let width: Int
    private let depth: SampleDepth
    private let shapes: ImageFrame.Shapes
    private let ink: SIMD4<Float>
    private let backdrop: SIMD4<Float>
    /// The opacity of the line, from 0 to 1.
    private let opacity: Float
    /// A Boolean value that indicates whether the backdrop shows through the image.
    private let showsBackdrop: Bool

    /// A Boolean value that indicates whether the image with the frame is opaque.
    let isOpaque: Bool
    /// A Boolean value that indicates whether no pixel changes.
    let isIdentity: Bool

    /// As many of each as the image has columns; valid as long as the memory lives.
    private let losses: UnsafeMutablePointer<Double>
    private let image: UnsafeMutablePointer<Float>
    private let line: UnsafeMutablePointer<Float>
    private let hole: UnsafeMutablePointer<Float>
    private let memory: PixelBuffer

    /// Creates a painter for images of one size.
    ///
    /// - Parameter isOpaque: A Boolean value that indicates whether the image without the frame is opaque.
    /// - Throws: ``BitmapError/outOfMemory(byteCount:)``.
    init(_ frame: ImageFrame, size: PixelSize, depth: SampleDepth, isOpaque: Bool) throws(BitmapError) {
        width = size.width
        self.depth = depth
        shapes = frame.shapes(in: size)
        let maximum = depth == .eight ? 255.0 : 65_535
        ink = frame.border?.color.premultipliedSamples(maximum: maximum) ?? .zero
        opacity = ink.w / Float(maximum)
        backdrop = frame.background?.premultipliedSamples(maximum: maximum) ?? .zero
        showsBackdrop = frame.background != nil && !isOpaque
        let hasLine = frame.border.map { $0.width(in: size) > 0 } ?? false
        isIdentity = !hasLine && shapes.image.isWhole && !showsBackdrop
        self.isOpaque = frame.background?.isOpaque(at: depth) == true || (isOpaque && shapes.image.isWhole)
        memory = try PixelBuffer(byteCount: size.width * 20)
        losses = memory.pointer.bindMemory(to: Double.self, capacity: size.width)
        losses.update(repeating: 0, count: size.width)
        image = (memory.pointer + size.width * 8).bindMemory(to: Float.self, capacity: size.width * 3)
        image.update(repeating: 0, count: size.width * 3)
        line = image + size.width
        hole = line + size.width
    }

    /// Draws the frame into row `y`.
    func paint(_ pixels: UnsafeMutablePointer<UInt8>, row y: Int) {
        let rows = (
            image: shapes.image.cover(row: y, shares: image, losses: losses),
            line: shapes.line.cover(row: y, shares: line, losses: losses),
            hole: shapes.hole.cover(row: y, shares: hole, losses: losses)
        )
        let left = max(rows.image.left, rows.line.left, rows.hole.left)
        let right = min(width - left, max(rows.image.right, rows.line.right, rows.hole.right))
        combine(0..<left, rows.image, rows.line, rows.hole)
        combine((width - right)..<width, rows.image, rows.line, rows.hole)
        let middle = shares(rows.image.middle, rows.line.middle, rows.hole.middle)
        if middle.image == 1, middle.line == 0, !showsBackdrop {
            mix(pixels, 0..<left)
            mix(pixels, (width - right)..<width)
        } else {
            for x in left..<(width - right) {
                image[x] = middle.image
                line[x] = middle.line
            }
            mix(pixels, 0..<width)
        }
    }

    /// Turns the covered areas of pixels into the shares of image and line.
    private func combine(
        _ span: Range<Int>,
        _ imageRow: RoundedRectangle.Row,
        _ lineRow: RoundedRectangle.Row,
        _ holeRow: RoundedRectangle.Row
    ) {
        func share(_ row: RoundedRectangle.Row, _ values: UnsafeMutablePointer<Float>, _ x: Int) -> Float {
            x < row.left || x >= width - row.right ? values[x] : row.middle
        }
        for x in span {
            let shares = shares(share(imageRow, image, x), share(lineRow, line, x), share(holeRow, hole, x))
            image[x] = shares.image
            line[x] = shares.line
        }
    }

    /// Returns the shares of image and line in a pixel, from the areas of it that the shapes cover.
    private func shares(_ image: Float, _ line: Float, _ hole: Float) -> (image: Float, line: Float) {
        // One of image and line lies in the other, and the hole in both.
        let overlap = max(0, min(image, line) - hole)
        return (max(0, image - opacity * overlap), max(0, line - hole))
    }

    private func mix(_ pixels: UnsafeMutablePointer<UInt8>, _ span: Range<Int>) {
        guard !span.isEmpty else { return }
        depth.frame(
            pixels + span.lowerBound * depth.bytesPerPixel,
            image: image + span.lowerBound,
            line: line + span.lowerBound,
            ink,
            backdrop,
            span.count
        )
    }
}
