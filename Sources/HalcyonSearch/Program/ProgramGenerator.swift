internal import HalcyonRaster
internal import HalcyonTesting

/// Generates random programs. Each uses only some of the features, at random: a defect that nearly every program meets
/// would hide all others, and events that seldom meet among many features meet often among few.
struct ProgramGenerator {
    /// The features that a program may use.
    enum Feature: CaseIterable {
        case users, bodies, languages, marks, resizing, frames, priorities, cancelling, refreshing, cachePolicies,
            freshness, removing, storing, clearing, time, outages, diskFaults, restarting, prefetching, pressure,
            holding, otherCalls, publishing, offline, redirects, churning, keying, delivering, substituting, providing,
            metering, sizing, separating, observing, cookies, configuring, hooking,
            animating, saving, spelling, distrusting, sharing, killing
    }

    private let seed: UInt64
    var random: SeededGenerator
    private(set) var features: Set<Feature> = []
    private(set) var resources: [Program.Resource] = []
    private(set) var answersAtOnce = false
    private var laneCount = 1
    /// The marks of which chains are beginnings, so that they share work.
    private(set) var chain: [UInt8] = []
    /// The calls that a program repeats: a change to an image shows when it is requested once more.
    private(set) var favorites: [Call] = []
    /// The resources for which the origin has no image at the moment.
    var failing: Set<Int> = []

    init(seed: UInt64) {
        self.seed = seed
        random = SeededGenerator(seed: seed)
    }

    /// Returns the program of a seed.
    static func program(seed: UInt64) -> Program {
        var generator = ProgramGenerator(seed: seed)
        return generator.program()
    }

    private mutating func program() -> Program {
        let share = [25, 40, 60].randomElement(using: &random) ?? 40
        features = Set(Feature.allCases.filter { _ in chance(share) })
        // Much shared work whose waiters join, change and leave.
        let churns = chance(15)
        if churns { features = [.priorities, .marks, .cancelling, .churning] }
        let isConcurrent = churns || chance(40)
        laneCount = isConcurrent ? Int.random(in: 2...4, using: &random) : 1
        answersAtOnce = churns || (isConcurrent ? chance(90) : chance(30))
        resources = (0..<(churns ? 1 : Int.random(in: 1...3, using: &random))).map { _ in resource() }
        chain = (0..<3).map { _ in mark() }
        favorites = (0..<Int.random(in: churns ? 4...6 : 1...4, using: &random)).map { _ in call() }
        var lines: [Program.Line] = []
        let count = churns ? 250 : Int.random(in: isConcurrent ? 30...140 : 8...50, using: &random)
        let period = churns ? 40 : Int.random(in: 6...30, using: &random)
        while lines.count < count {
            if chance(100 / period) {
                let restarts = features.contains(.restarting) && chance(30)
                lines.append(Program.Line(lane: 0, step: restarts ? .restart : .settle(chance(60))))
            } else {
                if features.contains(.outages), chance(5) {
                    lines += failedRefresh().map { Program.Line(lane: 0, step: $0) }
                    continue
                }
                let lane = Int.random(in: 0..<laneCount, using: &random)
                if churns, chance(10) {
                    lines += storm().map { Program.Line(lane: lane, step: $0) }
                    continue
                }
                lines.append(Program.Line(lane: lane, step: step()))
                if !isConcurrent, chance(30) { lines.append(Program.Line(lane: 0, step: .pause)) }
            }
        }
        return Program(
            seed: seed,
            answersAtOnce: answersAtOnce,
            resources: resources,
            isObserved: features.contains(.observing),
            decodeBudget: decodeBudget(),
            isUntrusted: features.contains(.distrusting) ? true : nil,
            lines: lines
        )
    }

    private mutating func resource() -> Program.Resource {
        Program.Resource(
            policy: chance(50) ? .none : Program.Policy.allCases.randomElement(using: &random) ?? .none,
            hasValidator: chance(50),
            isVarying: features.contains(.languages) && chance(70),
            isLarge: chance(30),
            isAnimated: !features.isDisjoint(with: [.frames, .animating]) && chance(60),
            isRedirected: features.contains(.redirects) && chance(50)
        )
    }

    /// Returns a budget of one byte, or of the bytes of one image; `nil` for one that is no bound.
    private mutating func decodeBudget() -> Int? {
        guard features.contains(.saving) else { return nil }
        let sizes = [false, true].map { LabelledImage.size(isLarge: $0) }
        return ([1] + sizes.map { $0.width * $0.height * 4 }).randomElement(using: &random)
    }

    mutating func mark() -> UInt8 { UInt8.random(in: 1...2, using: &random) }

    mutating func small() -> Int { Int.random(in: 0..<4, using: &random) }

    mutating func resourceNumber() -> Int { Int.random(in: 0..<resources.count, using: &random) }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
}
