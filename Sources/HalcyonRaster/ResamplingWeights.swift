/// The weights of ``ExactResamplingWeights`` as whole numbers.
struct ResamplingWeights: Sendable {
    /// The destination pixels that there are weights for.
    let part: Range<Int>
    /// The first source pixel of each destination pixel of the part.
    let starts: [Int32]
    /// The numbers of source pixels that count, without the zeros at the end.
    let counts: [Int32]
    /// `stride` weights for each of these destination pixels, zeros at the end. They add up to exactly `1 << bits`, so that
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

    /// Returns the destination pixels to make weights for, where some are wanted: all of them, whose table serves
    /// other parts as well, unless an image is scaled to a length far beyond what is wanted of it, as a thin line that
    /// is to fill a square.
    static func part(_ wanted: Range<Int>, of destination: Int) -> Range<Int> {
        destination <= greatestWholeLength ? 0..<destination : wanted
    }

    private static let greatestWholeLength = 65_536

    /// Creates the weights for one axis.
    ///
    /// - Parameters:
    ///   - part: The destination pixels; `nil`: all. Each gets the same weights in every part.
    ///   - maximumBits: the maximum number of fractional bits that the sums over these weights have room for.
    ///   - takesPairs: makes `starts` and `stride` even, with a weight of zero before the first that counts.
    init(
        source: Int,
        destination: Int,
        part: Range<Int>? = nil,
        filter: ResamplingFilter,
        maximumBits: Int,
        takesPairs: Bool = false
    ) {
        let part = Self.part(part ?? 0..<destination, of: destination)
        let exact = ExactResamplingWeights(
            source: source,
            destination: destination,
            part: part,
            filter: filter,
            takesPairs: takesPairs
        )
        let (starts, counts, longest) = (exact.starts, exact.counts, exact.stride)
        // No weight of any filter reaches 3.9; what is known of a part only must not change its weights.
        let largest = destination > Self.greatestWholeLength ? 3.9 : exact.values.reduce(0) { max($0, abs($1)) }

        var bits = 1
        while bits < maximumBits, largest * Double(1 << (bits + 1)) < 32_767 { bits += 1 }
        let greatestCount = Int(counts.max() ?? 0)
        let stride = takesPairs ? (greatestCount + 1) & ~1 : greatestCount
        var values = [Int16](repeating: 0, count: part.count * stride)
        let unit = Double(1 << bits)
        for o in 0..<part.count {
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
        self.part = part
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
        part: Range<Int>,
        filter: ResamplingFilter,
        maximumBits: Int,
        takesPairs: Bool = false
    ) -> ResamplingWeights {
        let part = Self.part(part, of: destination)
        let key = ResamplingWeightsCache.Key(
            source: source,
            destination: destination,
            part: part,
            filter: filter,
            maximumBits: maximumBits,
            takesPairs: takesPairs
        )
        if let weights = ResamplingWeightsCache.shared.weights(for: key) { return weights }
        let weights = ResamplingWeights(
            source: source,
            destination: destination,
            part: part,
            filter: filter,
            maximumBits: maximumBits,
            takesPairs: takesPairs
        )
        ResamplingWeightsCache.shared.insert(weights, for: key)
        return weights
    }
}
