/// The source pixels along one axis that make up each destination pixel, and their weights.
///
/// Pixels are centre-aligned: destination pixel `o` lies at `(o + 0.5) * source / destination` of the source, with
/// pixel `i` reaching from `i` to `i + 1`. Where the filter reaches beyond an edge, the weights inside are scaled up.
struct ResamplingWeights: Sendable {
    /// The first source pixel of each destination pixel.
    let starts: [Int32]
    /// The numbers of source pixels that count, without the zeros at the end.
    let counts: [Int32]
    /// `stride` weights for each destination pixel, zeros at the end. They add up to exactly `1 << bits`, so that
    /// an even area stays as it is.
    let values: [Int16]
    /// Weights from one destination pixel to the next.
    let stride: Int
    let bits: Int
    /// The number of pixels beyond the source that `stride` weights from the last starts on would reach.
    let overhang: Int

    /// The weights as fractions of 1. Exact: 16 bits divided by a power of two.
    var fractions: [Float] {
        let unit = Float(1 << bits)
        return values.map { Float($0) / unit }
    }

    var byteCount: Int { values.count * 2 + starts.count * 8 }

    /// - Parameters:
    ///   - maximumBits: the most fractional bits that the sums over these weights have room for.
    ///   - takesPairs: makes `starts` and `stride` even, with a weight of zero before the first that counts.
    init(source: Int, destination: Int, filter: ResamplingFilter, maximumBits: Int, takesPairs: Bool = false) {
        let scale = Double(source) / Double(destination)
        let stretch = max(1, scale)
        let support = filter.support * stretch
        // One more than fits, for the rounding of both ends; and no more than there are.
        let longest = min(source, Int((2 * support).rounded(.up)) + 1) + (takesPairs ? 1 : 0)

        var starts = [Int32](repeating: 0, count: destination)
        var counts = starts
        var weights = [Double](repeating: 0, count: destination * longest)
        var largest = 0.0
        for o in 0..<destination {
            let centre = (Double(o) + 0.5) * scale
            let inside = max(0, Int(centre - support + 0.5))
            let start = takesPairs ? inside & ~1 : inside
            let end = min(source, start + longest, Int(centre + support + 0.5))
            let first = o * longest
            var sum = 0.0
            for i in inside..<end {
                let weight = filter.weight(at: (Double(i) + 0.5 - centre) / stretch)
                weights[first + i - start] = weight
                sum += weight
            }
            for k in first..<(first + end - start) {
                weights[k] /= sum
                largest = max(largest, abs(weights[k]))
            }
            starts[o] = Int32(start)
            counts[o] = Int32(end - start)
        }

        var bits = 1
        while bits < maximumBits, largest * Double(1 << (bits + 1)) < 32_767 { bits += 1 }
        let greatestCount = Int(counts.max() ?? 0)
        let stride = takesPairs ? (greatestCount + 1) & ~1 : greatestCount
        var values = [Int16](repeating: 0, count: destination * stride)
        let unit = Double(1 << bits)
        for o in 0..<destination {
            // Running sums are rounded, not weights: the error of one is passed to its neighbour, and the total is
            // exact.
            var exact = 0.0
            var written = 0
            let count = Int(counts[o])
            for k in 0..<count {
                exact += weights[o * longest + k]
                let total = k == count - 1 ? 1 << bits : Int((exact * unit).rounded())
                values[o * stride + k] = Int16(clamping: total - written)
                written = total
            }
        }
        self.starts = starts
        self.counts = counts
        self.values = values
        self.stride = stride
        self.bits = bits
        overhang = max(0, starts.reduce(0) { max($0, Int($1)) } + stride - source)
    }

    /// The same from a small cache: a list of thumbnails repeats few sizes, and computing the weights from 100×75 to
    /// 50×37 takes longer than applying them.
    static func cached(
        source: Int,
        destination: Int,
        filter: ResamplingFilter,
        maximumBits: Int,
        takesPairs: Bool = false
    ) -> ResamplingWeights {
        let key = ResamplingWeightsCache.Key(
            source: source,
            destination: destination,
            filter: filter,
            maximumBits: maximumBits,
            takesPairs: takesPairs
        )
        if let weights = ResamplingWeightsCache.shared.weights(for: key) { return weights }
        let weights = ResamplingWeights(
            source: source,
            destination: destination,
            filter: filter,
            maximumBits: maximumBits,
            takesPairs: takesPairs
        )
        ResamplingWeightsCache.shared.insert(weights, for: key)
        return weights
    }
}
