import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// The time of animated images.
@MainActor
final class PresentationClockTests: XCTestCase {
    func testTimePassesOnlyBetweenStartAndStop() async {
        let base = ManualClock()
        let clock = PresentationClock(base: base)
        base.advance(by: .seconds(1))
        XCTAssertEqual(clock.now.offset, .zero)
        clock.start()
        base.advance(by: .seconds(2))
        XCTAssertEqual(clock.now.offset, .seconds(2))
        clock.start()
        clock.stop()
        base.advance(by: .seconds(4))
        XCTAssertEqual(clock.now.offset, .seconds(2))
        clock.start()
        base.advance(by: .seconds(8))
        XCTAssertEqual(clock.now.offset, .seconds(10))
    }

    func testSleepLastsUntilSoMuchTimeHasPassedAndWaitsWithoutATimerWhileItStandsStill() async throws {
        let base = ManualClock()
        let clock = PresentationClock(base: base)
        let sleep = Task { try await clock.sleep(until: .init(offset: .seconds(3))) }
        clock.start()
        await base.waitForSleepers(1)
        base.advance(by: .seconds(1))
        clock.stop()
        base.advance(by: .seconds(2))
        // The timer has ended early, and no other takes its place.
        await MainLoop.settle()
        XCTAssertEqual(base.sleeperCount, 0)
        clock.start()
        await base.waitForSleepers(1)
        base.advance(by: .seconds(2))
        try await sleep.value
        XCTAssertEqual(clock.now.offset, .seconds(3))
    }

    func testCancellationEndsASleepAlsoWhileItStandsStill() async {
        let clock = PresentationClock(base: ManualClock())
        let sleep = Task { try await clock.sleep(until: .init(offset: .seconds(3))) }
        await MainLoop.settle()
        sleep.cancel()
        let result = await sleep.result
        XCTAssertThrowsError(try result.get()) { XCTAssertTrue($0 is CancellationError) }
    }
}
