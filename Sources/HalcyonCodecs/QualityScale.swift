/// What an encoder takes in place of a quality: values at some qualities, between which it changes evenly.
///
/// Measured with eight photographs of Kodak's set: the value at which the mean score of SSIMULACRA2 is that of JPEG at the
/// same quality, or up to one point higher. `Scripts/qualities` prints the comparison.
package struct QualityScale {
    /// Rising qualities from 1 to 100, each with its value.
    let points: [(quality: Int, value: Double)]

    /// The value at a quality from 1 to 100.
    package func value(of quality: Int) -> Double {
        let next = points.firstIndex { $0.quality >= quality } ?? points.count - 1
        guard next > 0 else { return points[0].value }
        let (low, high) = (points[next - 1], points[next])
        let share = Double(quality - low.quality) / Double(high.quality - low.quality)
        return low.value + min(share, 1) * (high.value - low.value)
    }
}

extension QualityScale {
    /// The quantizer of libaom, 0 to 63, for AVIF.
    static let quantizer = QualityScale(points: [
        (1, 63), (10, 55), (25, 41), (40, 34), (50, 31.4), (60, 29), (75, 23), (85, 15), (90, 9.9), (95, 5), (98, 1.5),
        (100, 0),
    ])
    /// The quality of libwebp, for lossy WebP, whose own scale bends at 75. From 90 on, JPEG keeps all colours, which lossy
    /// WebP cannot.
    static let webP = QualityScale(points: [
        (1, 1), (10, 3), (25, 24), (40, 46), (50, 58.4), (60, 68), (65, 74.5), (70, 77.4), (75, 80.5), (85, 87),
        (90, 94.2), (100, 100),
    ])
    /// The distance of libjxl, in the units of Butteraugli, for JPEG XL. 25 is the greatest.
    package static let distance = QualityScale(points: [
        (1, 25), (10, 18), (25, 7.1), (40, 4.4), (50, 3.6), (60, 3.05), (75, 2.15), (85, 1.45), (90, 0.83), (95, 0.5),
        (98, 0.28), (100, 0.15),
    ])
}
