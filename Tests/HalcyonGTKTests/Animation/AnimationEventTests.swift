import CGTK
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// What the program is told of an animation in a widget.
@MainActor
final class AnimationEventTests: XCTestCase {
    private let loads = ViewPipeline()
    private let told = ToldEvents()

    private func load(
        _ place: TestPlace,
        _ options: [ImageOption] = [],
        loopCount: Int = 0
    ) async throws -> AnimationPlayer {
        var playback = AnimationPlayback()
        playback.onEvent = { [told] in told.add($0) }
        let url = loads.url()
        let data = try TestColor.animation(milliseconds: 20, loopCount: loopCount)
        loads.transport.setRoute(url, ScriptedTransport.Route(body: data))
        let done = Completions()
        place.display.setImage(
            with: url,
            options: options + [.playback(playback)],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
        return try XCTUnwrap(place.display.player)
    }

    func testFrameThatCannotBeDecodedIsToldOfOnceAndTheOneBeforeStays() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        let painted = try PaintedFrames(place.widget)
        defer { painted.stop() }
        let damage: ImageProcessorChain = .closure(name: "no green") { image, _ in
            guard TestColor.of(image) != .green else { throw CodecError.corrupt(.png, reason: "it is green") }
            return image
        }
        let player = try await load(place, [.processor(damage), .processAllFrames])
        await MainLoop.run { player.loopCount > 3 }
        await MainLoop.run { painted.colors.contains(.blue) }
        XCTAssertEqual(player.state, .playing)
        XCTAssertFalse(painted.colors.contains(.green))
        XCTAssertEqual(told.failures, [1])
        XCTAssertFalse(told.frames.contains(1))
        XCTAssertTrue(told.frames.isSuperset(of: [0, 2]))
    }

    func testLoopsAndTheEndAreTold() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        _ = try await load(place, loopCount: 2)
        await MainLoop.run { self.told.ends > 0 }
        await MainLoop.settle()
        XCTAssertEqual(told.ends, 1)
        XCTAssertEqual(told.loops.last, 2)
        XCTAssertEqual(told.failures, [])
    }

    func testNothingIsToldOfAnImageThatIsNoLongerShown() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        let player = try await load(place)
        await MainLoop.run { player.loopCount > 0 }
        // Events that are on their way are dropped, too.
        player.seek(toFrame: 2)
        place.display.show(try TestColor.yellow.image())
        let count = told.count
        player.seek(toFrame: 1)
        await MainLoop.settle()
        XCTAssertEqual(told.count, count)
    }

    func testHandlerMaySetAnotherImage() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        let other = try TestColor.yellow.image()
        told.onLoop = { place.display.show(other) }
        _ = try await load(place)
        await MainLoop.run { place.display.player == nil }
        let count = told.count
        await MainLoop.settle()
        XCTAssertEqual(told.count, count)
        let color = try await place.rendered()[50, 50]
        XCTAssertEqual(color, .yellow)
    }
}

/// Keeps the events of a player.
@MainActor
private final class ToldEvents {
    private(set) var frames: Set<Int> = []
    private(set) var loops: [Int] = []
    private(set) var failures: [Int] = []
    private(set) var ends = 0
    private(set) var count = 0
    var onLoop: () -> Void = {}

    func add(_ event: AnimationPlayer.Event) {
        count += 1
        switch event {
        case .frame(let frame): frames.insert(frame.index)
        case .loop(let loop):
            loops.append(loop)
            onLoop()
        case .end: ends += 1
        case .failure(let index, _): failures.append(index)
        }
    }
}
