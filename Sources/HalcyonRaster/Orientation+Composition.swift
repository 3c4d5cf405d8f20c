extension Orientation {
    /// Creates the orientation whose upright image is turned clockwise.
    ///
    /// - Parameter quarterTurns: The number of turns by 90°; counter-clockwise where it is negative.
    public init(quarterTurns: Int) {
        let clockwise: [Orientation] = [.up, .right, .down, .left]
        self = clockwise[quarterTurns & 3]
    }

    /// Creates the orientation whose upright image is mirrored.
    public init(flipping axis: FlipAxis) {
        self = axis == .horizontal ? .upMirrored : .downMirrored
    }

    /// Returns the orientation that has the same effect as this one and then another.
    public func followed(by next: Orientation) -> Orientation {
        // A mirror image that is turned clockwise is an image turned counter-clockwise and mirrored then.
        let (own, others) = (parts, next.parts)
        let turns = others.turns + (others.isMirrored ? -own.turns : own.turns)
        let isMirrored = own.isMirrored != others.isMirrored
        switch (turns & 3, isMirrored) {
        case (let turns, false): return Orientation(quarterTurns: turns)
        case (0, true): return .upMirrored
        case (1, true): return .rightMirrored
        case (2, true): return .downMirrored
        default: return .leftMirrored
        }
    }

    /// The effect in two steps: whether left and right change places, then so many quarter turns clockwise.
    private var parts: (isMirrored: Bool, turns: Int) {
        switch self {
        case .up: (false, 0)
        case .upMirrored: (true, 0)
        case .down: (false, 2)
        case .downMirrored: (true, 2)
        case .leftMirrored: (true, 3)
        case .right: (false, 1)
        case .rightMirrored: (true, 1)
        case .left: (false, 3)
        }
    }
}
