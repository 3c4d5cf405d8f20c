/// The source pixels along one axis that make up each destination pixel, and their weights.
///
/// Pixels are centre-aligned: destination pixel `o` lies at `(o + 0.5) * source / destination` of the source, with
/// pixel `i` reaching from `i` to `i + 1`. Where the filter reaches beyond an edge, the weights inside are scaled up. Of a
/// source whose outermost pixels are partial, only their parts within count, for the place and for the weight.
struct ExactResamplingWeights {
    /// The first source pixel of each destination pixel.
    let starts: [Int32]
    /// The numbers of source pixels that count, without the zeros at the end.
    let counts: [Int32]
    /// `stride` weights for each destination pixel, which add up to 1, zeros at the end.
    let values: [Double]
    /// The number of weights from one destination pixel to the next.
    let stride: Int

    /// Creates the weights for one axis.
    ///
    /// - Parameters:
    ///   - edges: The parts of the outermost pixels of the source that do not count. Default: none.
    ///   - takesPairs: makes `starts` even, with a weight of zero before the first that counts. Default: `false`.
    ///   - isLong: takes the weights from a curve instead of computing each, which takes a third of the time. They differ
    ///     by less than a millionth. Default: `false`.
    init(
        source: Int,
        destination: Int,
        part: Range<Int>,
        filter: ResamplingFilter,
        edges: PartialEdges.Axis = .none,
        takesPairs: Bool = false,
        isLong: Bool = false
    ) {
        let (leading, trailing) = (Double(edges.leading) / 8, Double(edges.trailing) / 8)
        let scale = (Double(source) - leading - trailing) / Double(destination)
        let stretch = max(1, scale)
        let support = filter.support * stretch
        let count = Self.greatestCount(source: source, destination: destination, filter: filter)
        let longest = count + (takesPairs ? 1 : 0)

        let curve = isLong ? filter.curve : nil
        var starts = [Int32](repeating: 0, count: part.count)
        var counts = starts
        var weights = [Double](repeating: 0, count: part.count * longest)
        for (index, o) in part.enumerated() {
            let centre = leading + (Double(o) + 0.5) * scale
            let inside = max(0, Int(centre - support + 0.5))
            let start = takesPairs ? inside & ~1 : inside
            let end = min(source, start + longest, Int(centre + support + 0.5))
            let first = index * longest
            var sum = 0.0
            for i in inside..<end {
                let distance = (Double(i) + 0.5 - centre) / stretch
                var weight =
                    curve.map { ResamplingFilter.weight(at: distance, on: $0) } ?? filter.weight(at: distance)
                if i == 0 { weight *= 1 - leading }
                if i == source - 1 { weight *= 1 - trailing }
                weights[first + i - start] = weight
                sum += weight
            }
            for k in first..<(first + end - start) {
                weights[k] /= sum
            }
            starts[index] = Int32(start)
            counts[index] = Int32(end - start)
        }
        self.starts = starts
        self.counts = counts
        values = weights
        stride = longest
    }

    /// Returns the number of source pixels that a destination pixel may take.
    static func greatestCount(source: Int, destination: Int, filter: ResamplingFilter) -> Int {
        let support = filter.support * max(1, Double(source) / Double(destination))
        // One more than fits, for the rounding of both ends; and no more than there are.
        return min(source, Int((2 * support).rounded(.up)) + 1)
    }
}
