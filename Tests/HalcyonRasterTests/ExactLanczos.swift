import Glibc
import HalcyonRaster

/// Lanczos-3 resampling in double precision, straight from its definition: what the fixed-point one is held against.
enum ExactLanczos {
    /// Unrounded samples, four a pixel, row by row; limited to what the depth has, and colours to alpha as a bitmap's
    /// are.
    static func resampled(_ bitmap: Bitmap, to size: PixelSize) -> [Double] {
        let columns = weights(from: bitmap.width, to: size.width)
        let rows = weights(from: bitmap.height, to: size.height)
        let peak = peak(of: bitmap)
        let values = bitmap.samples
        let pixels = (0..<bitmap.height).map { y in
            (0..<bitmap.width).map { x in
                let first = (y * bitmap.width + x) * 4
                return SIMD4(values[first], values[first + 1], values[first + 2], values[first + 3])
            }
        }
        var samples: [Double] = []
        for row in rows {
            let sums = (0..<bitmap.width).map { x in
                row.values.enumerated().reduce(SIMD4<Double>()) { $0 + pixels[row.start + $1.offset][x] * $1.element }
            }
            for column in columns {
                let sum = column.values.enumerated().reduce(SIMD4<Double>()) {
                    $0 + sums[column.start + $1.offset] * $1.element
                }
                let alpha = min(max(sum.w, 0), peak)
                samples += [min(max(sum.x, 0), alpha), min(max(sum.y, 0), alpha), min(max(sum.z, 0), alpha), alpha]
            }
        }
        return samples
    }

    /// Peak signal to noise ratio in decibels, for a peak of the largest sample.
    static func peakSignalToNoiseRatio(_ bitmap: Bitmap, _ exact: [Double]) -> Double {
        let squares = zip(bitmap.samples, exact).reduce(0.0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
        let peak = peak(of: bitmap)
        return 10 * log10(peak * peak * Double(exact.count) / max(squares, 1e-9))
    }

    private static func peak(of bitmap: Bitmap) -> Double { bitmap.depth == .eight ? 255 : 65_535 }

    private static func weights(from source: Int, to destination: Int) -> [(start: Int, values: [Double])] {
        let scale = Double(source) / Double(destination)
        let stretch = max(1, scale)
        return (0..<destination).map { o in
            let centre = (Double(o) + 0.5) * scale
            let inside = (0..<source).filter { abs((Double($0) + 0.5 - centre) / stretch) < 3 }
            let values = inside.map { lanczos((Double($0) + 0.5 - centre) / stretch) }
            let sum = values.reduce(0, +)
            return (inside[0], values.map { $0 / sum })
        }
    }

    private static func lanczos(_ x: Double) -> Double {
        x == 0 ? 1 : 3 * sin(.pi * x) * sin(.pi * x / 3) / (.pi * .pi * x * x)
    }
}
