/// The order in which a player shows the frames of an animation.
public enum AnimationPlaybackMode: Sendable, Hashable, CaseIterable {
    /// From the first frame to the last, and again from the first.
    case forward
    /// From the last frame to the first, and again from the last.
    case reverse
    /// From the first frame to the last and back; the way there and back is one loop, which ends with the first frame.
    case bounce
    /// From the last frame to the first and back; the way there and back is one loop, which ends with the last frame.
    case reverseBounce
}
