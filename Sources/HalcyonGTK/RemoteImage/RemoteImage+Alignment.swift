extension RemoteImage {
    /// The place of an image in a widget of another size, or of the part that is seen of a larger one.
    public enum Alignment: Sendable, Hashable, CaseIterable {
        /// The left side, the right one in a widget of a script that runs from right to left; or the top.
        case start
        /// The middle.
        case center
        /// The side opposite to ``start``.
        case end

        /// The part of the room on the left of the image, or above it, from 0 to 1.
        func share(isReversed: Bool = false) -> Double {
            switch self {
            case .start: isReversed ? 1 : 0
            case .center: 0.5
            case .end: isReversed ? 0 : 1
            }
        }
    }
}
