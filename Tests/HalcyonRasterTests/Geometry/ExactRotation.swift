import Glibc
import HalcyonRaster

/// A rotation with floating-point numbers: the weight of each pixel by the filter's formula, and the covered part of a
/// pixel from thin lines, on which plain geometry names the ends of the rotated image.
struct ExactRotation {
    let degrees: Double
    var isBicubic = false
    var background = Color.clear

    /// Returns the samples of an image, not rounded.
    ///
    /// - Parameters:
    ///   - size: That of the result.
    ///   - lines: The number of lines that a row of pixels is cut into.
    func samples(of bitmap: Bitmap, size: PixelSize, lines: Int) -> [Double] {
        let source = bitmap.samples
        let maximum = bitmap.depth == .eight ? 255.0 : 65_535
        let backdrop = SIMD4<Double>(premultiplying: background) * maximum
        var result: [Double] = []
        for y in 0..<size.height {
            let ends = (0..<lines).map { number -> (Double, Double) in
                let position = Double(y) + (Double(number) + 0.5) / Double(lines)
                return self.ends(at: position, of: bitmap.size, in: size)
            }
            for x in 0..<size.width {
                var covered = 0.0
                for (first, last) in ends {
                    covered += max(0, min(last, Double(x + 1)) - max(first, Double(x)))
                }
                let place = place(Double(x) + 0.5, Double(y) + 0.5, of: bitmap.size, in: size)
                var pixel = SIMD4<Double>.zero
                let (column, row) = (Int((place.x - 0.5).rounded(.down)), Int((place.y - 0.5).rounded(.down)))
                for v in (row - 1)...(row + 2) {
                    for u in (column - 1)...(column + 2) {
                        let weight = weight(place.x - 0.5 - Double(u)) * weight(place.y - 0.5 - Double(v))
                        let index =
                            min(max(v, 0), bitmap.height - 1) * bitmap.width + min(max(u, 0), bitmap.width - 1)
                        pixel += weight * SIMD4(source[(index * 4)..<(index * 4 + 4)])
                    }
                }
                pixel.clamp(lowerBound: .zero, upperBound: SIMD4(repeating: min(max(pixel.w, 0), maximum)))
                pixel *= covered / Double(lines)
                pixel += backdrop * (1 - pixel.w / maximum)
                result += [pixel.x, pixel.y, pixel.z, pixel.w]
            }
        }
        return result
    }

    private var cosine: Double { cos(degrees * .pi / 180) }
    private var sine: Double { sin(degrees * .pi / 180) }

    private func weight(_ distance: Double) -> Double {
        let x = abs(distance)
        guard isBicubic else { return max(0, 1 - x) }
        if x < 1 { return 1.5 * x * x * x - 2.5 * x * x + 1 }
        return x < 2 ? -0.5 * x * x * x + 2.5 * x * x - 4 * x + 2 : 0
    }

    private func place(_ x: Double, _ y: Double, of size: PixelSize, in result: PixelSize) -> (x: Double, y: Double) {
        let (right, down) = (x - Double(result.width) / 2, y - Double(result.height) / 2)
        return (
            Double(size.width) / 2 + right * cosine + down * sine,
            Double(size.height) / 2 - right * sine + down * cosine
        )
    }

    /// Returns the ends of the rotated image on a horizontal line of the result.
    private func ends(at y: Double, of size: PixelSize, in result: PixelSize) -> (Double, Double) {
        let start = place(0, y, of: size, in: result)
        var (first, last) = (-Double.infinity, Double.infinity)
        for (start, step, length) in [(start.x, cosine, size.width), (start.y, -sine, size.height)] {
            if abs(step) < 1e-9 {
                if start < 0 || start > Double(length) { return (0, 0) }
                continue
            }
            let (one, other) = (-start / step, (Double(length) - start) / step)
            first = max(first, min(one, other))
            last = min(last, max(one, other))
        }
        return (first, max(first, last))
    }
}
