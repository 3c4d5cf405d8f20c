internal import Glibc

/// The values of the first cosines of a discrete cosine transform at the pixels of a line.
struct CosineBasis {
    private let values: [Double]
    private let length: Int

    /// - Parameters:
    ///   - count: The number of cosines, the constant one included.
    ///   - length: The number of pixels; at least 1.
    ///   - offset: The place of a pixel's sample in the pixel, from 0 to 1.
    init(count: Int, length: Int, offset: Double) {
        self.length = length
        values = (0..<count).flatMap { component in
            (0..<length).map { cos(.pi * Double(component) * (Double($0) + offset) / Double(length)) }
        }
    }

    /// The value of a cosine at a pixel.
    subscript(component: Int, pixel: Int) -> Double { values[component * length + pixel] }
}
