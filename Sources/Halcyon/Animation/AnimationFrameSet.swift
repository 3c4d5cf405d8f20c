internal import HalcyonCodecs
internal import HalcyonRaster
internal import HalcyonSystem

/// The identity of frames that players share: they are of one animation, and of one form.
struct AnimationFrameKey: Hashable, Sendable {
    let animation: ImageAnimation
    /// The size of the place that shows the frames; `nil` for their own.
    let box: PixelSize?
    let processing: ImageProcessorChain
}

/// The decoded frames of one animation in one form, its players, and its decoders.
///
/// A part of the state of an ``AnimationFramePool``, under whose lock alone it is used. A class, so that changing one of
/// its tables copies none.
final class AnimationFrameSet {
    /// A player.
    struct Client {
        var demand: AnimationFrameDemand?
        /// The frame that is shown.
        var shown: Int?
        /// The frames that are to be delivered as soon as they are decoded: the one that is due, and earlier ones that
        /// decoders are at work on. Without those, a player whose frames take longer than they last would get none.
        var awaited: Set<Int> = []
        let deliver: AnimationFramePool.Delivery
    }

    /// A frame, and the bytes that it adds to those that its image has in memory already.
    struct Frame {
        let image: DecodedImage
        let byteCount: Int
    }

    /// A decoder, and the number of the frame that it decodes next without beginning anew.
    struct Cursor {
        let decoder: ImageAnimationDecoder
        var position: Int
    }

    let timeline: AnimationTimeline
    /// Distinguishes this set from an earlier one of the same key.
    let number: UInt64
    /// Ends the decoding once there is no player left.
    let cancellation = CancellationFlag()
    private(set) var frames: [Int: Frame] = [:]
    private(set) var clients: [UInt64: Client] = [:]
    /// What the players need, together.
    private(set) var needs = AnimationFrameNeeds()
    /// The decoders that are not at work.
    var idle: [Cursor] = []
    /// The frames that decoders are at work on.
    var inFlight: Set<Int> = []
    /// The frames that cannot be decoded.
    var failures: [Int: any Error] = [:]
    /// The numbers of pieces of work that wait or run, for frames that are due, and for those ahead.
    var (urgentJobs, aheadJobs) = (0, 0)
    /// The bytes of a frame, as far as is known.
    private(set) var frameByteCount: Int

    init(timeline: AnimationTimeline, number: UInt64, frameByteCount: Int) {
        self.timeline = timeline
        self.number = number
        self.frameByteCount = frameByteCount
    }

    /// The number of decoders.
    var cursorCount: Int { idle.count + inFlight.count }

    /// A Boolean value that indicates whether all frames are decoded.
    var isComplete: Bool { frames.count + failures.count >= timeline.frameCount }

    /// The most decoders that may be open: one for each player, so that those that show different parts of a long
    /// animation do not move one decoder to and fro, but no more than a few, as each has a canvas.
    var cursorLimit: Int { min(clients.count, 4) }

    /// Stores a frame that the set does not have.
    func store(_ frame: Frame, at index: Int) {
        frames[index] = frame
        failures[index] = nil
    }

    /// Notes the bytes of a frame that was decoded; 0 for one that adds none.
    func note(frameByteCount: Int) {
        if frameByteCount > 0 { self.frameByteCount = frameByteCount }
    }

    func removeFrame(at index: Int) -> Frame? { frames.removeValue(forKey: index) }

    /// Adds a player.
    func add(_ client: Client, number: UInt64) {
        clients[number] = client
        needs.add(client)
    }

    /// Removes a player, and returns it.
    func removeClient(_ number: UInt64) -> Client? {
        let client = clients.removeValue(forKey: number)
        if let client { needs.remove(client) }
        return client
    }

    /// Changes what a player needs.
    func changeClient(_ number: UInt64, _ body: (inout Client) -> Void) {
        guard let earlier = clients[number] else { return }
        var client = earlier
        body(&client)
        clients[number] = client
        // Added first, so that what stays the same does not go and come back.
        needs.add(client)
        needs.remove(earlier)
    }

    /// The frames that are due or shown, which must stay.
    var pinned: Dictionary<Int, Int>.Keys { needs.pinned }

    /// Returns the time until each frame is shown next, in nanoseconds; `Int64.max` if no player shows it.
    func nextUses() -> [Int64] { needs.nextUses(timeline) }

    /// Returns a frame that is due, and on which no decoder is at work; `nil` if there is none that can be begun now.
    var urgentFrame: Int? {
        needs.awaited.lazy.filter { !self.inFlight.contains($0) && self.mayBegin($0) }.min()
    }

    /// Returns the frame that is needed first of those that are not due yet, and the number of steps until then; `nil`
    /// if enough of them are decoded.
    func aheadFrame(atMost count: Int) -> (frame: Int, steps: Int)? {
        var first: (frame: Int, steps: Int)?
        for demand in needs.demands.keys {
            let upcoming = demand.upcoming.prefix(count)
            let missing = upcoming.indices.filter { isMissing(upcoming[$0]) }
            guard let next = missing.first else { continue }
            // A decoder begins anew for frames in falling order, so it is worth while for several of them.
            if demand.isFalling, next != upcoming.startIndex, 2 * missing.count < upcoming.count { continue }
            if next + 1 < first?.steps ?? .max { first = (upcoming[next], next + 1) }
        }
        return first.flatMap { mayBegin($0.frame) ? $0 : nil }
    }

    private func isMissing(_ frame: Int) -> Bool {
        frames[frame] == nil && failures[frame] == nil && !inFlight.contains(frame)
    }

    /// Returns whether a decoder may begin with a frame: not if one at work on an earlier frame gets there sooner than a
    /// new one would.
    private func mayBegin(_ frame: Int) -> Bool {
        if idle.contains(where: { $0.position <= frame }) { return true }
        if inFlight.contains(where: { $0 < frame }) { return false }
        return !idle.isEmpty || cursorCount < cursorLimit
    }

    /// The place among ``idle`` of the decoder that gets to a frame with the least work; `nil` for a new one.
    func nearestCursor(to frame: Int, mayOpen: Bool) -> Int? {
        let near = idle.indices.filter { idle[$0].position <= frame }.max { idle[$0].position < idle[$1].position }
        if let near { return near }
        if idle.isEmpty || mayOpen && cursorCount < cursorLimit { return nil }
        return idle.indices.first
    }
}

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
