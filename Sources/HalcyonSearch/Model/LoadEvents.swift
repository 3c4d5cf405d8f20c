internal import Halcyon

/// The rules for the events of loads: each load begins once, looks into memory, and ends once, and nothing follows that.
struct LoadEvents {
    /// The loads that go on, each with its last event.
    private var open: [UInt64: LoadActivity] = [:]
    private var ended: Set<UInt64> = []

    /// A Boolean value that indicates whether every load has ended.
    var hasEnded: Bool { open.isEmpty }

    /// Notes an event, and returns what is wrong with it.
    mutating func problem(with activity: LoadActivity, of load: UInt64) -> String? {
        guard !ended.contains(load) else { return "\(activity) after its end" }
        let last = open.updateValue(activity, forKey: load)
        if case .ended = activity {
            open[load] = nil
            ended.insert(load)
        }
        switch (last, activity) {
        case (nil, .began): return nil
        case (nil, _): return "it began with \(activity)"
        case (_, .began): return "it began twice"
        case (.began, .lookedUpMemory), (.lookedUpMemory(isFound: true), .ended(.succeeded(.memory), _)): return nil
        case (.began, _): return "\(activity) before memory was looked into"
        case (.lookedUpMemory(isFound: true), _): return "\(activity), although memory had the image"
        default: return nil
        }
    }
}
