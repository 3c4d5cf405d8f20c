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
