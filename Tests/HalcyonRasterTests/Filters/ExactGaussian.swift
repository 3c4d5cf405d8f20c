import Glibc
import HalcyonRaster

/// A Gaussian blur in double precision, straight from its definition, with the pixels at the edge going on for ever.
enum ExactGaussian {
    /// Unrounded samples, four a pixel, row by row.
    static func blurred(_ bitmap: Bitmap, radius: Double) -> [Double] {
        let (width, height, samples) = (bitmap.width, bitmap.height, bitmap.samples)
        let columns = weights(count: width, radius: radius)
        let rows = weights(count: height, radius: radius)
        let pixels = (0..<(width * height)).map { index in
            SIMD4(samples[index * 4], samples[index * 4 + 1], samples[index * 4 + 2], samples[index * 4 + 3])
        }
        var summed = [SIMD4<Double>](repeating: .zero, count: pixels.count)
        for y in 0..<height {
            for (row, weight) in rows[y].enumerated() where weight > 0 {
                for x in 0..<width { summed[y * width + x] += pixels[row * width + x] * weight }
            }
        }
        var result: [Double] = []
        for y in 0..<height {
            for x in 0..<width {
                var sum = SIMD4<Double>.zero
                for (column, weight) in columns[x].enumerated() where weight > 0 {
                    sum += summed[y * width + column] * weight
                }
                result += [sum.x, sum.y, sum.z, sum.w]
            }
        }
        return result
    }

    /// Returns the weight of each pixel of a line in each pixel of the result.
    private static func weights(count: Int, radius: Double) -> [[Double]] {
        let reach = Int((radius * 6).rounded(.up)) + 1
        let bell = (-reach...reach).map { exp(-Double($0 * $0) / (2 * radius * radius)) }
        let sum = bell.reduce(0, +)
        return (0..<count).map { middle in
            var line = [Double](repeating: 0, count: count)
            for (index, weight) in bell.enumerated() {
                line[min(max(middle + index - reach, 0), count - 1)] += weight / sum
            }
            return line
        }
    }
}
