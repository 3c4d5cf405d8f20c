internal import HalcyonCodecs

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

/// The times of the frames of one loop, in each order of playing. Positions are nanoseconds from the start of a loop.
///
/// A loop has steps, each of which shows a frame. To and back, each frame but the first and the last has two of them.
struct AnimationTimeline: Sendable, Hashable {
    /// The start of each frame, played forward, and the end of the last one: rising.
    private let starts: [Int64]

    /// A step of a loop.
    struct Step: Sendable, Hashable {
        /// From 0.
        let number: Int
        let frame: Int
        /// The time at which it begins, and that at which the next one does.
        let range: Range<Int64>
    }

    /// A timeline of frames with these durations.
    ///
    /// - Parameter durations: At least one. Each lasts 1 ns at least, and at most so long that two loops together are
    ///   within the numbers of 64 bits, but no longer than a day.
    init(_ durations: some Collection<Duration>) {
        precondition(!durations.isEmpty, "an animation has a frame")
        let longest = min(86_400_000_000_000, Int64.max / 4 / Int64(durations.count))
        var starts: [Int64] = [0]
        starts.reserveCapacity(durations.count + 1)
        for duration in durations {
            starts.append(starts[starts.count - 1] + min(max(duration.nanoseconds, 1), longest))
        }
        self.starts = starts
    }

    /// The timeline of an animation.
    init(_ animation: ImageAnimation) {
        self.init((0..<animation.frameCount).map { animation.duration(ofFrame: $0) })
    }

    var frameCount: Int { starts.count - 1 }

    /// The time that all frames take, shown once each.
    private var total: Int64 { starts[frameCount] }

    /// Returns the duration of a loop.
    func loopDuration(_ mode: AnimationPlaybackMode) -> Int64 {
        hasWayBack(mode) ? total + starts[frameCount - 1] - starts[1] : total
    }

    /// Returns the number of steps of a loop.
    func stepCount(_ mode: AnimationPlaybackMode) -> Int {
        hasWayBack(mode) ? 2 * frameCount - 2 : frameCount
    }

    private func hasWayBack(_ mode: AnimationPlaybackMode) -> Bool {
        (mode == .bounce || mode == .reverseBounce) && frameCount > 1
    }

    /// Returns the step at a position: 0..<``loopDuration(_:)``. Logarithmic in the number of frames.
    func step(at position: Int64, _ mode: AnimationPlaybackMode) -> Step {
        let isForward = (mode == .forward || mode == .bounce) == (position < total)
        // The moment of the frames played forward that is shown at this position.
        let moment: Int64
        // The position at which the way begins on which the step lies, and the moment that is shown there.
        let (origin, first): (Int64, Int64)
        if position < total {
            (origin, first) = (0, isForward ? 0 : total)
        } else {
            (origin, first) = (total, isForward ? starts[1] : starts[frameCount - 1])
        }
        moment = isForward ? first + (position - origin) : first - 1 - (position - origin)
        let frame = frame(at: moment)
        let range =
            isForward
            ? origin + starts[frame] - first..<origin + starts[frame + 1] - first
            : origin + first - starts[frame + 1]..<origin + first - starts[frame]
        return Step(number: stepNumber(of: frame, isSecond: position >= total, mode), frame: frame, range: range)
    }

    /// Returns the frame that a step shows.
    func frame(ofStep step: Int, _ mode: AnimationPlaybackMode) -> Int {
        let count = frameCount
        return switch mode {
        case .forward: step
        case .reverse: count - 1 - step
        case .bounce: step < count ? step : 2 * count - 2 - step
        case .reverseBounce: step < count ? count - 1 - step : step - count + 1
        }
    }

    /// Returns the position at which a frame is shown first in a loop.
    func position(ofFrame frame: Int, _ mode: AnimationPlaybackMode) -> Int64 {
        switch mode {
        case .forward, .bounce: starts[frame]
        case .reverse, .reverseBounce: total - starts[frame + 1]
        }
    }

    private func stepNumber(of frame: Int, isSecond: Bool, _ mode: AnimationPlaybackMode) -> Int {
        let count = frameCount
        return switch (mode, isSecond) {
        case (.forward, _), (.bounce, false): frame
        case (.reverse, _), (.reverseBounce, false): count - 1 - frame
        case (.bounce, true): 2 * count - 2 - frame
        case (.reverseBounce, true): count - 1 + frame
        }
    }

    /// Returns the frame that is shown at a moment, played forward.
    private func frame(at moment: Int64) -> Int {
        // The last frame that does not begin later.
        var (low, high) = (0, frameCount - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if starts[middle] <= moment { low = middle } else { high = middle - 1 }
        }
        return low
    }
}

extension Duration {
    /// The whole nanoseconds, or the largest or smallest number where there are more.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowsToo) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflows || overflowsToo ? (seconds < 0 ? .min : .max) : sum
    }
}
