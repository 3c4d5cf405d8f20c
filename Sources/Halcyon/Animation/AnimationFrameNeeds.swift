/// What the players of one animation need, together.
///
/// Counted as players change, because hundreds of players of one animation mostly need the same, and walking over all of
/// them at each frame of each took twice the time of the decoding.
struct AnimationFrameNeeds {
    /// The demands, and the number of players that have each.
    private(set) var demands: [AnimationFrameDemand: Int] = [:]
    /// The frames that are due or shown, which must stay, and how often.
    private var pinCounts: [Int: Int] = [:]
    /// The frames that are to be delivered as soon as they are decoded, and the number of players that wait for each.
    private var waiterCounts: [Int: Int] = [:]
    /// ``nextUses(_:)`` of these demands, once it was asked for.
    private var knownUses: [Int64]?

    /// The frames that are due or shown, which must stay.
    var pinned: Dictionary<Int, Int>.Keys { pinCounts.keys }

    /// The frames that players wait for.
    var awaited: Dictionary<Int, Int>.Keys { waiterCounts.keys }

    /// Counts what a player needs.
    mutating func add(_ client: AnimationFrameSet.Client) {
        count(client, 1)
    }

    /// Ends what ``add(_:)`` began, with the same player unchanged.
    mutating func remove(_ client: AnimationFrameSet.Client) {
        count(client, -1)
    }

    private mutating func count(_ client: AnimationFrameSet.Client, _ number: Int) {
        if let demand = client.demand {
            if Self.count(demand, number, in: &demands) { knownUses = nil }
            _ = Self.count(demand.frame, number, in: &pinCounts)
        }
        if let shown = client.shown { _ = Self.count(shown, number, in: &pinCounts) }
        for frame in client.awaited { _ = Self.count(frame, number, in: &waiterCounts) }
    }

    /// Returns whether the element came or went.
    private static func count<Element>(_ element: Element, _ number: Int, in counts: inout [Element: Int]) -> Bool {
        let count = counts[element, default: 0] + number
        counts[element] = count == 0 ? nil : count
        return count == 0 || count == number
    }

    /// Returns the time until each frame is shown next, in nanoseconds; `Int64.max` if no player shows it. Linear in the
    /// number of frames, the first time after demands have changed.
    mutating func nextUses(_ timeline: AnimationTimeline) -> [Int64] {
        if let knownUses { return knownUses }
        var uses = [Int64](repeating: .max, count: timeline.frameCount)
        for mode in Set(demands.keys.lazy.map(\.mode)) {
            let count = timeline.stepCount(mode)
            let stepDuration = timeline.loopDuration(mode) / Int64(count)
            let steps = Set(demands.keys.lazy.filter { $0.mode == mode }.map(\.step))
            // The number of steps since a player: after the second round, that of each step is known.
            var distance: Int64?
            for step in 0..<2 * count {
                distance = steps.contains(step % count) ? 0 : distance.map { $0 + 1 }
                guard let distance else { continue }
                let frame = timeline.frame(ofStep: step % count, mode)
                uses[frame] = min(uses[frame], distance * stepDuration)
            }
        }
        knownUses = uses
        return uses
    }
}

/// The frames that a player needs, now and next.
struct AnimationFrameDemand: Sendable, Hashable {
    /// The step of the loop that is due.
    let step: Int
    /// The frame that is due.
    let frame: Int
    let mode: AnimationPlaybackMode
    /// The frames that follow, in the order of playing, as many as are to be decoded ahead of time.
    let upcoming: [Int]

    /// A Boolean value that indicates whether frames are needed in falling order next, for which a decoder has to begin
    /// again and again.
    var isFalling: Bool { upcoming.first.map { $0 < frame } ?? false }

    /// Feeds the step alone, which most demands that differ differ in.
    func hash(into hasher: inout Hasher) {
        hasher.combine(step)
    }
}
