internal import FoundationEssentials
public import HalcyonRaster

extension ThumbHash {
    /// Creates the hash of an image (https://github.com/evanw/thumbhash).
    ///
    /// It is made of a copy of 100 pixels a side at most.
    ///
    /// - Parameters:
    ///   - bitmap: The image, in sRGB.
    ///   - isCancelled: Asked between components; once it says `true`, the work ends. Default: never.
    /// - Throws: ``CodecError/bitmap(_:)``, `CancellationError`.
    public init(_ bitmap: Bitmap, isCancelled: () -> Bool = { false }) throws {
        let pixels = try PlaceholderPixels(bitmap, isCancelled: isCancelled)
        let total = pixels.samples.reduce(SIMD4<Double>(), +)
        let hasAlpha = pixels.samples.contains { $0.w < 1 }
        // Transparent pixels have the average colour, so that they add no waves.
        let average = total.w > 0 ? SIMD3(total.x, total.y, total.z) / total.w : SIMD3<Double>()
        // Luminance, yellow against blue, red against green, alpha.
        let values = pixels.samples.map { sample -> SIMD4<Double> in
            let color = SIMD3(sample.x, sample.y, sample.z) + average * (1 - sample.w)
            return SIMD4(color.sum() / 3, (color.x + color.y) / 2 - color.z, color.x - color.y, sample.w)
        }
        let (width, height) = (pixels.size.width, pixels.size.height)
        let longerSide = Double(hasAlpha ? 5 : 7) / Double(max(width, height))
        let columnCount = max(1, Int((longerSide * Double(width)).rounded()))
        let rowCount = max(1, Int((longerSide * Double(height)).rounded()))
        let basis = Basis(width: width, height: height)
        func channel(_ index: Int, _ columns: Int, _ rows: Int) throws -> Channel {
            try Channel(values.map { SIMD2($0[index], 0) }, columns, rows, basis, isCancelled: isCancelled)
        }
        let luminance = try channel(0, max(3, columnCount), max(3, rowCount))
        let (yellow, red) = (try channel(1, 3, 3), try channel(2, 3, 3))
        let alpha = hasAlpha ? try channel(3, 5, 5) : nil
        var writer = ThumbHashWriter()
        writer.write(luminance.average * 63, bits: 6)
        writer.write(31.5 + 31.5 * yellow.average, bits: 6)
        writer.write(31.5 + 31.5 * red.average, bits: 6)
        writer.write(luminance.scale * 31, bits: 5)
        writer.write(hasAlpha ? 1 : 0, bits: 1)
        writer.write(Double(min(columnCount, rowCount)), bits: 3)
        writer.write(yellow.scale * 63, bits: 6)
        writer.write(red.scale * 63, bits: 6)
        writer.write(width > height ? 1 : 0, bits: 1)
        if let alpha {
            writer.write(alpha.average * 15, bits: 4)
            writer.write(alpha.scale * 15, bits: 4)
        }
        for channel in [luminance, yellow, red, alpha].compactMap(\.self) {
            for factor in channel.factors { writer.write(factor * 15, bits: 4) }
        }
        try self.init(Data(writer.bytes))
    }

    private struct Basis {
        let width: Int
        let columns: CosineBasis
        let rows: CosineBasis

        init(width: Int, height: Int) {
            self.width = width
            columns = CosineBasis(count: 7, length: width, offset: 0.5)
            rows = CosineBasis(count: 7, length: height, offset: 0.5)
        }
    }

    /// The waves of one channel.
    private struct Channel {
        var average = 0.0
        /// The greatest factor.
        var scale = 0.0
        /// Those that are stored, from 0 to 1 around 0.5.
        var factors: [Double] = []

        init(
            _ values: [SIMD2<Double>],
            _ columnCount: Int,
            _ rowCount: Int,
            _ basis: Basis,
            isCancelled: () -> Bool
        ) throws {
            for row in 0..<rowCount {
                for column in 0..<columnCount where column * rowCount < columnCount * (rowCount - row) {
                    if isCancelled() { throw CancellationError() }
                    let factor = PlaceholderPixels.coefficient(
                        of: values,
                        width: basis.width,
                        column,
                        row,
                        basis.columns,
                        basis.rows
                    ).x
                    if (column, row) == (0, 0) {
                        average = factor
                    } else {
                        factors.append(factor)
                    }
                }
            }
            let greatest = factors.reduce(0) { max($0, abs($1)) }
            scale = greatest
            if greatest > 0 { factors = factors.map { 0.5 + 0.5 / greatest * $0 } }
        }
    }
}

/// Writes the fields of a ThumbHash, from the lowest bit of each byte to the highest.
private struct ThumbHashWriter {
    private(set) var bytes: [UInt8] = []
    private var position = 0

    /// Writes a number, rounded and limited to what the bits hold.
    mutating func write(_ value: Double, bits: Int) {
        let number = Int(min(max(value.rounded(), 0), Double(1 << bits - 1)))
        for bit in 0..<bits {
            if position % 8 == 0 { bytes.append(0) }
            if number >> bit & 1 == 1 { bytes[position / 8] |= 1 << UInt8(position % 8) }
            position += 1
        }
    }
}
