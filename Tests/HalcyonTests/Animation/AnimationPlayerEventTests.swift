import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The events of a player of an animation")
struct AnimationPlayerEventTests {
    /// The turns of an executor that a test takes.
    private let turns = Turns()
    /// Four frames of 100 ms.
    private let data = AnimationSample.data(frameCount: 4)

    private func preloadedImage() throws -> DecodedImage {
        try ImageCodecs.standard.animatedImage(from: data, preloadsFrames: true)
    }

    @Test("that wait to be told of are few: the last frame and the last number of loops")
    func waiting() throws {
        let played = PlayedAnimation(try preloadedImage()) { $0.callbackExecutor = turns.executor }
        played.player.play()
        for _ in 0..<50 { played.advance(by: .milliseconds(100)) }
        #expect(played.player.values.withLock { $0.events.count } == 2)
        turns.take()
        #expect(played.events == ["loop 12", "2"])
        // Those that were shown, but never told of, were left out.
        #expect(played.player.droppedFrameCount == 49)
    }

    @Test("end with the release of the player, also where what it tells releases it")
    func release() throws {
        let (time, told) = (Lock(Duration.zero), Lock(0))
        let owner = Lock<AnimationPlayer?>(nil)
        var configuration = AnimationPlayer.Configuration()
        configuration.callbackExecutor = turns.executor
        let clock = AnimationClock.driven { time.withLock { $0 } }
        weak var reference: AnimationPlayer?
        do {
            let player = AnimationPlayer(try preloadedImage(), configuration: configuration, clock: clock) { _ in
                told.withLock { $0 += 1 }
                let released = owner.withLock { player in
                    defer { player = nil }
                    return player
                }
                withExtendedLifetime(released) {}
            }
            player.play()
            time.withLock { $0 = .milliseconds(450) }
            player.update()
            // A loop and no frame, and then a frame.
            time.withLock { $0 = .milliseconds(500) }
            player.update()
            #expect(player.values.withLock { $0.events.count } == 2)
            reference = player
            owner.withLock { $0 = player }
        }
        turns.take()
        #expect(told.withLock { $0 } == 1 && reference == nil)
    }

    @Test("count no time twice where a later time comes before an earlier one")
    func timesOfTwoThreads() throws {
        let (time, meanwhile) = (Lock(Duration.zero), Lock<(@Sendable () -> Void)?>(nil))
        var configuration = AnimationPlayer.Configuration()
        configuration.callbackExecutor = .calling
        let player = AnimationPlayer(
            try preloadedImage(),
            configuration: configuration,
            clock: .driven {
                let read = time.withLock { $0 }
                // Another thread comes between the time and its use.
                meanwhile.withLock { body in
                    defer { body = nil }
                    return body
                }?()
                return read
            }
        )
        player.play()
        time.withLock { $0 = .milliseconds(50) }
        meanwhile.withLock {
            $0 = { [weak player] in
                time.withLock { $0 = .milliseconds(190) }
                player?.update()
            }
        }
        player.update()
        time.withLock { $0 = .milliseconds(199) }
        player.update()
        #expect(player.frame.index == 1 && player.nextUpdate == .milliseconds(200))
    }

    @Test("tell once of a frame that cannot be decoded, however often the player is updated")
    func failure() async throws {
        let codecs = ImageCodecs.standard.registering(decoder: GatedFrameDecoder(damagedFrame: 1))
        let played = PlayedAnimation(try AnimationSample.image(data, codecs: codecs))
        played.player.play()
        played.advance(by: .milliseconds(100))
        await eventually { played.events == ["failure 1"] }
        for _ in 0..<5 { played.advance(by: .milliseconds(1)) }
        #expect(played.events == ["failure 1"])
    }

    @Test("have no frame from before the player was stopped")
    func lateFrame() async throws {
        let gate = DispatchGate()
        let codecs = ImageCodecs.standard.registering(decoder: GatedFrameDecoder(gate: gate))
        let pool = AnimationFramePool(byteLimit: 64 << 20, threadCount: 1, memoryPressure: nil)
        let played = PlayedAnimation(try AnimationSample.image(data, codecs: codecs), pool: pool) { $0.framesAhead = 0 }
        played.player.play()
        played.advance(by: .milliseconds(100))
        await eventually { pool.state.withLock { $0.sets.values.contains { $0.inFlight == [1] } } }
        // The frame that was asked for before is due no more.
        played.player.pause()
        played.player.seek(toFrame: 3)
        gate.open()
        await played.shows(3)
        #expect(played.events == ["3"])
    }

    @Test("come also where all frames are to be decoded ahead of time")
    func allFramesAhead() async throws {
        let played = PlayedAnimation(try AnimationSample.image(data)) { $0.framesAhead = .max }
        played.player.play()
        for index in [1, 2, 3, 0, 1] {
            played.advance(by: .milliseconds(100))
            await played.shows(index)
        }
    }
}

/// An executor whose turns a test takes.
private final class Turns: Sendable {
    private let waiting = Lock<[@Sendable () -> Void]>([])

    var executor: CallbackExecutor {
        .custom { [waiting] work in waiting.withLock { $0.append(work) } }
    }

    /// Takes all turns that were asked for.
    func take() {
        let turns = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for turn in turns { turn() }
    }
}
