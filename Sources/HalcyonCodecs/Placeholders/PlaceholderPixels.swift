internal import HalcyonRaster

/// The samples of a small copy of an image, of which placeholders are made.
///
/// A placeholder holds a few waves of the image, to which detail below a hundredth of its sides adds nothing, so that
/// the work hardly grows with the image.
struct PlaceholderPixels {
    /// The most pixels of a side.
    static let longestSide = 100

    let size: PixelSize
    /// Red, green, blue, alpha of each pixel, from 0 to 1, the colours multiplied by alpha, row by row.
    let samples: [SIMD4<Double>]

    /// - Throws: ``CodecError/bitmap(_:)``, `CancellationError`.
    init(_ bitmap: Bitmap, isCancelled: () -> Bool) throws {
        do {
            let side = Self.longestSide
            let size =
                max(bitmap.width, bitmap.height) > side
                ? bitmap.size.fitting(in: PixelSize(side, side)) : bitmap.size
            let small = size == bitmap.size ? bitmap : try bitmap.resampled(to: size, isCancelled: isCancelled)
            let eight = try small.converted(to: .eight)
            let bytesPerRow = eight.bytesPerRow
            self.size = size
            samples = eight.withUnsafeBytes { bytes in
                (0..<size.area).map { index in
                    let place = index / size.width * bytesPerRow + index % size.width * 4
                    return SIMD4(
                        Double(bytes[place]),
                        Double(bytes[place + 1]),
                        Double(bytes[place + 2]),
                        Double(bytes[place + 3])
                    ) / 255
                }
            }
        } catch let error as BitmapError {
            throw CodecError.bitmap(error)
        }
    }

    /// Returns the mean of a value times the waves of a cosine transform at each pixel.
    static func coefficient<Value: SIMD<Double>>(
        of values: [Value],
        width: Int,
        _ column: Int,
        _ row: Int,
        _ columns: CosineBasis,
        _ rows: CosineBasis
    ) -> Value {
        var sum = Value(repeating: 0)
        for index in values.indices {
            sum += values[index] * (columns[column, index % width] * rows[row, index / width])
        }
        return sum / Double(values.count)
    }
}

extension DecodeLimits {
    /// The bounds of an image that a hash stands for: it has no detail that more pixels would show, and each of them
    /// costs as many cosines as the hash has components.
    static let placeholder = DecodeLimits(pixelCount: 1 << 20, sideLength: 1_024)
}
