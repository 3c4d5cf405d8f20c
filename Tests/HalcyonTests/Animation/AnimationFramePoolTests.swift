import FoundationEssentials
import HalcyonSystem
import Testing

@testable import Halcyon

@Suite("The pool of frames")
struct AnimationFramePoolTests {
    private let size = PixelSize(24, 16)
    /// The bytes of one frame, and of a decoder's canvas.
    private let frameByteCount = 128 * 16

    private func pool(frames: Int, _ pressure: MemoryPressureMonitor? = nil) -> AnimationFramePool {
        AnimationFramePool(byteLimit: frames * frameByteCount, threadCount: 2, memoryPressure: pressure)
    }

    /// Plays step by step, and expects each frame to be shown and the pool to keep to its limit.
    private func play(_ played: PlayedAnimation, steps: Int, _ mode: AnimationPlaybackMode = .forward) async {
        let (player, pool) = (played.player, played.player.configuration.pool)
        let frameCount = player.animation?.frameCount ?? 1
        let timeline = AnimationTimeline(Array(repeating: Duration.milliseconds(100), count: frameCount))
        for step in 0..<steps {
            await played.shows(timeline.frame(ofStep: step % timeline.stepCount(mode), mode))
            // Those that are due or shown, and the canvas, are there in any case.
            #expect(pool.byteCount <= max(pool.byteLimit, 4 * frameByteCount))
            played.advance(by: .milliseconds(100))
        }
    }

    @Test("decodes each frame once for all players of an image, where there is room", arguments: [1, 7])
    func sharing(playerCount: Int) async throws {
        let counters = CodecCounters()
        let image = try AnimationSample.image(AnimationSample.data(frameCount: 4), codecs: counters.codecs)
        let pool = pool(frames: 100)
        let players = (0..<playerCount).map { _ in PlayedAnimation(image, pool: pool) }
        for played in players { played.player.play() }
        for played in players { await play(played, steps: 12) }
        // The decoders are closed.
        await eventually { [frameByteCount] in pool.frameCount == 4 && pool.byteCount == 4 * frameByteCount }
        // One more was the first frame of the image itself.
        #expect(counters.decodes == 1 + 4)
    }

    @Test("keeps to its limit, and shows every frame", arguments: AnimationPlaybackMode.allCases, [0, 3, 5])
    func limit(mode: AnimationPlaybackMode, frames: Int) async throws {
        let image = try AnimationSample.image(AnimationSample.data(frameCount: 8))
        let played = PlayedAnimation(image, pool: pool(frames: frames)) { $0.mode = mode }
        played.player.play()
        await play(played, steps: 30, mode)
        #expect(played.player.droppedFrameCount == 0)
    }

    @Test("shares its limit among several images", arguments: [2, 6, 12])
    func severalImages(frames: Int) async throws {
        let pool = pool(frames: frames)
        let players = try (0..<3).map { _ in
            PlayedAnimation(try AnimationSample.image(AnimationSample.data(frameCount: 6)), pool: pool)
        }
        for played in players { played.player.play() }
        for step in 0..<20 {
            for played in players {
                await played.shows(step % 6)
                played.advance(by: .milliseconds(100))
            }
            // At least the due and the shown frame, and the canvas, of each.
            #expect(pool.byteCount <= max(pool.byteLimit, 3 * 3 * frameByteCount))
        }
    }

    @Test("decodes falling frames in one go")
    func fallingFrames() async throws {
        let counters = CodecCounters()
        let image = try AnimationSample.image(AnimationSample.data(frameCount: 9), codecs: counters.codecs)
        let played = PlayedAnimation(image, pool: pool(frames: 100)) { $0.mode = .reverse }
        played.player.play()
        await play(played, steps: 20, .reverse)
        #expect(counters.decodes == 1 + 9)
    }

    @Test("decodes at the size of the place that shows the frames, and runs processors on them")
    func forms() async throws {
        let image = try AnimationSample.image(AnimationSample.data(frameCount: 3))
        let pool = pool(frames: 100)
        let small = PlayedAnimation(image, pool: pool) { $0.displaySize = PixelSize(12, 100) }
        let cropped = PlayedAnimation(image, pool: pool) { $0.processing = .crop(to: .pixels(5, 4)) }
        for (played, size) in [(small, PixelSize(12, 8)), (cropped, PixelSize(5, 4))] {
            played.player.play()
            for index in 0..<3 {
                await eventually { played.player.frame.image.size == size && played.player.frame.index == index }
                played.advance(by: .milliseconds(100))
            }
        }
    }

    @Test("drops frames on demand and under memory pressure, but not those being shown")
    func purging() async throws {
        let monitor = MemoryPressureMonitor()
        let pool = pool(frames: 100, monitor)
        let image = try AnimationSample.image(AnimationSample.data(frameCount: 6))
        let played = PlayedAnimation(image, pool: pool)
        played.player.play()
        for purge: () -> Void in [{ pool.purge() }, { played.player.purge() }, { monitor.tell(.warning) }] {
            for _ in 0..<8 {
                played.advance(by: .milliseconds(100))
                let due = played.player.values.withLock { $0.playhead.frame }
                await played.shows(due)
            }
            await eventually { [frameByteCount] in pool.byteCount == 6 * frameByteCount }
            let index = played.player.frame.index
            purge()
            #expect(pool.frameCount <= 1 && played.player.frame.index == index)
        }
    }

    @Test("closes the decoders of players that stand still under memory pressure")
    func restingDecoders() async throws {
        let monitor = MemoryPressureMonitor()
        let pool = pool(frames: 100, monitor)
        let played = PlayedAnimation(try AnimationSample.image(AnimationSample.data(frameCount: 6)), pool: pool) {
            $0.framesAhead = 1
        }
        played.player.play()
        played.advance(by: .milliseconds(100))
        await played.shows(1)
        played.player.pause()
        await eventually {
            pool.state.withLock { $0.sets.values.allSatisfy { $0.aheadJobs == 0 && $0.cursorCount == $0.idle.count } }
        }
        monitor.tell(.warning)
        #expect(pool.frameCount == 1 && pool.byteCount == frameByteCount)
        // They are opened again.
        played.player.play()
        played.advance(by: .milliseconds(100))
        await played.shows(2)
    }

    @Test("drops the frames of an image with its last player")
    func leaving() async throws {
        let image = try AnimationSample.image(AnimationSample.data(frameCount: 6))
        let pool = pool(frames: 100)
        var players = (0..<2).map { _ in PlayedAnimation(image, pool: pool) }
        for played in players { played.player.play() }
        await eventually { pool.frameCount == 6 }
        players.removeLast()
        #expect(pool.frameCount == 6)
        players.removeLast()
        #expect(pool.frameCount == 0 && pool.byteCount == 0)
    }

    @Test("leaves out a frame that cannot be decoded, and says so")
    func damagedFrame() async throws {
        let codecs = ImageCodecs.standard.registering(decoder: GatedFrameDecoder(damagedFrame: 2))
        let image = try AnimationSample.image(AnimationSample.data(frameCount: 4), codecs: codecs)
        let played = PlayedAnimation(image, pool: pool(frames: 100)) { $0.framesAhead = 0 }
        played.player.play()
        for step in 1..<8 {
            played.advance(by: .milliseconds(100))
            let index = step % 4
            if index == 2 {
                await eventually { played.events.last == "failure 2" }
            } else {
                await played.shows(index)
            }
        }
        #expect(played.events.filter { $0 == "failure 2" }.count == 2)
    }

    @Test("tries a frame once whose processor says that it was cancelled")
    func cancelledProcessor() async throws {
        let calls = CallCounter()
        let image = try AnimationSample.image(AnimationSample.data(frameCount: 4))
        let pool = pool(frames: 100)
        let played = PlayedAnimation(image, pool: pool) {
            $0.processing = .closure(name: "cancelled") { _, _ in
                calls.add()
                throw CancellationError()
            }
        }
        played.player.play()
        await eventually { pool.state.withLock { $0.sets.values.contains { $0.failures.count == 4 } } }
        await eventually { played.events == ["failure 0"] }
        #expect(calls.value == 4)
    }

    @Test("decodes a frame ahead of time once for which there is no room, where those before it are smaller")
    func growingFrames() async throws {
        let calls = CallCounter()
        let image = try AnimationSample.image(AnimationSample.data(frameCount: 4))
        let pool = pool(frames: 8)
        let played = PlayedAnimation(image, pool: pool) {
            $0.processing = .closure(name: "growing") { image, _ in
                calls.add()
                if AnimationSample.number(of: image) == 0 { return image }
                return image.replacingBitmap(try Bitmap(size: PixelSize(240, 160), isOpaque: true))
            }
        }
        played.player.play()
        await eventually {
            calls.value >= 2 && pool.state.withLock { $0.sets.values.allSatisfy { $0.aheadJobs == 0 } }
        }
        #expect(calls.value == 2 && pool.frameCount == 1)
    }

    @Test("lets no player wait for the decoder of another")
    func independence() async throws {
        let gate = DispatchGate()
        let codecs = ImageCodecs.standard.registering(decoder: GatedFrameDecoder(gate: gate))
        let slow = try AnimationSample.image(AnimationSample.data(frameCount: 4), codecs: codecs)
        let image = try AnimationSample.image(AnimationSample.data(frameCount: 4))
        let pool = pool(frames: 4)
        let waiting = PlayedAnimation(slow, pool: pool)
        waiting.player.play()
        waiting.advance(by: .milliseconds(100))
        let played = PlayedAnimation(image, pool: pool)
        played.player.play()
        await play(played, steps: 12)
        #expect(waiting.player.frame.index == 0)
        gate.open()
        await waiting.shows(1)
    }

    @Test("gives a frame that is late, and not one that is no longer due once that one is there")
    func lateFrame() async throws {
        let gate = DispatchGate()
        let codecs = ImageCodecs.standard.registering(decoder: GatedFrameDecoder(gate: gate))
        let image = try AnimationSample.image(AnimationSample.data(frameCount: 6), codecs: codecs)
        let pool = pool(frames: 100)
        let played = PlayedAnimation(image, pool: pool) { $0.framesAhead = 0 }
        played.player.play()
        played.advance(by: .milliseconds(100))
        await eventually { pool.state.withLock { $0.sets.values.contains { $0.inFlight == [1] } } }
        for _ in 0..<2 { played.advance(by: .milliseconds(100)) }
        #expect(played.events.isEmpty)
        gate.open()
        await eventually { played.events == ["1", "3"] }
        #expect(played.player.droppedFrameCount == 2)
    }

    @Test("gives a player no late frame after one that was due later, as two decoders may be at work")
    func orderOfLateFrames() async throws {
        let gates = (0..<4).map { _ in DispatchGate() }
        gates[0].open()
        let image = try AnimationSample.image(AnimationSample.data(frameCount: 4))
        let pool = pool(frames: 100)
        let (played, other) = (gated(image, pool, by: gates), gated(image, pool, by: gates))
        played.player.play()
        await played.shows(0)
        other.player.seek(toFrame: 2)
        await eventually { pool.state.withLock { $0.sets.values.contains { $0.inFlight == [2] } } }
        played.advance(by: .milliseconds(100))
        await eventually { pool.state.withLock { $0.sets.values.contains { $0.inFlight == [1, 2] } } }
        for _ in 0..<2 { played.advance(by: .milliseconds(100)) }
        gates[2].open()
        await eventually { played.events == ["0", "2"] }
        gates[1].open()
        await eventually { pool.state.withLock { $0.sets.values.contains { !$0.inFlight.contains(1) } } }
        #expect(played.player.frame.index == 2 && played.events == ["0", "2"])
        gates[3].open()
        await played.shows(3)
    }

    @Test("counts the padding of rows before the first frame is decoded")
    func padding() throws {
        let gates = (0..<4).map { _ in DispatchGate() }
        let pool = pool(frames: 100)
        let played = gated(try AnimationSample.image(AnimationSample.data(frameCount: 4)), pool, by: gates)
        played.player.play()
        #expect(pool.state.withLock { $0.sets.values.map(\.frameByteCount) } == [frameByteCount])
        gates[0].open()
    }

    /// A player of frames that are done once the gate of their number is open.
    private func gated(_ image: DecodedImage, _ pool: AnimationFramePool, by gates: [DispatchGate]) -> PlayedAnimation {
        PlayedAnimation(image, pool: pool) {
            $0.framesAhead = 0
            $0.processing = .closure(name: "gated") { image, _ in
                gates[AnimationSample.number(of: image)].wait()
                return image
            }
        }
    }
}
