internal import Halcyon

/// The parts of an image that the eye goes to: edges, saturated colours, and tones of skin, on a reduced copy of it.
///
/// The measures are those of Itti, Koch and Niebur, "A model of saliency-based visual attention" (1998), reduced to
/// intensity contrast and colour opponency at one scale, with skin as a third, and weaker, one. No model files.
struct Saliency {
    /// The longest side of the copy.
    static let longestSide = 128
    /// The weights of edges, saturation and skin.
    private static let weights = (edge: 1.0, saturation: 0.35, skin: 0.9)

    /// The direction of the colours of skin, of any lightness.
    private static let tone = SIMD3(0.78, 0.5, 0.38)
    private static let luminance = SIMD3(0.2126, 0.7152, 0.0722)

    private let size: PixelSize
    private let full: PixelSize
    /// Sums of the measure over all rows above and columns to the left; one row and one column more than the copy.
    private let sums: [Double]

    /// Measures an image.
    ///
    /// - Throws: ``BitmapError``, `CancellationError`.
    init(of bitmap: Bitmap, isCancelled: () -> Bool) throws {
        full = bitmap.size
        let reduced = full.fitting(in: PixelSize(Self.longestSide, Self.longestSide))
        let isReduced = reduced.width < full.width || reduced.height < full.height
        let copy = isReduced ? try bitmap.resampled(to: reduced, isCancelled: isCancelled) : bitmap
        size = copy.size
        let pixels = copy.straightRGBA().map { Double($0) / 255 }
        let (width, height) = (size.width, size.height)
        let lightness = stride(from: 0, to: pixels.count, by: 4).map { at -> Double in
            let color = SIMD3(pixels[at], pixels[at + 1], pixels[at + 2]) * Self.luminance
            return color.sum() * pixels[at + 3]
        }
        var sums = [Double](repeating: 0, count: (width + 1) * (height + 1))
        for y in 0..<height {
            if isCancelled() { throw CancellationError() }
            var row = 0.0
            for x in 0..<width {
                let at = y * width + x
                let left = lightness[y * width + max(0, x - 1)], right = lightness[y * width + min(width - 1, x + 1)]
                let above = lightness[max(0, y - 1) * width + x], below = lightness[min(height - 1, y + 1) * width + x]
                let edge = abs(4 * lightness[at] - left - right - above - below)
                row += Self.measure(edge: edge, Array(pixels[at * 4..<at * 4 + 4]))
                sums[(y + 1) * (width + 1) + x + 1] = sums[y * (width + 1) + x + 1] + row
            }
        }
        self.sums = sums
    }

    private static func measure(edge: Double, _ pixel: [Double]) -> Double {
        let (red, green, blue) = (pixel[0], pixel[1], pixel[2])
        let (most, least) = (max(red, green, blue), min(red, green, blue))
        // Very dark and very bright pixels have large saturations that nobody sees.
        let saturation = most > 0.1 && least < 0.95 ? (most - least) / most * most : 0
        let length = (SIMD3(red, green, blue) * SIMD3(red, green, blue)).sum().squareRoot()
        var skin = 0.0
        if length > 0.35 {
            let difference = SIMD3(red, green, blue) / length - tone
            skin = max(0, 1 - (difference * difference).sum().squareRoot() / 0.2)
        }
        return (weights.edge * edge + weights.saturation * saturation + weights.skin * skin) * pixel[3]
    }

    /// Returns the origin of the area of this size that has the largest sum of the measure, and of equal ones the
    /// one nearest to the middle.
    func bestOrigin(of area: PixelSize) -> PixelPoint {
        let scale = (x: Double(size.width) / Double(full.width), y: Double(size.height) / Double(full.height))
        let width = min(size.width, max(1, Int((Double(area.width) * scale.x).rounded())))
        let height = min(size.height, max(1, Int((Double(area.height) * scale.y).rounded())))
        var best = (value: -1.0, x: 0, y: 0)
        let middle = (x: Double(size.width - width) / 2, y: Double(size.height - height) / 2)
        let reach = max(1, middle.x + middle.y)
        for y in 0...(size.height - height) {
            for x in 0...(size.width - width) {
                // The distance decides only between what differs by less than 2 %.
                let distance = (abs(Double(x) - middle.x) + abs(Double(y) - middle.y)) / reach
                let value = (sum(x, y, width, height) + 1e-9) * (1 - 0.02 * distance)
                if value > best.value { best = (value, x, y) }
            }
        }
        return PixelPoint(Int(Double(best.x) / scale.x), Int(Double(best.y) / scale.y))
    }

    private func sum(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> Double {
        let row = size.width + 1
        return sums[(y + height) * row + x + width] - sums[y * row + x + width] - sums[(y + height) * row + x]
            + sums[y * row + x]
    }
}
