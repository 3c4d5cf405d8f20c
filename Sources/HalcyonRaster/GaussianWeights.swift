internal import Glibc

/// The weights of a sampled Gaussian: of the middle, and of the pixels at each distance from it.
struct GaussianWeights: Sendable, Equatable {
    /// Fractions of 65,536, the one of the middle first. It and twice all others add up to exactly that, so that an
    /// even area stays as it is.
    let values: [UInt16]

    /// The distance of the last weight, in pixels.
    var radius: Int { values.count - 1 }

    /// Creates the weights up to three standard deviations, which leaves out less than a level of 8 bits at any edge.
    ///
    /// Returns `nil` for a Gaussian that changes nothing: no neighbour's weight reaches a fraction.
    ///
    /// - Parameter standardDeviation: In pixels, greater than 0 and at most 20.
    init?(standardDeviation: Double) {
        let radius = Int((3 * standardDeviation).rounded(.up))
        let exact = (0...radius).map { distance in
            let x = Double(distance) / standardDeviation
            return exp(-x * x / 2)
        }
        let sum = exact[0] + 2 * exact[1...].reduce(0, +)
        var values = [UInt16](repeating: 0, count: radius + 1)
        // Running sums are rounded, not weights, from the end on: so the small ones there keep their total.
        var (total, written) = (0.0, 0)
        for distance in stride(from: radius, to: 0, by: -1) {
            total += exact[distance] / sum * 65_536
            values[distance] = UInt16(Int(total.rounded()) - written)
            written = Int(total.rounded())
        }
        guard written > 0 else { return nil }
        values[0] = UInt16(65_536 - 2 * written)
        self.values = values
    }
}
