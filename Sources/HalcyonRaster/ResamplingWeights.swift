/// The weights of ``ExactResamplingWeights`` as whole numbers.
struct ResamplingWeights: Sendable {
    /// The destination pixels that there are weights for.
    let part: Range<Int>
    /// A Boolean value that indicates whether these are only those that are wanted, as
    /// ``isLong(source:destination:filter:)`` says.
    let isLong: Bool
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

    /// Returns whether the table of a whole axis would be large: then tables are made for the parts that are wanted, one
    /// after the other. All others are made whole, and serve other parts as well.
    static func isLong(source: Int, destination: Int, filter: ResamplingFilter) -> Bool {
        // Nothing overflows: sides are at most 2^26.
        let byteCount = destination * byteCountOfPixel(source: source, destination: destination, filter: filter)
        return destination > greatestWholeLength || byteCount > greatestByteCount
    }

    /// Returns the number of destination pixels of a long axis whose weights are made at once; at least 1.
    static func pieceLength(source: Int, destination: Int, filter: ResamplingFilter) -> Int {
        guard isLong(source: source, destination: destination, filter: filter) else { return destination }
        return max(1, greatestByteCount / byteCountOfPixel(source: source, destination: destination, filter: filter))
    }

    /// Returns the bytes that the weights of a destination pixel take while they are made: 10 for each, which is first
    /// exact and then a whole number, and 12 for the pixel. Those made of them for 16 bits come later, and take no more.
    private static func byteCountOfPixel(source: Int, destination: Int, filter: ResamplingFilter) -> Int {
        // One more weight where they are taken by pairs.
        let count = ExactResamplingWeights.greatestCount(source: source, destination: destination, filter: filter) + 1
        return count * 10 + 12
    }

    /// Returns the bytes that weights take while they are made for some of the destination pixels.
    static func byteCount(_ part: Int, source: Int, destination: Int, filter: ResamplingFilter) -> Int {
        let length = pieceLength(source: source, destination: destination, filter: filter)
        // An axis that is not long is made whole, whatever the part.
        let count = length == destination ? destination : min(part, length)
        return count * byteCountOfPixel(source: source, destination: destination, filter: filter)
    }

    private static let greatestWholeLength = 65_536
    private static let greatestByteCount = 4 << 20

    /// Creates the weights for one axis.
    ///
    /// - Parameters:
    ///   - part: The destination pixels; `nil`: all. Each gets the same weights in every part.
    ///   - edges: The parts of the outermost pixels of the source that do not count. Default: none.
    ///   - maximumBits: the maximum number of fractional bits that the sums over these weights have room for.
    ///   - takesPairs: makes `starts` and `stride` even, with a weight of zero before the first that counts.
    init(
        source: Int,
        destination: Int,
        part: Range<Int>? = nil,
        filter: ResamplingFilter,
        edges: PartialEdges.Axis = .none,
        maximumBits: Int,
        takesPairs: Bool = false
    ) {
        let isLong = Self.isLong(source: source, destination: destination, filter: filter)
        let part = isLong ? part ?? 0..<destination : 0..<destination
        let exact = ExactResamplingWeights(
            source: source,
            destination: destination,
            part: part,
            filter: filter,
            edges: edges,
            takesPairs: takesPairs,
            isLong: isLong
        )
        let (starts, counts, longest) = (exact.starts, exact.counts, exact.stride)
        // No weight of any filter reaches 3.9, or less the farther it is stretched; what is known of a part only must not
        // change its weights.
        let bound = 3.9 / max(1, Double(source) / Double(destination))
        let largest = isLong ? bound : exact.values.reduce(0) { max($0, abs($1)) }

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
        self.isLong = isLong
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
        edges: PartialEdges.Axis,
        maximumBits: Int,
        takesPairs: Bool = false
    ) -> ResamplingWeights {
        let isLong = isLong(source: source, destination: destination, filter: filter)
        let part = isLong ? part : 0..<destination
        let key = ResamplingWeightsCache.Key(
            source: source,
            destination: destination,
            part: part,
            filter: filter,
            edges: edges,
            maximumBits: maximumBits,
            takesPairs: takesPairs
        )
        if let weights = ResamplingWeightsCache.shared.weights(for: key) { return weights }
        let weights = ResamplingWeights(
            source: source,
            destination: destination,
            part: part,
            filter: filter,
            edges: edges,
            maximumBits: maximumBits,
            takesPairs: takesPairs
        )
        ResamplingWeightsCache.shared.insert(weights, for: key)
        return weights
    }
}
