import Glibc
import HalcyonRaster

/// Lanczos resampling with three lobes in floating point, as the definition says, to measure others by.
enum ExactLanczos {
    /// The peak signal to noise ratio, in decibels, of `bitmap` against the reduction of `original` to its size.
    static func noiseRatio(of bitmap: Bitmap, to original: Bitmap) -> Double {
        let columns = weights(original.width, bitmap.width)
        let rows = weights(original.height, bitmap.height)
        let source = original.premultipliedBytes()
        let pixels = bitmap.premultipliedBytes()
        var sum = 0.0
        for channel in 0..<3 {
            let reduced = rows.map { row in
                (0..<original.width).map { x in
                    row.values.enumerated().reduce(0.0) { sum, weight in
                        let y = row.start + weight.offset
                        return sum + weight.element * Double(source[(y * original.width + x) * 4 + channel])
                    }
                }
            }
            for y in 0..<bitmap.height {
                for x in 0..<bitmap.width {
                    let column = columns[x]
                    let exact = zip(column.values, reduced[y][column.start...]).reduce(0.0) { $0 + $1.0 * $1.1 }
                    let error = min(max(exact, 0), 255) - Double(pixels[(y * bitmap.width + x) * 4 + channel])
                    sum += error * error
                }
            }
        }
        return 10 * log10(255 * 255 / (sum / Double(3 * bitmap.width * bitmap.height)))
    }

    private static func weights(_ source: Int, _ destination: Int) -> [(start: Int, values: [Double])] {
        let scale = Double(source) / Double(destination)
        return (0..<destination).map { index in
            let center = (Double(index) + 0.5) * scale
            let start = max(0, Int((center - 3 * scale).rounded(.down)))
            let end = min(source, Int((center + 3 * scale).rounded(.up)))
            let values = (start..<end).map { lanczos((Double($0) + 0.5 - center) / scale) }
            let sum = values.reduce(0, +)
            return (start, values.map { $0 / sum })
        }
    }

    private static func lanczos(_ x: Double) -> Double {
        guard x != 0 else {
            return 1
        }
        let angle: Double = .pi * x
        return abs(x) < 3 ? sin(angle) / angle * sin(angle / 3) / (angle / 3) : 0
    }
}
