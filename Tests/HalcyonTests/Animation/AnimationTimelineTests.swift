import Testing

@testable import Halcyon

@Suite("The timeline of an animation")
struct AnimationTimelineTests {
    /// Durations in nanoseconds, short so that each moment can be tried.
    private static let samples: [[Int64]] = [[4], [2, 3], [1, 2, 3], [5, 1, 1, 4], [2, 2, 2, 2, 2]]

    private static func timeline(_ durations: [Int64]) -> AnimationTimeline {
        AnimationTimeline(durations.map { .nanoseconds($0) })
    }

    /// The frames of one loop, as the documentation of the mode states.
    private static func frames(_ count: Int, _ mode: AnimationPlaybackMode) -> [Int] {
        let forward = Array(0..<count)
        return switch mode {
        case .forward: forward
        case .reverse: forward.reversed()
        case .bounce: forward + forward.dropFirst().dropLast().reversed()
        case .reverseBounce: forward.reversed() + forward.dropFirst().dropLast()
        }
    }

    @Test("has the frame, the number and the times of the step at each moment", arguments: samples)
    func steps(durations: [Int64]) {
        let timeline = Self.timeline(durations)
        for mode in AnimationPlaybackMode.allCases {
            let frames = Self.frames(durations.count, mode)
            #expect(timeline.stepCount(mode) == frames.count)
            #expect(timeline.loopDuration(mode) == frames.reduce(0) { $0 + durations[$1] })
            var start: Int64 = 0
            for (number, frame) in frames.enumerated() {
                let step = AnimationTimeline.Step(
                    number: number,
                    frame: frame,
                    range: start..<start + durations[frame]
                )
                for position in step.range { #expect(timeline.step(at: position, mode) == step, "\(mode)") }
                #expect(timeline.frame(ofStep: number, mode) == frame)
                if frames.firstIndex(of: frame) == number {
                    #expect(timeline.position(ofFrame: frame, mode) == start)
                }
                start = step.range.upperBound
            }
        }
    }

    @Test("keeps durations without end, and without time, within its numbers")
    func extremes() {
        let longest = Duration(secondsComponent: .max, attosecondsComponent: 0)
        let count = 10_000
        for duration in [longest, .zero, .seconds(-1)] {
            let timeline = AnimationTimeline(Array(repeating: duration, count: count))
            for mode in AnimationPlaybackMode.allCases {
                let loop = timeline.loopDuration(mode)
                #expect(loop >= Int64(count))
                #expect(timeline.step(at: loop - 1, mode).range.upperBound == loop)
            }
        }
    }

    @Test("counts short times of a file as browsers do")
    func shortTimes() {
        let info = ImageInfo(
            format: .gif,
            size: PixelSize(1, 1),
            frameCount: 4,
            frameDurations: [0, 10, 11, 20],
            loopCount: 0
        )
        let milliseconds = (0..<4).map { info.duration(ofFrame: $0) }
        #expect(milliseconds == [.milliseconds(100), .milliseconds(100), .milliseconds(11), .milliseconds(20)])
    }
}
