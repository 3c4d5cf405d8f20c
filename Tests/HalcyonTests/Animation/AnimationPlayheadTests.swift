import Testing

@testable import Halcyon

@Suite("A playhead")
struct AnimationPlayheadTests {
    /// Frames of 10, 20 and 30 ns.
    private let timeline = AnimationTimeline([10, 20, 30].map { .nanoseconds($0) })

    private func playing(
        _ mode: AnimationPlaybackMode = .forward,
        rate: Double = 1,
        loopLimit: Int? = nil,
        at time: Int64 = 0
    ) -> AnimationPlayhead {
        var playhead = AnimationPlayhead(timeline, mode: mode, rate: rate, loopLimit: loopLimit)
        _ = playhead.play(at: time)
        return playhead
    }

    @Test("shows each frame when it is due, and says when the next one is", arguments: AnimationPlaybackMode.allCases)
    func eachFrame(mode: AnimationPlaybackMode) {
        var playhead = playing(mode, at: 1_000)
        var shown = [playhead.frame]
        var times: [Int64] = []
        for _ in 0..<6 {
            guard let next = playhead.nextChange else { break }
            #expect(playhead.advance(to: next - 1) == .none)
            let change = playhead.advance(to: next)
            #expect(change.frame == playhead.frame && change.droppedFrameCount == 0 && !change.isAtEnd)
            shown.append(playhead.frame)
            times.append(next - 1_000)
        }
        switch mode {
        case .forward: #expect(shown == [0, 1, 2, 0, 1, 2, 0] && times == [10, 30, 60, 70, 90, 120])
        case .reverse: #expect(shown == [2, 1, 0, 2, 1, 0, 2] && times == [30, 50, 60, 90, 110, 120])
        case .bounce: #expect(shown == [0, 1, 2, 1, 0, 1, 2] && times == [10, 30, 60, 80, 90, 110])
        case .reverseBounce: #expect(shown == [2, 1, 0, 1, 2, 1, 0] && times == [30, 50, 60, 80, 110, 130])
        }
    }

    @Test("shows the same frame at a time, however many times it was asked before")
    func independence() {
        for mode in AnimationPlaybackMode.allCases {
            for rate in [0.3, 1, 2.7] {
                var often = playing(mode, rate: rate)
                for time in 0..<500 as Range<Int64> {
                    _ = often.advance(to: time)
                    var once = playing(mode, rate: rate)
                    _ = once.advance(to: time)
                    #expect(often.frame == once.frame && often.loopCount == once.loopCount, "\(mode) \(rate) \(time)")
                }
            }
        }
    }

    @Test("counts the loops, and the frames that it leaves out")
    func leaps() {
        var playhead = playing()
        #expect(playhead.advance(to: 30) == .init(frame: 2, droppedFrameCount: 1))
        #expect(playhead.advance(to: 195) == .init(frame: 1, droppedFrameCount: 7, loopCount: 3))
        // 50,000 years ahead, in an instant.
        let change = playhead.advance(to: .max)
        #expect(change.loopCount == Int(Int64.max / 60) && change.droppedFrameCount > 1 << 50 && !change.isAtEnd)
    }

    @Test("ends after its loops with the frame that its order ends with", arguments: [1, 2, 5])
    func ends(loopLimit: Int) {
        let lastFrames: [(AnimationPlaybackMode, Int, loop: Int64)] = [
            (.forward, 2, 60), (.reverse, 0, 60), (.bounce, 0, 80), (.reverseBounce, 2, 80),
        ]
        for (mode, frame, loop) in lastFrames {
            var playhead = playing(mode, loopLimit: loopLimit)
            let end = loop * Int64(loopLimit)
            #expect(!playhead.advance(to: end - 1).isAtEnd && playhead.phase == .playing)
            #expect(playhead.nextChange == end)
            let change = playhead.advance(to: end)
            #expect(change.isAtEnd && change.loopCount == loopLimit && change.droppedFrameCount == 0)
            #expect(playhead.frame == frame && playhead.phase == .finished(frame: frame), "\(mode)")
            #expect(playhead.nextChange == nil && playhead.advance(to: end * 9) == .none)
            #expect(playhead.upcomingFrames(3).isEmpty)
            // Once more, from the beginning.
            _ = playhead.play(at: 10_000)
            #expect(playhead.loopCount == 0 && playhead.phase == .playing)
            #expect(playhead.advance(to: 10_000 + end * 9).isAtEnd && playhead.frame == frame)
        }
    }

    @Test("goes on after a leap beyond all numbers")
    func leapBeyondNumbers() throws {
        var playhead = playing(rate: 1e18)
        _ = playhead.advance(to: 1_000_000_000)
        _ = playhead.setRate(1, at: 1_000_000_000)
        for _ in 0..<4 {
            let (next, frame) = (try #require(playhead.nextChange), playhead.frame)
            #expect(playhead.advance(to: next).frame == (frame + 1) % 3)
        }
    }

    @Test("counts the frames left out before its end")
    func leapToEnd() {
        var playhead = playing(loopLimit: 2)
        // Of 0 1 2 0 1 2, the first and the last are shown.
        #expect(
            playhead.advance(to: 500) == .init(frame: 2, droppedFrameCount: 4, loopCount: 2, isAtEnd: true)
        )
        var there = playing(.bounce, loopLimit: 1)
        // Of 0 1 2 1 0, the first and the last are shown, which are the same.
        #expect(there.advance(to: 500) == .init(frame: nil, droppedFrameCount: 3, loopCount: 1, isAtEnd: true))
    }

    @Test("stands still where the clock goes back, and goes on from there")
    func clockThatGoesBack() {
        var playhead = playing(at: 1_000)
        _ = playhead.advance(to: 1_015)
        #expect(playhead.advance(to: 100) == .none)
        #expect(playhead.frame == 1 && playhead.nextChange == 115)
        #expect(playhead.advance(to: 114) == .none)
        #expect(playhead.advance(to: 115).frame == 2)
        #expect(playhead.advance(to: .min) == .none && playhead.frame == 2)
    }

    @Test("goes on within the frame at which it was paused")
    func pausing() {
        var playhead = playing()
        #expect(playhead.pause(at: 15).frame == 1)
        #expect(playhead.phase == .paused && playhead.nextChange == nil)
        #expect(playhead.advance(to: 900) == .none)
        #expect(playhead.play(at: 1_000) == .none)
        #expect(playhead.nextChange == 1_015)
        #expect(playhead.play(at: 1_015).frame == 2)
    }

    @Test("begins again after it was stopped")
    func stopping() {
        var playhead = playing(.reverse)
        _ = playhead.advance(to: 70)
        #expect(playhead.frame == 2 && playhead.loopCount == 1)
        _ = playhead.advance(to: 95)
        #expect(playhead.stop().frame == 2 && playhead.stop() == .none)
        #expect(playhead.loopCount == 0 && playhead.phase == .stopped && playhead.nextChange == nil)
        _ = playhead.play(at: 200)
        #expect(playhead.nextChange == 230)
    }

    @Test("goes to a frame, in every state, and to the nearest there is")
    func seeking() {
        var playhead = AnimationPlayhead(timeline, loopLimit: 2)
        #expect(playhead.seek(toFrame: 2, at: 0).frame == 2)
        #expect(playhead.phase == .paused)
        _ = playhead.play(at: 100)
        #expect(playhead.nextChange == 130)
        #expect(playhead.seek(toFrame: -7, at: 110).frame == 0)
        #expect(playhead.phase == .playing && playhead.nextChange == 120)
        // A loop that has ended meanwhile is told of.
        let change = playhead.seek(toFrame: 99, at: 175)
        #expect(change.frame == 2 && change.loopCount == 1 && playhead.loopCount == 1)
        #expect(playhead.advance(to: 205).isAtEnd)
        #expect(playhead.seek(toFrame: 1, at: 300).frame == 1)
        #expect(playhead.phase == .paused && playhead.loopCount == 1)
        _ = playhead.play(at: 300)
        #expect(playhead.advance(to: 350).isAtEnd)
    }

    @Test("plays at another speed from the moment it is set", arguments: [0.25, 0.5, 2, 4])
    func rates(rate: Double) {
        var playhead = playing()
        #expect(playhead.setRate(rate, at: 5) == .none)
        #expect(playhead.nextChange == 5 + Int64(5 / rate + 0.999))
        _ = playhead.setRate(1, at: playhead.nextChange ?? 0)
        #expect(playhead.frame == 1)
    }

    @Test("stands still at speed 0, and at one that is none", arguments: [0, -1, .infinity, .nan])
    func noRate(rate: Double) {
        var playhead = playing(rate: rate)
        #expect(playhead.rate == 0 && playhead.nextChange == nil)
        #expect(playhead.advance(to: .max) == .none)
        _ = playhead.setRate(1, at: .max - 100)
        _ = playhead.setRate(1, at: 0)
        #expect(playhead.nextChange == 10)
    }

    @Test("never names a time that has passed, at any speed")
    func rounding() {
        for rate in [0.001, 1.0 / 3, 0.7, 1.1, 3, 1_000, 1e300] {
            var playhead = playing(rate: rate, at: 7)
            var now: Int64 = 7
            for _ in 0..<200 {
                guard let next = playhead.nextChange else { break }
                #expect(next > now)
                now = next
                _ = playhead.advance(to: now)
            }
            #expect(playhead.phase == .playing)
        }
    }

    @Test("turns round at the frame that is due")
    func turning() {
        var playhead = playing()
        _ = playhead.advance(to: 75)
        #expect(playhead.frame == 1 && playhead.loopCount == 1)
        #expect(playhead.setMode(.reverse, at: 76) == .none)
        #expect(playhead.frame == 1 && playhead.loopCount == 1 && playhead.nextChange == 96)
        #expect(playhead.advance(to: 96).frame == 0)
        #expect(playhead.advance(to: 106).frame == 2 && playhead.loopCount == 2)
        var stopped = AnimationPlayhead(timeline)
        #expect(stopped.setMode(.reverse, at: 0).frame == 2)
        var finished = playing(loopLimit: 1)
        _ = finished.advance(to: 60)
        #expect(finished.setMode(.reverse, at: 61) == .none && finished.frame == 2 && finished.loopCount == 1)
    }

    @Test("counts loops anew where their number changes")
    func changedLimit() {
        var playhead = playing()
        _ = playhead.advance(to: 125)
        #expect(playhead.setLoopLimit(1, at: 135).frame == 1)
        #expect(playhead.loopCount == 0 && playhead.frame == 1)
        #expect(playhead.advance(to: 179) == .init(frame: 2) && playhead.advance(to: 180).isAtEnd)
    }

    @Test("knows the frames that follow, as far as it plays", arguments: AnimationPlaybackMode.allCases)
    func upcoming(mode: AnimationPlaybackMode) {
        for limit in [nil, 1, 2] {
            var playhead = playing(mode, loopLimit: limit)
            var expected: [Int] = []
            for _ in 0..<5 { expected += playhead.upcomingFrames(1).prefix(1) + advanced(&playhead) }
            let followers = playing(mode, loopLimit: limit).upcomingFrames(5)
            #expect(followers == Array(expected.prefix(followers.count)), "\(mode)")
            #expect(limit == 1 || followers.count == 5)
        }
    }

    /// Advances by one step; adds nothing.
    private func advanced(_ playhead: inout AnimationPlayhead) -> [Int] {
        if let next = playhead.nextChange { _ = playhead.advance(to: next) }
        return []
    }
}
