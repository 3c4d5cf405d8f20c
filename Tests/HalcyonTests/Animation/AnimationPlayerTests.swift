import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A player of an animation")
struct AnimationPlayerTests {
    /// Three frames of 100, 200 and 300 ms, decoded beforehand, played twice by the file's word.
    private func image(loopCount: Int = 2) throws -> DecodedImage {
        let data = AnimationSample.data([100, 200, 300], loopCount: loopCount)
        return try ImageCodecs.standard.animatedImage(from: data, preloadsFrames: true)
    }

    @Test("tells of each frame when it is due, of each loop, and of the end; the last frame stays")
    func events() throws {
        let played = PlayedAnimation(try image())
        #expect(played.player.state == .stopped && played.events.isEmpty)
        played.player.play()
        for _ in 0..<13 { played.advance(by: .milliseconds(100)) }
        #expect(played.events == ["1", "2", "loop 1", "0", "1", "2", "loop 2", "end"])
        #expect(played.player.state == .finished && played.player.frame.index == 2 && played.player.loopCount == 2)
        #expect(played.player.nextUpdate == nil && played.player.droppedFrameCount == 0)
    }

    @Test("shows all frames at the scale of the image", arguments: [true, false])
    func scale(isPreloaded: Bool) throws {
        let data = AnimationSample.data([100, 200, 300], loopCount: 2)
        var image = try ImageCodecs.standard.animatedImage(from: data, preloadsFrames: isPreloaded)
        image.scale = 2
        let played = PlayedAnimation(image)
        played.player.play()
        for _ in 0..<7 {
            played.advance(by: .milliseconds(100))
            #expect(played.player.frame.image.scale == 2)
        }
    }

    @Test("leaves frames out rather than falling behind")
    func leavesOut() throws {
        let played = PlayedAnimation(try image(loopCount: 0))
        played.player.play()
        played.advance(by: .milliseconds(350))
        #expect(played.events == ["2"] && played.player.droppedFrameCount == 1)
        played.advance(by: .milliseconds(1_800))
        #expect(played.events == ["2", "loop 3"] && played.player.droppedFrameCount == 1 + 8)
        #expect(played.player.nextUpdate == .milliseconds(2_400))
    }

    private static let repetitions: [(AnimationRepetition, Int?)] = [
        (.once, 1), (.times(3), 3), (.times(0), 1), (.asInFile, 2), (.forever, nil),
    ]

    @Test("plays as often as it is told", arguments: repetitions)
    func repetition(repetition: AnimationRepetition, count: Int?) throws {
        let played = PlayedAnimation(try image()) { $0.repetition = repetition }
        #expect(played.player.repetition == repetition)
        played.player.play()
        played.advance(by: .seconds(600))
        #expect(played.player.loopCount == count ?? 1_000)
        #expect(played.events.contains("end") == (count != nil))
    }

    @Test("pauses, seeks, turns round, changes its speed and stops")
    func controls() throws {
        let played = PlayedAnimation(try image(loopCount: 0))
        let player = played.player
        player.play()
        played.advance(by: .milliseconds(150))
        player.pause()
        played.advance(by: .seconds(9))
        #expect(player.state == .paused && player.frame.index == 1)
        player.seek(toFrame: 2)
        #expect(player.frame.index == 2)
        player.mode = .reverse
        player.rate = 3
        player.play()
        played.advance(by: .milliseconds(100))
        #expect(player.frame.index == 1 && player.mode == .reverse && player.rate == 3)
        player.mode = .bounce
        player.repetition = .once
        #expect(player.loopCount == 0)
        player.stop()
        #expect(player.state == .stopped && player.frame.index == 0 && player.nextUpdate == nil)
    }

    @Test("stands still where the time goes back")
    func timeThatGoesBack() throws {
        let played = PlayedAnimation(try image())
        played.setTime(.seconds(50))
        played.player.play()
        played.advance(by: .milliseconds(110))
        played.setTime(.seconds(10))
        #expect(played.events == ["1"])
        played.advance(by: .milliseconds(190))
        #expect(played.events == ["1", "2"])
    }

    @Test("may be told to do something by what it tells")
    func reentrancy() throws {
        let (time, told) = (Lock(Duration.zero), Lock<[Int]>([]))
        let player = Lock<AnimationPlayer?>(nil)
        var configuration = AnimationPlayer.Configuration()
        configuration.callbackExecutor = .calling
        let made = AnimationPlayer(
            try image(),
            configuration: configuration,
            clock: .driven { time.withLock { $0 } }
        ) { event in
            guard case .frame(let frame) = event else { return }
            told.withLock { $0.append(frame.index) }
            if frame.index == 1 { player.withLock { $0 }?.seek(toFrame: 2) }
        }
        player.withLock { $0 = made }
        made.play()
        time.withLock { $0 = .milliseconds(100) }
        made.update()
        #expect(told.withLock { $0 } == [1, 2])
        player.withLock { $0 = nil }
    }

    @Test("waits on its clock for the next frame, and not for one that it no longer needs")
    func clock() async throws {
        let clock = ManualClock()
        let told = Lock<[Int]>([])
        var configuration = AnimationPlayer.Configuration()
        configuration.callbackExecutor = .calling
        let player = AnimationPlayer(try image(), configuration: configuration, clock: AnimationClock(clock)) { event in
            if case .frame(let frame) = event { told.withLock { $0.append(frame.index) } }
        }
        player.play()
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(100))
        await eventually { told.withLock { $0 } == [1] }
        await clock.waitForSleepers(1)
        player.pause()
        await eventually { clock.sleeperCount == 0 }
        player.play()
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(200))
        await eventually { told.withLock { $0 } == [1, 2] }
    }

    @Test("waits at least 4 ms from frame to frame, however great its rate is")
    func greatRate() async throws {
        let clock = RecordingClock()
        var configuration = AnimationPlayer.Configuration()
        configuration.rate = 1e10
        let player = AnimationPlayer(
            try image(loopCount: 0),
            configuration: configuration,
            clock: AnimationClock(clock)
        )
        player.play()
        for _ in 0..<20 {
            await clock.base.waitForSleepers(1)
            clock.base.advance(by: .milliseconds(1))
        }
        let times = [0, 4, 8, 12, 16, 20].map { Duration.milliseconds($0) + .nanoseconds(1) }
        #expect(clock.deadlines.withLock { $0 } == times)
        #expect(player.loopCount > 1_000_000)
    }

    @Test("ends when its last reference is released")
    func release() async throws {
        let clock = ManualClock()
        var player: AnimationPlayer? = AnimationPlayer(try image(), clock: AnimationClock(clock))
        weak let reference = player
        player?.play()
        await clock.waitForSleepers(1)
        player = nil
        await eventually { clock.sleeperCount == 0 }
        #expect(reference == nil)
    }

    @Test("of a still image shows that, and tells nothing")
    func stillImage() throws {
        let image = try ImageCodecs.standard.animatedImage(from: Sample.png())
        let played = PlayedAnimation(image)
        played.player.play()
        played.advance(by: .seconds(100))
        #expect(played.events.isEmpty && played.player.animation == nil && played.player.frame.image.size == image.size)
    }
}

/// A clock that stands still until a test moves it, and records what is waited for.
private final class RecordingClock: Clock {
    let base = ManualClock()
    let deadlines = Lock<[Duration]>([])

    var now: ManualClock.Instant { base.now }
    var minimumResolution: Duration { base.minimumResolution }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        deadlines.withLock { $0.append(deadline.offset) }
        try await base.sleep(until: deadline, tolerance: tolerance)
    }
}
