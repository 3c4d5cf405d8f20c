import CGTK
import Foundation
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// Which images are loaded anew for a widget that grows, and when.
@MainActor
final class EnlargementTests: XCTestCase {
    private let loads = ViewPipeline()

    /// Shows an image of 800 × 800 pixels in a place of 100 × 100 points.
    private func showImage(_ options: [ImageOption]) async throws -> (place: TestPlace, url: URL) {
        let (place, done) = (try await TestPlace(), Completions())
        let url = loads.url()
        try serve(url)
        place.display.setImage(with: url, options: options, pipeline: loads.pipeline, completion: done.handler)
        await done.wait()
        return (place, url)
    }

    private func serve(_ url: URL) throws {
        loads.transport.setRoute(url, ScriptedTransport.Route(body: try TestColor.blue.png(800, 800)))
    }

    private func disconnect(_ url: URL) {
        loads.network.status.isConnected = false
        loads.transport.setRoute(url, ScriptedTransport.Route(error: .cannotConnect("refused")))
    }

    /// The end of the later call, of which nothing is shown.
    private enum End: CaseIterable {
        case cancelled, failed, manual
    }

    /// An image that is kept is that of an earlier call: the later one, which shows nothing, does not begin again.
    func testLoadThatShowsNothingDoesNotBeginAgainWhenTheWidgetGrows() async throws {
        for end in End.allCases {
            let place = try await TestPlace()
            let (first, second) = (Completions(), Completions())
            place.display.setImage(
                with: try loads.url(.blue, 800, 400),
                pipeline: loads.pipeline,
                completion: first.handler
            )
            await first.wait()
            let url = try end == .manual ? loads.url(.red, 800, 400) : end == .failed ? loads.missing() : loads.url()
            place.display.setImage(
                with: url,
                options: [.keepCurrentImageWhileLoading, .setting(end == .manual ? .manual : .automatic), .noCache],
                pipeline: loads.pipeline,
                completion: second.handler
            )
            await MainLoop.run { self.loads.transport.startedCount(url) == 1 }
            if end == .cancelled { place.display.cancel() }
            await second.wait()
            XCTAssertEqual(place.display.content, .image)
            loads.transport.setRoute(url, ScriptedTransport.Route(body: try TestColor.red.png(800, 400)))
            await place.resize(300, 300)
            await MainLoop.settle()
            XCTAssertEqual(loads.transport.startedCount(url), 1, "\(end)")
            await place.waitForFrame()
            let color = try await place.rendered()[150, 150]
            XCTAssertEqual(color, .blue, "\(end)")
            place.destroy()
        }
    }

    func testWidgetThatGrewDuringTheTransitionGetsItsPixelsAfterIt() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        let done = Completions()
        place.display.setImage(
            with: try loads.url(.blue, 400, 400),
            options: [.transition(.fade(.seconds(600)))],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        await MainLoop.run { place.controller?.transitionIsRunning == true }
        await place.resize(200, 200)
        XCTAssertEqual(place.imageSize, PixelSize(100, 100))
        place.controller?.endTransition()
        XCTAssertEqual(done.outcome, "success")
        await MainLoop.run(within: .seconds(5)) { place.imageSize == PixelSize(200, 200) }
    }

    /// A widget that changes its size at each frame, as while a window is being resized, is followed when it rests.
    func testLargerImageIsLoadedOnceTheSizeHasBeenTheSameForAWhile() async throws {
        let (place, _) = try await showImage([])
        defer { place.destroy() }
        let clock = ManualClock()
        let controller = try XCTUnwrap(place.controller)
        controller.clock = clock
        for side in [150, 200, 250] {
            await place.resize(side, side)
            await MainLoop.run { controller.growth?.size.width == side && clock.sleeperCount == 1 }
            clock.advance(by: .milliseconds(99))
            await MainLoop.settle()
            XCTAssertEqual(controller.enlargementCount, 0)
        }
        clock.advance(by: .milliseconds(1))
        await MainLoop.run { place.imageSize == PixelSize(250, 250) }
        XCTAssertEqual(controller.enlargementCount, 1)
    }

    /// The larger size joins the transfer that the smaller one has begun.
    func testWidgetThatGrowsDuringTheTransferOfALargerImageNeedsNoOther() async throws {
        let (place, url) = try await showImage([.noCache])
        defer { place.destroy() }
        loads.transport.setRoute(url, nil)
        await place.resize(200, 200)
        await MainLoop.run { self.loads.transport.startedCount(url) == 2 }
        let transfer = await loads.transport.nextTransfer()
        for (count, side) in [(2, 300), (3, 400)] {
            await place.resize(side, side)
            await MainLoop.run { place.controller?.enlargementCount == count }
            await MainLoop.settle()
        }
        XCTAssertFalse(transfer.isCancelled)
        try transfer.answer(.blue, 800, 800)
        await MainLoop.run { place.imageSize == PixelSize(400, 400) }
        XCTAssertEqual(loads.transport.startedCount(url), 2)
    }

    /// The server was asked for the image, and so for its larger form.
    func testImageThatIsLoadedAnewIsTransferredOnceWhenTheWidgetGrows() async throws {
        for option in [ImageOption.forceRefresh, .fromMemoryCacheOrRefresh, .revalidate] {
            let (place, url) = try await showImage([option])
            defer { place.destroy() }
            for side in [200, 400] {
                await place.resize(side, side)
                await MainLoop.run { place.imageSize == PixelSize(side, side) }
            }
            XCTAssertEqual(loads.transport.startedCount(url), 1, "\(option)")
        }
    }

    func testLargerImageThatFailedIsTriedAgainWhenTheNetworkIsBack() async throws {
        let (place, url) = try await showImage([.noCache])
        defer { place.destroy() }
        disconnect(url)
        await place.resize(200, 200)
        await MainLoop.run { place.controller?.failedEnlargement != nil && self.loads.network.listenerCount == 1 }
        await place.waitForFrame()
        await MainLoop.settle()
        XCTAssertEqual(loads.transport.startedCount(url), 2)
        XCTAssertEqual(place.imageSize, PixelSize(100, 100))
        try serve(url)
        loads.network.status.isConnected = true
        await MainLoop.run { place.imageSize == PixelSize(200, 200) }
        XCTAssertEqual(loads.network.listenerCount, 0)
    }

    /// Its transfer fails when its time is over, after the network came back.
    func testLargerImageThatStalledIsTriedAgainWhenItFailsWithTheNetworkBack() async throws {
        let (place, url) = try await showImage([.noCache])
        defer { place.destroy() }
        let clock = ManualClock()
        let controller = try XCTUnwrap(place.controller)
        controller.clock = clock
        loads.transport.setRoute(url, nil)
        // The second size joins the transfer of the first.
        for (count, side) in [(1, 200), (2, 300)] {
            await place.resize(side, side)
            await MainLoop.run { controller.growth?.size.width == side && clock.sleeperCount == count }
            clock.advance(by: Growth.rest)
            await MainLoop.run { controller.enlargementCount == count }
        }
        let transfer = try await loads.nextTransfer()
        clock.advance(by: .seconds(1))
        await MainLoop.run { self.loads.network.listenerCount == 1 }
        await MainLoop.settle()
        loads.network.status.isConnected = false
        loads.network.status.isConnected = true
        await MainLoop.run { self.loads.network.listenerCount == 0 }
        try serve(url)
        transfer.answer(ScriptedTransport.Route(error: .cannotConnect("stalled")))
        await MainLoop.run { controller.growth?.size.width == 300 && clock.sleeperCount == 1 }
        XCTAssertEqual(place.imageSize, PixelSize(100, 100))
        clock.advance(by: Growth.rest)
        await MainLoop.run { place.imageSize == PixelSize(300, 300) }
        XCTAssertEqual(loads.transport.startedCount(url), 3)
        XCTAssertNil(controller.failedEnlargement)
    }

    /// The network comes back while a later attempt is under way, which has begun without it.
    func testLargerImageThatBeganWithoutTheNetworkIsTriedAgain() async throws {
        let (place, url) = try await showImage([.noCache])
        defer { place.destroy() }
        disconnect(url)
        await place.resize(200, 200)
        await MainLoop.run { place.controller?.failedEnlargement != nil && self.loads.network.listenerCount == 1 }
        await MainLoop.settle()
        loads.transport.setRoute(url, nil)
        await place.resize(300, 300)
        let transfer = try await loads.nextTransfer()
        loads.network.status.isConnected = true
        await MainLoop.run { place.controller?.failedEnlargement == nil }
        try serve(url)
        transfer.answer(ScriptedTransport.Route(error: .cannotConnect("stalled")))
        await MainLoop.run { place.imageSize == PixelSize(300, 300) }
        XCTAssertEqual(loads.transport.startedCount(url), 4)
    }

    /// What the network's return finds is the size that is shown, not that of the last failure.
    func testSizeThatFailedIsForgottenWhenTheNetworkIsBack() async throws {
        let (place, url) = try await showImage([.noCache])
        defer { place.destroy() }
        disconnect(url)
        for (count, side) in [(1, 300), (2, 400)] {
            await place.resize(side, side)
            await MainLoop.run {
                place.controller?.enlargementCount == count && place.controller?.enlargement == nil
                    && self.loads.network.listenerCount == 1
            }
        }
        await place.resize(250, 250)
        await place.waitForFrame()
        try serve(url)
        loads.network.status.isConnected = true
        await MainLoop.run { place.imageSize == PixelSize(250, 250) }
        XCTAssertNil(place.controller?.failedEnlargement)
    }

    /// A larger image that comes ends the wait for the network.
    func testLargerImageEndsTheWaitForTheNetwork() async throws {
        let (place, url) = try await showImage([.noCache])
        defer { place.destroy() }
        loads.transport.setRoute(url, ScriptedTransport.Route(status: 503))
        await place.resize(200, 200)
        await MainLoop.run { place.controller?.failedEnlargement != nil }
        try serve(url)
        await place.resize(300, 300)
        await MainLoop.run { place.imageSize == PixelSize(300, 300) }
        XCTAssertNil(place.controller?.failedEnlargement)
        await MainLoop.run { self.loads.network.listenerCount == 0 }
    }
}
