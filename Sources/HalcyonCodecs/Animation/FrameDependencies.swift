/// Tells where to begin composing so as to arrive at a frame: at the last one before which nothing needs to be known.
struct FrameDependencies {
    /// What counts of a frame.
    struct Frame {
        /// Whether its rectangle is the whole canvas.
        var coversCanvas: Bool
        /// Whether none of what is below remains visible inside its rectangle.
        var replaces: Bool
        var disposal: AnimationCanvas.Disposal
    }

    private enum Start {
        /// The frame needs those before it.
        case no
        /// The frame leaves nothing of what is below it.
        case covering
        /// The canvas is empty when the frame comes.
        case empty
    }

    private var starts: [Start] = []
    private let isUndone: [Bool]

    /// Linear in the number of frames.
    init(_ frames: some Sequence<Frame>) {
        var isUndone: [Bool] = []
        var isEmpty = true
        for frame in frames {
            let covers = frame.coversCanvas && frame.replaces
            starts.append(isEmpty ? .empty : covers ? .covering : .no)
            isUndone.append(frame.disposal == .restore)
            switch frame.disposal {
            case .keep: isEmpty = false
            case .clear: isEmpty = isEmpty || frame.coversCanvas
            case .restore: break
            }
        }
        self.isUndone = isUndone
    }

    /// Where to begin, standing before frame `next`, so that frame `target` can be composed: between `next` and
    /// `target`, or before both. If `next` comes right after `target`, the target has just been composed.
    func start(for target: Int, next: Int) -> Int {
        if next == target + 1 {
            return next
        }
        var frame = target
        while frame > 0, frame != next {
            switch starts[frame] {
            case .empty: return frame
            // What was below comes back when the frame itself is undone.
            case .covering where !isUndone[frame]: return frame
            default: frame -= 1
            }
        }
        return frame
    }

    /// Notes that a frame shows what is below it after all.
    mutating func revoke(_ frame: Int) {
        if starts[frame] == .covering {
            starts[frame] = .no
        }
    }

    /// Whether a frame can be a start only because it covers all below it.
    func isCovering(_ frame: Int) -> Bool {
        starts[frame] == .covering
    }
}
