internal import HalcyonTesting

extension ProgramGenerator {
    /// Returns a call: mostly one that was made before, perhaps in another way.
    mutating func nextCall() -> Call {
        var call = repeatedCall()
        if features.contains(.sharing), call.kind != .superseding, chance(40) { call.isOfOtherPipeline = true }
        return call
    }

    private mutating func repeatedCall() -> Call {
        guard chance(80), var call = favorites.randomElement(using: &random) else { return call() }
        if features.contains(.refreshing) { call.reads = chance(25) ? .none : call.reads }
        if features.contains(.churning), chance(70) { call.reads = .none }
        // A failed refresh changes nothing.
        if failing.contains(call.identity.resource) { call.reads = chance(40) ? .none : call.reads }
        if features.contains(.priorities) { call.priority = Int.random(in: 0...4, using: &random) }
        call.isAwaited = chance(features.contains(.churning) ? 15 : 45)
        return call
    }

    /// Returns a new call.
    mutating func call() -> Call {
        var call = Call()
        call.identity = identity()
        call.variant = variant(call.identity.resource)
        if call.identity.user > 0, chance(40) {
            call.carrier = [.options, .cookie, .credential].randomElement(using: &random) ?? .options
        }
        if call.identity.user > 0, features.contains(.cookies), chance(60) { call.carrier = .cookieOption }
        if features.contains(.otherCalls) {
            call.kind =
                [.task, .task, .response, .data, .memory, .encoded, .callback, .superseding].randomElement(
                    using: &random
                )
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

    mutating func originalIdentity() -> Identity {
        let user = features.contains(.users) && chance(70) ? Int.random(in: 0...2, using: &random) : 0
        return Identity(resource: resourceNumber(), user: user)
    }

    mutating func variant(_ resource: Int) -> Variant {
        var variant = Variant()
        if features.contains(.marks), chance(75) {
            variant.marks =
                chance(75)
                ? Array(chain.prefix(Int.random(in: 1...3, using: &random)))
                : (0..<Int.random(in: 1...2, using: &random)).map { _ in mark() }
        }
        if features.contains(.resizing) { variant.isReduced = chance(40) }
        if features.contains(.frames), resources[resource].isAnimated { variant.frame = chance(50) ? 1 : 0 }
        if features.contains(.sizing) {
            if chance(60) { variant.targetWidth = Variant.targetWidths.randomElement(using: &random) }
            if chance(20) { variant.longestSide = Variant.longestSides.randomElement(using: &random) }
        }
        return variant
    }
}
