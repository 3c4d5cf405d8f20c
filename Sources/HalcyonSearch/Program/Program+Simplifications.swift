extension Program {
    /// The programs that do the same with simpler arguments: one change each.
    var simplifications: [Program] {
        var programs: [Program] = []
        func add(_ change: (inout Program) -> Void) {
            var program = self
            change(&program)
            if program != self { programs.append(program) }
        }
        add { program in
            for index in program.lines.indices { program.lines[index].lane = 0 }
        }
        add { $0.answersAtOnce = true }
        add { $0.isObserved = false }
        add { $0.decodeBudget = nil }
        add { $0.isUntrusted = nil }
        for index in resources.indices {
            add { $0.resources[index] = Resource() }
            add { $0.resources[index].policy = .none }
            add { $0.resources[index].hasValidator = false }
            add { $0.resources[index].isVarying = false }
            add { $0.resources[index].isLarge = false }
            add { $0.resources[index].isAnimated = false }
            add { $0.resources[index].isRedirected = false }
        }
        for index in lines.indices {
            for step in lines[index].step.simplifications {
                add { $0.lines[index].step = step }
            }
        }
        return programs
    }
}

extension Step {
    /// The steps that do the same with a simpler argument.
    fileprivate var simplifications: [Step] {
        switch self {
        case .load(let call): call.simplifications.map { .load($0) }
        case .look(let call): call.simplifications.map { .look($0) }
        case .setWidth(let index, let width) where index > 0 || width > 1: [.setWidth(0, 1)]
        case .cancel(let index) where index > 0: [.cancel(0)]
        case .prioritize(let index, let priority) where index > 0: [.prioritize(0, priority)]
        case .deliver(let index) where index > 0: [.deliver(0)]
        case .deliverPart(let index): [.deliver(index)]
        case .settle(true): [.settle(false)]
        case .restart: [.settle(true)]
        case .prefetch(let resources, let toDisk, let variant) where resources.count > 1:
            [.prefetch(Array(resources.prefix(1)), toDisk: toDisk, variant)]
        case .prefetchSequence(let resources, let toDisk, let variant):
            [.prefetch(resources, toDisk: toDisk, variant)]
        case .remove(let identity, let variant) where variant != Variant(): [.remove(identity, Variant())]
        default: []
        }
    }
}

extension Call {
    fileprivate var simplifications: [Call] {
        let plain = Call()
        var calls: [Call] = []
        func add(_ change: (inout Call) -> Void) {
            var call = self
            change(&call)
            if call != self { calls.append(call) }
        }
        // At once all parts that most calls do without.
        add { $0 = Call(identity: identity, carrier: carrier, isAwaited: isAwaited) }
        add { $0.kind = plain.kind }
        add { $0.identity.resource = 0 }
        add { $0.identity.user = 0 }
        add { $0.identity.language = 0 }
        add { $0.identity.body = 0 }
        add { $0.identity.form = nil }
        add { $0.carrier = plain.carrier }
        add { $0.variant = plain.variant }
        add { $0.variant.marks = Array(variant.marks.dropLast()) }
        add { $0.variant.isReduced = false }
        add { $0.variant.longestSide = nil }
        add { $0.variant.targetWidth = nil }
        add { $0.variant.frame = 0 }
        add { $0.reads = plain.reads }
        add { $0.storesInMemory = true }
        add { $0.storesOnDisk = true }
        add { $0.storesOriginal = false }
        add { $0.ignoresOriginal = nil }
        add { $0.waitsForStore = false }
        add { $0.freshness = plain.freshness }
        add { $0.revalidates = false }
        add { $0.isOffline = false }
        add { $0.priority = plain.priority }
        add { $0.isOfOtherPipeline = nil }
        add { $0.isAwaited = true }
        add { $0.settings = nil }
        for settings in settings?.simplifications ?? [] { add { $0.settings = settings } }
        return calls
    }
}
