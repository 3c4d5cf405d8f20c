/// The cosine transform of one channel of a ThumbHash.
struct ThumbHashChannel: Sendable, Hashable {
    let average: Double
    private let width: Int
    private let height: Int
    /// The factor of each product of two cosines, row by row; zero for those that are not stored.
    private let factors: [Double]

    /// - Parameter next: Returns the stored factors one after the other, from -1 to 1.
    init(
        _ width: Int,
        _ height: Int,
        average: Double,
        scale: Double,
        next: () throws(CodecError) -> Double
    ) throws(CodecError) {
        (self.width, self.height, self.average) = (width, height, average)
        var factors = [Double](repeating: 0, count: width * height)
        factors[0] = average
        // Only the products above the diagonal are stored: the others hold the finest detail.
        for y in 0..<height {
            for x in 0..<width where (x, y) != (0, 0) && x * height < width * (height - y) {
                factors[y * width + x] = 2 * scale * (try next())
            }
        }
        self.factors = factors
    }

    /// Returns the factors of the horizontal cosines in a row of the image.
    func line(_ row: Int, _ rows: CosineBasis) -> [Double] {
        (0..<width).map { x in
            (0..<height).reduce(0) { $0 + factors[$1 * width + x] * rows[$1, row] }
        }
    }

    /// Returns the value at a pixel of a row.
    static func value(of line: [Double], at column: Int, _ columns: CosineBasis) -> Double {
        line.indices.reduce(0) { $0 + line[$1] * columns[$1, column] }
    }
}
