#if GTK
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
}
#endif
