internal import CoreMetrics
internal import Synchronization

/// Metrics in memory, and their values in the text format of Prometheus (version 0.0.4).
///
/// Timers and recorders are histograms: of seconds with bounds from 1 ms to 30 s, and of values with powers of
/// four. The number of series is bounded; beyond it, new ones are counted together in one with the label
/// `overflow`.
final class PrometheusMetrics: MetricsFactory {
    /// The most series.
    private static let limit = 4_096
    fileprivate static let seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
    fileprivate static let values = (0...13).map { Double(1 << (2 * $0)) }

    private struct Key: Hashable {
        let name: String
        /// With quotes and commas, as they are written.
        let labels: String
    }

    /// A series as it is asked for, for most of which no text has to be made.
    private struct Question: Hashable {
        let kind: Series.Kind
        /// The label, then name and value of each dimension.
        let words: [String]
    }

    private struct State {
        var series: [Key: Series] = [:]
        var answers: [Question: Series] = [:]
    }

    private let state = Mutex(State())

    /// No metrics yet.
    init() {}

    private func series(_ label: String, _ dimensions: [(String, String)], _ kind: Series.Kind) -> Series {
        let question = Question(kind: kind, words: [label] + dimensions.flatMap { [$0.0, $0.1] })
        if let known = state.withLock({ $0.answers[question] }) { return known }
        let name = Self.name(label) + kind.suffix
        let labels = dimensions.map { "\(Self.name($0.0))=\"\(Self.escaped($0.1))\"" }.sorted().joined(separator: ",")
        return state.withLock { state in
            let key = Key(name: name, labels: labels)
            let former = state.series[key]
            let found = Self.series(key, kind, in: &state.series)
            // One of another kind has lost its place.
            if let former, former !== found { state.answers = state.answers.filter { $0.value !== former } }
            if state.answers.count < Self.limit { state.answers[question] = found }
            return found
        }
    }

    private static func series(_ key: Key, _ kind: Series.Kind, in series: inout [Key: Series]) -> Series {
        if let found = series[key], found.kind == kind { return found }
        let isFull = series.count >= limit
        let key = isFull ? Key(name: key.name, labels: "overflow=\"true\"") : key
        if isFull, let found = series[key], found.kind == kind { return found }
        let made = Series(kind)
        series[key] = made
        return made
    }

    private static func name(_ text: String) -> String {
        String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "_" || $0 == ":" ? $0 : "_" })
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }

    /// The values of all metrics.
    var text: String {
        let all = state.withLock { Array($0.series) }
        var lines: [String] = []
        for (name, group) in Dictionary(grouping: all, by: \.key.name).sorted(by: { $0.key < $1.key }) {
            guard let kind = group.first?.value.kind else { continue }
            lines.append("# TYPE \(name) \(kind.typeName)")
            for (key, series) in group.sorted(by: { $0.key.labels < $1.key.labels }) {
                lines += series.lines(name, key.labels)
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions, .counter)
    }

    func makeFloatingPointCounter(label: String, dimensions: [(String, String)])
        -> any FloatingPointCounterHandler
    {
        series(label, dimensions, .counter)
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions, .gauge)
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        series(label, dimensions, aggregate ? .values : .gauge)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions, .seconds)
    }

    // Handlers of one name and labels are one series, which lives as long as the process.
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}

/// One series of values.
private final class Series: Sendable {
    enum Kind: Sendable {
        case counter, gauge, seconds, values

        var typeName: String {
            switch self {
            case .counter: "counter"
            case .gauge: "gauge"
            case .seconds, .values: "histogram"
            }
        }

        var suffix: String {
            switch self {
            case .counter: "_total"
            case .seconds: "_seconds"
            case .gauge, .values: ""
            }
        }
    }

    private struct State {
        /// The value of a counter or gauge, or the sum of a histogram.
        var value = 0.0
        var count: UInt64 = 0
        /// The number of values up to each bound, and above the one before.
        var buckets: [UInt64]
    }

    let kind: Kind
    private let bounds: [Double]
    private let state: Mutex<State>

    init(_ kind: Kind) {
        self.kind = kind
        bounds = kind == .seconds ? PrometheusMetrics.seconds : kind == .values ? PrometheusMetrics.values : []
        state = Mutex(State(buckets: Array(repeating: 0, count: bounds.count)))
    }

    func add(_ value: Double) { state.withLock { $0.value += value } }
    func assign(_ value: Double) { state.withLock { $0.value = value } }

    func observe(_ value: Double) {
        let bucket = bounds.firstIndex { value <= $0 }
        state.withLock { state in
            state.value += value
            state.count += 1
            if let bucket { state.buckets[bucket] += 1 }
        }
    }

    func lines(_ name: String, _ labels: String) -> [String] {
        let state = state.withLock { $0 }
        let suffix = labels.isEmpty ? "" : "{\(labels)}"
        guard !bounds.isEmpty else { return ["\(name)\(suffix) \(Self.text(state.value))"] }
        let prefix = labels.isEmpty ? "" : labels + ","
        var lines: [String] = []
        var sum: UInt64 = 0
        for (bound, count) in zip(bounds, state.buckets) {
            sum += count
            lines.append("\(name)_bucket{\(prefix)le=\"\(Self.text(bound))\"} \(sum)")
        }
        lines.append("\(name)_bucket{\(prefix)le=\"+Inf\"} \(state.count)")
        return lines + ["\(name)_sum\(suffix) \(Self.text(state.value))", "\(name)_count\(suffix) \(state.count)"]
    }

    private static func text(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)"
    }
}

extension Series: CounterHandler, FloatingPointCounterHandler {
    func increment(by amount: Int64) { add(Double(amount)) }
    func increment(by amount: Double) { add(amount) }
    func reset() { assign(0) }
}

extension Series: MeterHandler, RecorderHandler {
    func set(_ value: Int64) { assign(Double(value)) }
    func set(_ value: Double) { assign(value) }
    func decrement(by amount: Double) { add(-amount) }
    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) { kind == .gauge ? assign(value) : observe(value) }
}

extension Series: TimerHandler {
    func recordNanoseconds(_ duration: Int64) { observe(Double(duration) / 1e9) }
}
