import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// The playing of one image, with a clock that the test moves.
@MainActor
final class SlotPlayerTests: XCTestCase {
    private let base = ManualClock()
    private var shown: [TestColor] = []

    private func player(
        loopCount: Int = 0,
        _ playback: AnimationPlayback = AnimationPlayback()
    ) throws -> SlotPlayer {
        let data = try TestColor.animation(loopCount: loopCount)
        let image = try ImageCodecs.standard.animatedImage(from: data, preloadsFrames: true)
        let clock = PresentationClock(base: base)
        return SlotPlayer(image, playback, clock: clock) { [unowned self] in shown.append(.of($0)) }
    }

    /// Lets time pass, and waits for the frame that is due then.
    private func advance(_ milliseconds: Int, to color: TestColor) async {
        await base.waitForSleepers(1)
        base.advance(by: .milliseconds(milliseconds))
        await MainLoop.run { self.shown.last == color }
    }

    func testPlaysWhileItIsSeenAndKeepsItsPlace() async throws {
        let playing = try player()
        playing.update(isSeen: false, allowsMotion: true)
        base.advance(by: .milliseconds(150))
        await MainLoop.settle()
        XCTAssertEqual(shown, [])
        playing.update(isSeen: true, allowsMotion: true)
        await advance(100, to: .green)
        await base.waitForSleepers(1)
        playing.update(isSeen: false, allowsMotion: true)
        base.advance(by: .seconds(50))
        await MainLoop.settle()
        XCTAssertEqual(base.sleeperCount, 0)
        XCTAssertEqual(playing.player.frame.index, 1)
        XCTAssertEqual(playing.player.state, .playing)
        playing.update(isSeen: true, allowsMotion: true)
        await advance(100, to: .blue)
        XCTAssertEqual(shown, [.green, .blue])
    }

    func testPauseOfTheProgramIsNotUndone() async throws {
        let playing = try player()
        playing.update(isSeen: true, allowsMotion: true)
        await advance(100, to: .green)
        playing.player.pause()
        for isSeen in [true, false, true] { playing.update(isSeen: isSeen, allowsMotion: true) }
        XCTAssertEqual(playing.player.state, .paused)
        // Also one that comes before the image has ever been seen, or while it is not.
        let hidden = try player()
        hidden.update(isSeen: false, allowsMotion: true)
        hidden.player.pause()
        hidden.update(isSeen: true, allowsMotion: true)
        XCTAssertEqual(hidden.player.state, .paused)
        hidden.update(isSeen: false, allowsMotion: true)
        hidden.player.play()
        hidden.update(isSeen: true, allowsMotion: true)
        XCTAssertEqual(hidden.player.state, .playing)
    }

    func testShowsTheFirstFrameUntilTheProgramStartsIt() async throws {
        var playback = AnimationPlayback()
        playback.startsAutomatically = false
        let playing = try player(playback)
        playing.update(isSeen: true, allowsMotion: true)
        XCTAssertEqual(playing.player.state, .stopped)
        XCTAssertEqual(playing.player.frame.index, 0)
        playing.player.play()
        await advance(100, to: .green)
    }

    func testShowsTheFirstFrameWhereAnimationsAreOffAndFollowsTheSetting() async throws {
        let playing = try player()
        playing.update(isSeen: true, allowsMotion: false)
        XCTAssertEqual(playing.player.state, .stopped)
        playing.update(isSeen: true, allowsMotion: true)
        await advance(100, to: .green)
        playing.update(isSeen: true, allowsMotion: false)
        XCTAssertEqual(playing.player.state, .stopped)
        await MainLoop.run { self.shown.last == .red }
        playing.update(isSeen: true, allowsMotion: true)
        XCTAssertEqual(playing.player.state, .playing)
        // The program may play it for the user all the same.
        playing.update(isSeen: true, allowsMotion: false)
        playing.player.play()
        playing.update(isSeen: false, allowsMotion: false)
        playing.update(isSeen: true, allowsMotion: false)
        XCTAssertEqual(playing.player.state, .playing)
    }

    func testLastFrameStaysAfterTheLastLoop() async throws {
        let playing = try player(loopCount: 1)
        playing.update(isSeen: true, allowsMotion: true)
        await advance(100, to: .green)
        await advance(100, to: .blue)
        await base.waitForSleepers(1)
        base.advance(by: .milliseconds(100))
        await MainLoop.run { playing.player.state == .finished }
        playing.update(isSeen: false, allowsMotion: true)
        playing.update(isSeen: true, allowsMotion: true)
        await MainLoop.settle()
        XCTAssertEqual(shown, [.green, .blue])
        XCTAssertEqual(playing.player.state, .finished)
    }

    func testPlaybackIsThatOfTheOptions() async throws {
        var playback = AnimationPlayback()
        playback.repetition = .times(2)
        playback.mode = .reverse
        playback.rate = 2
        let playing = try player(playback)
        XCTAssertEqual(playing.player.repetition, .times(2))
        XCTAssertEqual(playing.player.mode, .reverse)
        XCTAssertEqual(playing.player.rate, 2)
        playing.update(isSeen: true, allowsMotion: true)
        await MainLoop.run { self.shown.last == .blue }
        await advance(50, to: .green)
    }

    func testNothingIsShownAfterTheEnd() async throws {
        let playing = try player()
        playing.update(isSeen: true, allowsMotion: true)
        await advance(100, to: .green)
        await base.waitForSleepers(1)
        playing.end()
        playing.player.seek(toFrame: 2)
        base.advance(by: .seconds(1))
        await MainLoop.settle()
        XCTAssertEqual(shown, [.green])
    }

    func testSameImageInAnotherSizePlaysOnWhereItWas() async throws {
        let playing = try player(loopCount: 2)
        playing.update(isSeen: true, allowsMotion: true)
        await advance(100, to: .green)
        let data = try TestColor.animation(loopCount: 2, width: 120, height: 120)
        let larger = try ImageCodecs.standard.animatedImage(from: data, preloadsFrames: true)
        XCTAssertTrue(playing.replaceImage(with: larger))
        XCTAssertEqual(playing.player.state, .playing)
        await MainLoop.run { playing.player.frame.image.size == PixelSize(120, 120) }
        XCTAssertEqual(playing.player.frame.index, 1)
        await advance(100, to: .blue)
        XCTAssertEqual(playing.player.frame.image.size, PixelSize(120, 120))
        let other = try ImageCodecs.standard.animatedImage(from: TestColor.animation([.red, .blue]))
        XCTAssertFalse(playing.replaceImage(with: other))
    }
}

extension TestColor {
    /// The colour of an image of one colour.
    static func of(_ image: DecodedImage) -> TestColor {
        image.bitmap.withUnsafeBytes { TestColor(red: $0[0], green: $0[1], blue: $0[2]) }
    }
}
