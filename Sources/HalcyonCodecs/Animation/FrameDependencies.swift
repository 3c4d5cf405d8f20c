internal import HalcyonRaster

/// The frames that each frame of an animation needs, and with them the frame at which composing may begin: the last one
/// that depends on no earlier one.
struct FrameDependencies {
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

    /// The dependencies of frames on a canvas of this size. Linear in the number of frames.
    init(_ frames: some Sequence<FrameDescription>, canvas: PixelSize) {
        var isUndone: [Bool] = []
        var isEmpty = true
        for frame in frames {
            let coversCanvas = frame.area(on: canvas).covers(canvas)
            starts.append(isEmpty ? .empty : coversCanvas && frame.blending == .source ? .covering : .no)
            isUndone.append(frame.disposal == .restore)
            switch frame.disposal {
            case .keep: isEmpty = false
            case .clear: isEmpty = isEmpty || coversCanvas
            case .restore: break
            }
        }
        self.isUndone = isUndone
    }

    /// Returns the frame to begin at, standing before frame `next`, so that frame `target` can be composed: between
    /// `next` and `target`, or before both. If `next` comes right after `target`, the target has just been composed.
    func start(for target: Int, next: Int) -> Int {
        if next == target + 1 {
            return next
        }
        var frame = target
        while frame > 0, frame != next {
            switch starts[frame] {
            case .empty: return frame
            // The pixels below come back when the frame itself is undone.
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

    /// Returns whether a frame can be a start only because it covers all below it.
    func isCovering(_ frame: Int) -> Bool {
        starts[frame] == .covering
    }
}
