/// What repeated measurements of one thing say.
struct Distribution {
    private let sorted: [Double]

    /// At least one value.
    init(_ values: [Double]) {
        precondition(!values.isEmpty)
        sorted = values.sorted()
    }

    var median: Double { quantile(0.5) }

    /// The interquartile range as a part of the median: how much the figure would be another one in another run.
    var spread: Double {
        median == 0 ? 0 : (quantile(0.75) - quantile(0.25)) / median
    }

    /// The value that this part of them is below, 0…1. Between neighbours, in proportion.
    func quantile(_ part: Double) -> Double {
        let position = part * Double(sorted.count - 1)
        let index = Int(position)
        guard index + 1 < sorted.count else { return sorted[index] }
        let weight = position - Double(index)
        return sorted[index] * (1 - weight) + sorted[index + 1] * weight
    }
}
