/// One workload of a suite.
protocol BenchmarkCase {
    /// What is done, unique in its suite.
    var name: String { get }

    /// Does it, and says what it cost.
    func results(_ settings: RunSettings) async throws -> [BenchmarkResult]
}

/// A workload whose cost is a time, measured side by side with that of its references.
protocol PairedCase: BenchmarkCase {
    /// What is reported. Default: the wall clock's time.
    var measures: [Measure] { get }
    /// The unit of the figures.
    var unit: TimeUnit { get }
    /// How often the work is done for one sample. Default: as often as fills ``RunSettings/sampleTime``.
    var repetitions: Repetitions { get }
    /// How many processors the work keeps busy, if they are free. Default: 1.
    var processorCount: Int { get }

    /// Prepares everything that is not to be measured. What it takes lives as long as the contest.
    func contest() async throws -> Contest
}

extension PairedCase {
    var measures: [Measure] { [Measure(clock: .wall)] }
    var repetitions: Repetitions { .calibrated }
    var processorCount: Int { 1 }

    func results(_ settings: RunSettings) async throws -> [BenchmarkResult] {
        try await PairedRun(settings).results(of: self)
    }
}

/// How often a contender does its work for one sample.
enum Repetitions {
    /// As often as fills the time of a sample.
    case calibrated
    /// Always this often.
    case fixed(Int)
}

/// A figure that a case reports.
struct Measure {
    enum Clock: String {
        /// The monotonic wall clock.
        case wall
        /// The time of all processors in this process, the system's work for it included.
        case processor
    }

    let clock: Clock
    /// The highest ratio that the design allows, where it names the reference that is measured.
    let budget: Double?

    init(clock: Clock, budget: Double? = nil) {
        self.clock = clock
        self.budget = budget
    }
}

/// The unit of a time.
enum TimeUnit: String {
    case nanoseconds = "ns"
    case microseconds = "µs"
    case milliseconds = "ms"

    var inNanoseconds: Double {
        switch self {
        case .nanoseconds: 1
        case .microseconds: 1e3
        case .milliseconds: 1e6
        }
    }
}

/// What the command line says about measuring.
struct RunSettings {
    /// How many pairs are measured.
    let samples: Int
    /// The least time that one sample of a calibrated case is to take, in nanoseconds.
    let sampleTime = 20e6
}
