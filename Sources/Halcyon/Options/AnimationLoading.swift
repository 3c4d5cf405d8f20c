/// The part of an animated file that a load gives.
public enum AnimationLoading: Sendable, Hashable, CaseIterable {
    /// The first frame, with the animation that it belongs to: its encoded bytes, from which players decode the other
    /// frames when they are due.
    case onDemand
    /// The first frame, with the animation and all of its frames, decoded. Where they take more than
    /// ``DecodeLimits/memory`` together, or one is damaged, the same as ``onDemand``.
    case preloaded
    /// The first frame alone, as a still image.
    case firstFrame
}
