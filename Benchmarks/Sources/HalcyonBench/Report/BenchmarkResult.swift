/// One row: what our side took, beside what the reference took in the same run.
struct BenchmarkResult {
    struct Reference {
        let name: String
        let value: Double
    }

    /// Set by the runner.
    var suite = ""
    let name: String
    let ours: Double
    let reference: Reference?
    /// Ours ÷ reference; lower is better.
    let ratio: Double?
    let unit: String
    /// The interquartile range of the ratio, or of ours where there is no reference, as a part of its median.
    let spread: Double
    /// The highest ratio that the design allows.
    let budget: Double?

    init(
        _ name: String,
        ours: Double,
        reference: Reference? = nil,
        ratio: Double? = nil,
        unit: String,
        spread: Double = 0,
        budget: Double? = nil
    ) {
        self.name = name
        self.ours = ours
        self.reference = reference
        self.ratio = ratio
        self.unit = unit
        self.spread = spread
        self.budget = budget
    }

    /// Something counted, beside the number that it must be.
    static func count(_ name: String, _ ours: Int, required: Int, unit: String) -> BenchmarkResult {
        BenchmarkResult(
            name,
            ours: Double(ours),
            reference: Reference(name: "required", value: Double(required)),
            ratio: Double(ours) / Double(required),
            unit: unit,
            budget: 1
        )
    }

    /// Something measured, beside the most that the design allows.
    static func limit(_ name: String, _ samples: Distribution, _ limit: Double, unit: String) -> BenchmarkResult {
        BenchmarkResult(
            name,
            ours: samples.median,
            reference: Reference(name: "the most that the design allows", value: limit),
            ratio: samples.median / limit,
            unit: unit,
            spread: samples.spread,
            budget: 1
        )
    }

    /// Pairs of measurements, each pair taken one right after the other.
    static func pairs(
        _ name: String,
        _ ours: [Double],
        _ referenceName: String,
        _ reference: [Double],
        unit: String,
        budget: Double? = nil
    ) -> BenchmarkResult {
        let ratios = Distribution(zip(ours, reference).map { $0 / $1 })
        return BenchmarkResult(
            name,
            ours: Distribution(ours).median,
            reference: Reference(name: referenceName, value: Distribution(reference).median),
            ratio: ratios.median,
            unit: unit,
            spread: ratios.spread,
            budget: budget
        )
    }
}

extension BenchmarkResult: Encodable {
    private enum CodingKeys: String, CodingKey {
        case suite, `case`, ours, reference, referenceName, ratio, unit, spread
    }

    /// Every key is there in every line; what a row does not have is null.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(suite, forKey: .suite)
        try container.encode(name, forKey: .case)
        try container.encode(ours, forKey: .ours)
        try container.encode(reference?.value, forKey: .reference)
        try container.encode(reference?.name, forKey: .referenceName)
        try container.encode(ratio, forKey: .ratio)
        try container.encode(unit, forKey: .unit)
        try container.encode(spread, forKey: .spread)
    }
}
