import CGTK
import Foundation
import Halcyon
import HalcyonGTK
import HalcyonTesting
import XCTest

@testable import HalcyonGallery

/// Links whose server answers, fails, and does not answer.
@MainActor
final class GalleryNetworkTests: XCTestCase {
    /// An image that the server does not have is said to be missing, and is there after another attempt.
    func testMissingImage() async throws {
        let views = ViewPipeline()
        let fixture = try GalleryFixture(pipeline: views.pipeline)
        defer { fixture.end() }
        let url = views.missing()
        fixture.window.present()
        fixture.window.open([url.absoluteString])
        await MainLoop.run { fixture.window.detail.hasFailed }
        _ = try await fixture.screenshot("missing-link")
        views.transport.setRoute(url, ScriptedTransport.Route(body: try TestShade.green.png(300, 200)))
        fixture.window.detail.retry()
        await MainLoop.run { fixture.window.detail.response != nil }
        XCTAssertFalse(fixture.window.detail.hasFailed)
    }

    /// A server that does not answer leaves the window in the hands of the person, who turns to the next image.
    func testStallingServer() async throws {
        let views = ViewPipeline()
        let fixture = try GalleryFixture(pipeline: views.pipeline)
        defer { fixture.end() }
        let stalling = views.url()
        let other = try views.url(.green, 300, 200)
        fixture.window.present()
        fixture.window.open([stalling.absoluteString, other.absoluteString])
        await MainLoop.run { fixture.cell(at: 1)?.display.image != nil }
        XCTAssertEqual(fixture.cell(at: 0)?.display.content, .nothing)
        fixture.window.open(0)
        await MainLoop.run { fixture.window.detail.isLoading }
        fixture.window.turn(by: 1)
        await MainLoop.run { fixture.window.detail.response != nil }
        fixture.window.back()
        XCTAssertEqual(fixture.window.page, .grid)
        func transfer() -> ScriptedTransfer? {
            views.transport.transfers.first { $0.request.url == stalling && $0.result == nil && !$0.isCancelled }
        }
        // The cell is in sight again.
        await MainLoop.run { transfer() != nil }
        transfer()?.answer(ScriptedTransport.Route(body: try TestShade.red.png(300, 200)))
        await MainLoop.run { fixture.cell(at: 0)?.display.image != nil }
    }
}
