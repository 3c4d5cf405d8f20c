/// The weights of ``ExactResamplingWeights`` as whole numbers.
struct ResamplingWeights: Sendable {
    /// The first source pixel of each destination pixel.
    let starts: [Int32]
    /// The numbers of source pixels that count, without the zeros at the end.
    let counts: [Int32]
    /// `stride` weights for each destination pixel, zeros at the end. They add up to exactly `1 << bits`, so that
    /// an even area stays as it is.
    let values: [Int16]
    /// The number of weights from one destination pixel to the next.
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

    /// Creates the weights for one axis.
    ///
    /// - Parameters:
    ///   - maximumBits: the maximum number of fractional bits that the sums over these weights have room for.
    ///   - takesPairs: makes `starts` and `stride` even, with a weight of zero before the first that counts.
    init(source: Int, destination: Int, filter: ResamplingFilter, maximumBits: Int, takesPairs: Bool = false) {
        let exact = ExactResamplingWeights(
            source: source,
            destination: destination,
            filter: filter,
            takesPairs: takesPairs
        )
        let (starts, counts, longest) = (exact.starts, exact.counts, exact.stride)
        let largest = exact.values.reduce(0) { max($0, abs($1)) }

        var bits = 1
        while bits < maximumBits, largest * Double(1 << (bits + 1)) < 32_767 { bits += 1 }
        let greatestCount = Int(counts.max() ?? 0)
        let stride = takesPairs ? (greatestCount + 1) & ~1 : greatestCount
        var values = [Int16](repeating: 0, count: destination * stride)
        let unit = Double(1 << bits)
        for o in 0..<destination {
            // Running sums are rounded, not weights: the error of one is passed to its neighbour, and the total is
            // exact.
            var sum = 0.0
            var written = 0
            let count = Int(counts[o])
            for k in 0..<count {
                sum += exact.values[o * longest + k]
                let total = k == count - 1 ? 1 << bits : Int((sum * unit).rounded())
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

    /// Returns the same from a small cache: a list of thumbnails repeats few sizes, and computing the weights from
    /// 100×75 to 50×37 takes longer than applying them.
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
