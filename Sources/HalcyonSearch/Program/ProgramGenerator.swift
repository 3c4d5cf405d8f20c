internal import HalcyonTesting

/// Generates random programs. Each uses only some of the features, at random: a defect that nearly every program meets
/// would hide all others, and events that seldom meet among many features meet often among few.
struct ProgramGenerator {
    /// The features that a program may use.
    enum Feature: CaseIterable {
        case users, bodies, languages, marks, resizing, frames, priorities, cancelling, refreshing, cachePolicies,
            freshness, removing, storing, clearing, time, outages, diskFaults, restarting, prefetching, pressure,
            holding, otherCalls, publishing, offline, redirects, churning, keying, delivering, substituting, providing,
            metering
    }

    private let seed: UInt64
    var random: SeededGenerator
    private(set) var features: Set<Feature> = []
    private(set) var resources: [Program.Resource] = []
    private var answersAtOnce = false
    private var laneCount = 1
    /// The marks of which chains are beginnings, so that they share work.
    private var chain: [UInt8] = []
    /// The calls that a program repeats: a change to an image shows when it is requested once more.
    private var favorites: [Call] = []

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
                let lane = Int.random(in: 0..<laneCount, using: &random)
                if churns, chance(10) {
                    lines += storm().map { Program.Line(lane: lane, step: $0) }
                    continue
                }
                lines.append(Program.Line(lane: lane, step: step()))
                if !isConcurrent, chance(30) { lines.append(Program.Line(lane: 0, step: .pause)) }
            }
        }
        return Program(seed: seed, answersAtOnce: answersAtOnce, resources: resources, lines: lines)
    }

    private mutating func resource() -> Program.Resource {
        Program.Resource(
            policy: chance(50) ? .none : Program.Policy.allCases.randomElement(using: &random) ?? .none,
            hasValidator: chance(50),
            isVarying: features.contains(.languages) && chance(70),
            isLarge: chance(30),
            isAnimated: features.contains(.frames) && chance(60),
            isRedirected: features.contains(.redirects) && chance(50)
        )
    }

    private mutating func step() -> Step {
        if !answersAtOnce, chance(30) { return chance(85) ? .deliver(small()) : .deliverPart(small()) }
        if features.contains(.priorities), chance(features.contains(.churning) ? 50 : 25) {
            return .prioritize(Int.random(in: 0..<10, using: &random), Int.random(in: 0...4, using: &random))
        }
        if chance(45) { return .load(nextCall()) }
        return rare() ?? .load(nextCall())
    }

    /// Returns loads that share the beginning of their chains, which is kept from ending while their priorities change.
    private mutating func storm() -> [Step] {
        var steps: [Step] = [.hold(chain[0])]
        for _ in 0..<Int.random(in: 3...6, using: &random) {
            var call = Call()
            call.variant.marks = Array(chain.prefix(Int.random(in: 1...3, using: &random)))
            call.reads = .none
            call.priority = Int.random(in: 0...4, using: &random)
            steps.append(.load(call))
        }
        return steps + [.priorityStorm(200), .release]
    }

    /// Returns a call: mostly one that was made before, perhaps in another way.
    private mutating func nextCall() -> Call {
        guard chance(80), var call = favorites.randomElement(using: &random) else { return call() }
        if features.contains(.refreshing) { call.reads = chance(25) ? .none : call.reads }
        if features.contains(.churning), chance(70) { call.reads = .none }
        if features.contains(.priorities) { call.priority = Int.random(in: 0...4, using: &random) }
        call.isAwaited = chance(features.contains(.churning) ? 15 : 45)
        return call
    }

    /// Returns the image to remove or store: mostly one that is loaded, too.
    private mutating func target() -> (identity: Identity, variant: Variant) {
        if chance(75), let call = favorites.randomElement(using: &random), call.identity.body == 0,
            call.identity.language == 0
        {
            return (call.identity, call.variant)
        }
        let identity = originalIdentity()
        return (identity, variant(identity.resource))
    }

    /// Returns one of the other steps; `nil` if the program does not use the one that was drawn.
    private mutating func rare() -> Step? {
        guard let feature = features.sorted(by: { "\($0)" < "\($1)" }).randomElement(using: &random) else { return nil }
        switch feature {
        case .cancelling:
            return .cancel(small())
        case .refreshing, .publishing:
            return .publish(resourceNumber())
        case .removing:
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1: return .removeAll
            case 2: return .removeResource(target().identity.resource)
            case 3: return .removeFromDisk(target().identity)
            case 4: return .removeFromMemory(target().identity)
            default:
                let (identity, variant) = target()
                return .remove(identity, variant)
            }
        case .storing:
            let identity = target().identity
            return resources[identity.resource].isVarying ? nil : .store(identity)
        case .clearing:
            return [.clearMemory, .clearMemory, .clearDisk, .trimDisk, .removeExpired, .flush].randomElement(
                using: &random
            )
        case .time:
            return .advance([2, 10, 70, 400, 4_000, 700_000].randomElement(using: &random) ?? 2)
        case .outages:
            let outage = chance(50) ? .none : Outage.allCases.randomElement(using: &random) ?? .none
            return .outage(resourceNumber(), outage)
        case .diskFaults:
            return .disk(chance(50) ? .healthy : DiskState.allCases.randomElement(using: &random) ?? .full)
        case .prefetching:
            let numbers = (0..<Int.random(in: 1...3, using: &random)).map { _ in resourceNumber() }
            let marks = variant(numbers[0]).marks
            return chance(50)
                ? .prefetch(numbers, toDisk: chance(50), Variant(marks: marks))
                : .prefetchSequence(numbers, toDisk: chance(50), Variant(marks: marks))
        case .metering:
            return .metered(chance(50))
        case .otherCalls:
            return chance(20) ? .clearSlot : nil
        case .pressure:
            return .memoryPressure(chance(50))
        case .holding:
            return chance(50) ? .hold(mark()) : .release
        default:
            return nil
        }
    }

    private mutating func call() -> Call {
        var call = Call()
        call.identity = identity()
        call.variant = variant(call.identity.resource)
        if call.identity.user > 0, chance(40) {
            call.carrier = [.options, .cookie, .credential].randomElement(using: &random) ?? .options
        }
        if features.contains(.otherCalls) {
            call.kind =
                [.task, .task, .response, .data, .memory, .encoded, .callback, .slot].randomElement(using: &random)
                ?? .task
        }
        if features.contains(.refreshing), chance(30) { call.reads = .none }
        if features.contains(.cachePolicies), chance(60) {
            call.storesInMemory = chance(80)
            call.storesOnDisk = chance(80)
            call.storesOriginal = chance(30)
            call.waitsForStore = chance(30)
            call.revalidates = chance(15)
            if chance(20) { call.reads = chance(50) ? .memory : .disk }
            if chance(15) { call.ignoresOriginal = true }
        }
        if features.contains(.freshness), chance(60) {
            call.freshness = [.ignoringServer, .never, .minute].randomElement(using: &random) ?? .never
            // A call that ignores the server also ignores for which requests it says an image is.
            if call.freshness == .ignoringServer, resources[call.identity.resource].isVarying {
                call.freshness = .minute
            }
        }
        if features.contains(.offline) { call.isOffline = chance(15) }
        if features.contains(.priorities) { call.priority = Int.random(in: 0...4, using: &random) }
        call.isAwaited = chance(40)
        if features.contains(.providing), chance(40) { call = provided(call) }
        call.settings = settings(for: call)
        return call
    }

    private mutating func identity() -> Identity {
        var identity = originalIdentity()
        if features.contains(.bodies), chance(30) { identity.body = Int.random(in: 1...2, using: &random) }
        if features.contains(.languages), resources[identity.resource].isVarying {
            identity.language = Int.random(in: 0...2, using: &random)
        }
        return identity
    }

    private mutating func originalIdentity() -> Identity {
        let user = features.contains(.users) && chance(70) ? Int.random(in: 0...2, using: &random) : 0
        return Identity(resource: resourceNumber(), user: user)
    }

    private mutating func variant(_ resource: Int) -> Variant {
        var variant = Variant()
        if features.contains(.marks), chance(75) {
            variant.marks =
                chance(75)
                ? Array(chain.prefix(Int.random(in: 1...3, using: &random)))
                : (0..<Int.random(in: 1...2, using: &random)).map { _ in mark() }
        }
        if features.contains(.resizing) { variant.isReduced = chance(40) }
        if features.contains(.frames), resources[resource].isAnimated { variant.frame = chance(50) ? 1 : 0 }
        return variant
    }

    private mutating func mark() -> UInt8 { UInt8.random(in: 1...2, using: &random) }

    private mutating func small() -> Int { Int.random(in: 0..<4, using: &random) }

    mutating func resourceNumber() -> Int { Int.random(in: 0..<resources.count, using: &random) }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
}
