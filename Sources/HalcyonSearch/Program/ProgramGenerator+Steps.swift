internal import HalcyonTesting

extension ProgramGenerator {
    /// Returns the next step.
    mutating func step() -> Step {
        if !answersAtOnce, chance(30) { return chance(85) ? .deliver(small()) : .deliverPart(small()) }
        if features.contains(.priorities), chance(features.contains(.churning) ? 50 : 25) {
            return .prioritize(Int.random(in: 0..<10, using: &random), Int.random(in: 0...4, using: &random))
        }
        if chance(45) { return .load(nextCall()) }
        return rare() ?? .load(nextCall())
    }

    /// Returns loads that share an original and chains, which are kept from ending while their priorities change.
    mutating func storm() -> [Step] {
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

    /// Returns steps in which an image that is cached is asked for anew while its origin has none, and then once more: a refresh
    /// that fails changes nothing.
    mutating func failedRefresh() -> [Step] {
        var call = Call()
        call.identity = originalIdentity()
        call.variant.marks = Array(chain.prefix(Int.random(in: 0...2, using: &random)))
        call.isAwaited = answersAtOnce
        var refresh = call
        refresh.reads = .none
        let resource = call.identity.resource
        let outage = Outage.allCases.filter { $0 != .none && $0 != .notFound }.randomElement(using: &random) ?? .noImage
        return [
            .outage(resource, .none), .load(call), .settle(true), .outage(resource, outage), .load(refresh),
            .settle(chance(50)), .load(call), .settle(chance(50)), .outage(resource, .none),
        ]
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
            let resource = target().identity.resource
            if outage == .none { failing.remove(resource) } else { failing.insert(resource) }
            return .outage(resource, outage)
        case .diskFaults:
            return .disk(chance(50) ? .healthy : DiskState.allCases.randomElement(using: &random) ?? .full)
        case .prefetching where chance(30):
            return .setWidth(small(), Int.random(in: 0...4, using: &random))
        case .prefetching:
            let numbers = (0..<Int.random(in: 1...3, using: &random)).map { _ in resourceNumber() }
            let marks = variant(numbers[0]).marks
            return chance(50)
                ? .prefetch(numbers, toDisk: chance(50), Variant(marks: marks))
                : .prefetchSequence(numbers, toDisk: chance(50), Variant(marks: marks))
        case .configuring:
            return .configure
        case .providing:
            return .replaceFile(resourceNumber())
        case .separating:
            return favorites.randomElement(using: &random).map { .look($0) }
        case .metering:
            return .metered(chance(50))
        case .pressure:
            return .memoryPressure(chance(50))
        case .holding:
            return chance(50) ? .hold(mark()) : .release
        case .killing:
            return .killWorkers
        default:
            return nil
        }
    }
}
