import Foundation
import HalcyonRaster

/// Colours computed from their definitions in double precision: what conversions are held against.
enum ExactColor {
    /// Linear Display P3 to linear sRGB, by rows.
    static let displayP3: [[Double]] = [
        [1.224_940_1, -0.224_940_4, 0], [-0.042_056_9, 1.042_057_1, 0], [-0.019_637_6, -0.078_636_1, 1.098_273_5],
    ]
    /// Linear BT.2020 to linear sRGB, by rows (ITU-R BT.2087 annex 2, inverted).
    static let bt2020: [[Double]] = [
        [1.660_491, -0.587_641, -0.072_850], [-0.124_550, 1.132_900, -0.008_349], [-0.018_151, -0.100_579, 1.118_730],
    ]
    static let identity: [[Double]] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]

    static func encoded(_ light: Double) -> Double {
        light <= 0.003_130_8 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
    }

    static func decoded(_ sample: Double) -> Double {
        sample <= 0.040_45 ? sample / 12.92 : pow((sample + 0.055) / 1.055, 2.4)
    }

    /// sRGB, from 0 to 1, of a colour from 0 to 1.
    static func converted(_ color: [Double], curve: (Double) -> Double, matrix: [[Double]]) -> [Double] {
        let light = color.map(curve)
        return matrix.map { row in
            encoded(min(max(zip(row, light).reduce(0) { $0 + $1.0 * $1.1 }, 0), 1))
        }
    }

    /// Opaque pixels with every combination of six levels of red, green and blue.
    static func colors(depth: SampleDepth = .eight) throws -> Bitmap {
        let levels = [0, 40, 102, 153, 204, 255]
        let samples = levels.flatMap { red in
            levels.flatMap { green in levels.flatMap { blue in [red, green, blue, 255].map { UInt8($0) } } }
        }
        return try samples.withUnsafeBytes { try Bitmap(premultiplying: $0, size: PixelSize(36, 6)) }
            .converted(to: depth)
    }

    /// The greatest difference of straight samples, in levels of 8 bits, between what `convert` makes of
    /// ``colors(depth:)`` and the exact colours.
    static func worst(
        depth: SampleDepth = .eight,
        curve: (Double) -> Double,
        matrix: [[Double]],
        convert: (inout Bitmap) throws -> Void
    ) throws -> Double {
        let bitmap = try colors(depth: depth)
        var result = bitmap
        try convert(&result)
        let (from, to) = (bitmap.straightRGBA16(), result.straightRGBA16())
        return stride(from: 0, to: from.count, by: 4).map { pixel in
            let exact = converted((0..<3).map { Double(from[pixel + $0]) / 65_535 }, curve: curve, matrix: matrix)
            return (0..<3).map { abs(Double(to[pixel + $0]) - exact[$0] * 65_535) / 257 }.max() ?? 0
        }.max() ?? 0
    }
}
