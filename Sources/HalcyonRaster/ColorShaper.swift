internal import CRasterKernels
internal import Glibc

/// Turns straight pixels of one RGB colour space into sRGB: a curve a channel to linear light, a matrix, and the
/// encoding of sRGB (IEC 61966-2-1). What lies outside of sRGB is cut off, channel by channel.
///
/// Profiles of the "matrix/TRC" kind and code points, nearly all that images carry, reduce to this. The error is at
/// most 0.6 levels of 8 bits and 1 of 16.
package struct ColorShaper: Sendable {
    /// Three tables of 256 linear values.
    private let curves: [Float]
    /// Three tables for samples of 16 bits.
    private let wideCurves: [Float]
    private let columns: [Float]

    /// Creates a shaper for a colour space.
    ///
    /// - Parameters:
    ///   - curve: linear light, from 0 to 1, of channel 0, 1 or 2 at a sample from 0 to 1.
    ///   - matrix: from linear light of that colour space to linear light of sRGB.
    /// - Returns: `nil` where a number is infinite or not a number, or the matrix is beyond anything meaningful.
    package init?(curve: (Int, Double) -> Double, matrix: ColorMatrix) {
        func table(steps: Int) -> [Float] {
            (0..<3).flatMap { channel in
                (0...steps).map { Float(curve(channel, Double($0) / Double(steps))) }
            }
        }
        let (curves, wideCurves) = (table(steps: 255), table(steps: Int(halcyon_curve_steps)))
        let isMeaningful: (Float) -> Bool = { $0.isFinite && abs($0) <= 1_000 }
        guard matrix.isFinite, curves.allSatisfy(isMeaningful), wideCurves.allSatisfy(isMeaningful),
            matrix.columns.allSatisfy({ abs($0.x) < 1_000 && abs($0.y) < 1_000 && abs($0.z) < 1_000 })
        else { return nil }
        self.curves = curves.map { min(max($0, 0), 1) }
        self.wideCurves = wideCurves.map { min(max($0, 0), 1) }
        let steps = Double(halcyon_encoding_steps)
        columns = matrix.columns.flatMap { [Float($0.x * steps), Float($0.y * steps), Float($0.z * steps), 0] }
    }

    /// Converts a row of `count` straight pixels; alpha is copied. Both rows may be the same.
    package func convert(
        _ source: UnsafePointer<UInt8>,
        into out: UnsafeMutablePointer<UInt8>,
        count: Int,
        depth: SampleDepth
    ) {
        switch depth {
        case .eight: halcyon_shape_colors(source, out, count, curves, columns, Self.encoding)
        case .sixteen: halcyon_shape_colors_16(source, out, count, wideCurves, columns, Self.wideEncoding)
        }
    }

    /// Returns the sample, from 0 to 1, of linear light from 0 to 1 (IEC 61966-2-1).
    package static func encoded(_ light: Double) -> Double {
        light <= 0.003_130_8 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
    }

    /// Returns linear light, from 0 to 1, of a sample from 0 to 1 (IEC 61966-2-1).
    package static func decoded(_ sample: Double) -> Double {
        sample <= 0.040_45 ? sample / 12.92 : pow((sample + 0.055) / 1.055, 2.4)
    }

    /// Samples from 0 to 65,535 of light in steps of 1 / `halcyon_encoding_steps`.
    static let wideEncoding: [Float] = (0...Int(halcyon_encoding_steps)).map {
        Float(encoded(Double($0) / Double(halcyon_encoding_steps)) * 65_535)
    }
    private static let encoding: [UInt8] = wideEncoding.map { UInt8(($0 / 257).rounded()) }
}

extension Bitmap {
    /// A Boolean value that indicates whether red, green and blue are equal in every pixel.
    package var isGray: Bool {
        withRows { rows, bytesPerRow in
            (0..<height).allSatisfy { y in
                let row = rows + y * bytesPerRow
                return depth == .eight ? halcyon_is_gray(row, width) : halcyon_is_gray_16(row, width)
            }
        }
    }

    /// Converts all colours, row by row, in place where no other bitmap shares the pixels.
    ///
    /// Colours are divided by alpha and multiplied again only in rows that are not opaque throughout.
    ///
    /// - Parameters:
    ///   - isCancelled: called every 16 rows, or 262,144 pixels: a table takes 40 ns for each. Pixels are left half
    ///     converted where it returns `true`.
    ///   - convert: turns straight pixels of this depth, in place, and leaves alpha alone.
    package mutating func convertColors(
        isCancelled: () -> Bool = { false },
        convert: (UnsafeMutablePointer<UInt8>, Int) -> Void
    ) throws(CancellationError) {
        let (width, height, depth, isOpaque) = (width, height, depth, isOpaque)
        let wasCancelled = withMutableRows { rows, bytesPerRow in
            let greatestCount = 1 << 18
            var countUntilQuestion = 0
            for y in 0..<height {
                for x in stride(from: 0, to: width, by: greatestCount) {
                    if countUntilQuestion <= 0 {
                        if isCancelled() { return true }
                        countUntilQuestion = min(16 * width, greatestCount)
                    }
                    let count = min(greatestCount, width - x)
                    let pixels = rows + y * bytesPerRow + x * depth.bytesPerPixel
                    countUntilQuestion -= count
                    guard !isOpaque, !depth.isOpaque(pixels, count) else {
                        convert(pixels, count)
                        continue
                    }
                    depth.unpremultiply(pixels, count)
                    convert(pixels, count)
                    depth.premultiply(pixels, count)
                }
            }
            return false
        }
        if wasCancelled { throw CancellationError() }
    }
}
