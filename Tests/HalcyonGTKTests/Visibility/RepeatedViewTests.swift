import CGTK
import Foundation
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// What a view shows does not depend on how often, how large and in which process it is shown, nor on a network.
@MainActor
final class RepeatedViewTests: XCTestCase {
    /// Shows an image in a new view of a number of points in each direction, and returns it once it is shown.
    private typealias Show = @MainActor (URL, Int, ViewPipeline) async throws -> DecodedImage?

    private var kinds: [(name: String, show: Show)] {
        [
            ("picture", show { gtk_picture_new() }), ("image", show { gtk_image_new() }),
            ("button", show { gtk_button_new() }), ("avatar", show { try? TestAvatar().pointer.widget }),
            ("remote image", Self.showInRemoteImage), ("cell of a list", Self.showInList),
        ]
    }

    func testViewsOfEveryKindTransferAnImageOnce() async throws {
        for (name, show) in kinds {
            let loads = ViewPipeline()
            let url = try loads.url(.blue, 400, 400, cacheControl: "max-age=3600")
            for side in [60, 60, 120] {
                let image = try await show(url, side, loads)
                XCTAssertEqual(image?.info.size, PixelSize(400, 400), "\(name) of \(side)")
            }
            XCTAssertEqual(loads.transport.startedCount, 1, name)
            await loads.pipeline.cache.flush()
            // As in another process, without a network.
            let later = ViewPipeline(over: loads)
            later.network.status.isConnected = false
            later.transport.setRoute(url, ScriptedTransport.Route(error: .cannotConnect("refused")))
            for side in [60, 200, 60] {
                let image = try await show(url, side, later)
                XCTAssertEqual(image?.info.size, PixelSize(400, 400), "\(name) of \(side), later")
            }
            XCTAssertEqual(later.transport.startedCount, 0, name)
        }
    }

    private func show(_ make: @escaping @MainActor () -> UnsafeMutablePointer<GtkWidget>?) -> Show {
        { url, side, loads in
            let shown = try await ShownWidget(width: 300, height: 300) {
                let widget = make()
                gtk_widget_set_size_request(widget, Int32(side), Int32(side))
                gtk_widget_set_halign(widget, GTK_ALIGN_START)
                gtk_widget_set_valign(widget, GTK_ALIGN_START)
                return widget
            }
            defer { shown.destroy() }
            let display = ImageDisplay(shown.widget)
            let done = Completions()
            display.setImage(with: url, pipeline: loads.pipeline, completion: done.handler)
            await done.wait()
            XCTAssertEqual(done.outcome, "success")
            return display.image
        }
    }

    private static func showInRemoteImage(
        _ url: URL,
        _ side: Int,
        _ loads: ViewPipeline
    ) async throws -> DecodedImage? {
        let test = try await TestRemoteImage(ImageRequest(url), on: loads, size: PixelSize(side, side))
        defer { test.window.destroy() }
        await test.waitUntilLoaded()
        return test.image.image
    }

    private static func showInList(
        _ url: URL,
        _ side: Int,
        _ loads: ViewPipeline
    ) async throws -> DecodedImage? {
        try TestWindow.requireDisplay()
        var configuration = ImageListFactory.Configuration()
        configuration.makeCell = { .picture(width: side, height: side) }
        configuration.pipeline = loads.pipeline
        configuration.prefetchDistance = .none
        let factory = ImageListFactory(of: Int.self, configuration) { _, _ in ImageRequest(url) }
        let list = try ListWindow(.list, model: ImageListModel(0..<1).passRetained(), factories: [factory.pointer])
        defer { list.window.destroy() }
        await list.present()
        await MainLoop.run { factory.boundCells[0]?.content.display.image != nil }
        return factory.boundCells[0]?.content.display.image
    }
}
