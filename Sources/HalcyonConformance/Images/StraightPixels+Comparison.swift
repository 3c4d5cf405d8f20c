internal import Glibc
internal import HalcyonRaster

/// Comparisons look at all rows of small images, and at evenly spread ones of large ones: without optimisation Swift
/// takes some 50 times as long.
extension StraightPixels {
    private static let comparedPixelCount = 250_000
    /// An eighth of full alpha.
    private static let faintAlpha: UInt8 = 32

    private var comparedRows: StrideTo<Int> {
        let rowCount = max(1, min(size.height, Self.comparedPixelCount / size.width))
        return stride(from: 0, to: size.height, by: max(1, size.height / rowCount))
    }

    /// Means of red, green, blue and alpha, in which pixels that can hardly be seen count as black, and the share of
    /// those.
    var means: (samples: [Double], faintShare: Double) {
        var (red, green, blue, alpha, faint, count) = (0, 0, 0, 0, 0, 0)
        bytes.withUnsafeBytes { bytes in
            for y in comparedRows {
                for offset in stride(from: y &* size.width &* 4, to: (y &+ 1) &* size.width &* 4, by: 4) {
                    alpha &+= Int(bytes[offset &+ 3])
                    guard bytes[offset &+ 3] >= Self.faintAlpha else {
                        faint &+= 1
                        continue
                    }
                    red &+= Int(bytes[offset])
                    green &+= Int(bytes[offset &+ 1])
                    blue &+= Int(bytes[offset &+ 2])
                }
                count += size.width
            }
        }
        return ([red, green, blue, alpha].map { Double($0) / Double(count) }, Double(faint) / Double(count))
    }

    /// Returns whether the means are those stated. A list may count the colours that transparent pixels hide, which are
    /// lost here, and which pixels an edge just touches is up to who draws it; so a faint pixel stands for any colour.
    func isNear(_ stated: [Double], tolerance: Double) -> Bool {
        let means = means
        return zip(means.samples, stated).enumerated().allSatisfy { channel, pair in
            let hidden = channel < 3 ? 255 * means.faintShare : 0
            return (pair.0 - tolerance...pair.0 + hidden + tolerance).contains(pair.1)
        }
    }

    /// The same, the transfer function of sRGB (IEC 61966-2-1) undone.
    var inLinearLight: StraightPixels {
        let table = (0...255).map { sample in
            let value = Double(sample) / 255
            let linear = value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
            return UInt8((linear * 255).rounded())
        }
        return StraightPixels(size: size, bytes: bytes.indices.map { $0 % 4 == 3 ? bytes[$0] : table[Int(bytes[$0])] })
    }

    var meansText: String { means.samples.map { $0.text(1) }.joined(separator: ",") }

    /// The greatest difference of a sample, colours multiplied by alpha, from 0 to 255.
    func greatestPremultipliedDifference(from other: StraightPixels) -> Int? {
        guard size == other.size else { return nil }
        var greatest = 0
        forEachSample(other) { greatest = max(greatest, abs($0 - $1)) }
        return (greatest + 127) / 255
    }

    /// The root of the mean square difference of samples, colours multiplied by alpha, from 0 to 255.
    func rootMeanSquareError(of other: StraightPixels) -> Double? {
        guard size == other.size else { return nil }
        var (sum, count) = (0.0, 0.0)
        forEachSample(other) {
            sum += Double(($0 - $1) * ($0 - $1))
            count += 1
        }
        return (sum / max(1, count)).squareRoot() / 255
    }

    /// Samples of both, times 255.
    private func forEachSample(_ other: StraightPixels, _ body: (Int, Int) -> Void) {
        bytes.withUnsafeBytes { first in
            other.bytes.withUnsafeBytes { second in
                for y in comparedRows {
                    for offset in stride(from: y &* size.width &* 4, to: (y &+ 1) &* size.width &* 4, by: 4) {
                        let (firstAlpha, secondAlpha) = (Int(first[offset &+ 3]), Int(second[offset &+ 3]))
                        for channel in offset..<offset &+ 3 {
                            body(Int(first[channel]) &* firstAlpha, Int(second[channel]) &* secondAlpha)
                        }
                        body(firstAlpha &* 255, secondAlpha &* 255)
                    }
                }
            }
        }
    }
}

extension Double {
    /// With so many digits behind the point.
    func text(_ digitCount: Int) -> String {
        var scale = 1.0
        for _ in 0..<digitCount { scale *= 10 }
        return "\((self * scale).rounded() / scale)"
    }
}
