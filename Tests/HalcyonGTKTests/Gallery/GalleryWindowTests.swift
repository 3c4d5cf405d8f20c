import CGTK
import Foundation
import Halcyon
import XCTest

@testable import HalcyonGallery

/// The program, as it is operated.
@MainActor
final class GalleryWindowTests: XCTestCase {
    private func fixture(_ names: String...) async throws -> GalleryFixture {
        let fixture = try GalleryFixture()
        for name in names { try fixture.write(.red, to: name) }
        await fixture.openFolder()
        return fixture
    }

    private func title(_ fixture: GalleryFixture) -> String {
        gtk_window_get_title(fixture.window.windowPointer).map { String(cString: $0) } ?? ""
    }

    /// What is typed into the search leaves the images that match, and says so where none does.
    func testSearchFilters() async throws {
        let fixture = try await fixture("cat.png", "dog.png", "catfish.png")
        defer { fixture.end() }
        let window = fixture.window
        change("search", in: window.window, to: true)
        gtk_editable_set_text(window.searchEntry.opaque, "cat")
        await MainLoop.run { window.collection.matchCount == 2 }
        XCTAssertEqual(window.page, .grid)
        gtk_editable_set_text(window.searchEntry.opaque, "cow")
        await MainLoop.run { window.page == .notFound }
        change("search", in: window.window, to: false)
        await MainLoop.run { window.page == .grid && window.collection.matchCount == 3 }
    }

    /// One turns from image to image, up to the last, and back to the grid where one was.
    func testTurning() async throws {
        let fixture = try await fixture("1.png", "2.png", "3.png")
        defer { fixture.end() }
        let window = fixture.window
        window.open(0)
        window.turn(by: 1)
        XCTAssertEqual(window.detail.item?.name, "2.png")
        XCTAssertEqual(title(fixture), "2.png – Gallery")
        window.turn(by: 5)
        XCTAssertEqual(window.detail.item?.name, "3.png")
        await fixture.settle()
        XCTAssertNotNil(window.detail.response)
        window.back()
        XCTAssertEqual(window.page, .grid)
        XCTAssertEqual(window.collection.selectedPosition, 2)
        XCTAssertEqual(title(fixture), "Gallery")
    }

    /// A thumbnail that is in memory is there before the image is.
    func testDetailBeginsWithThumbnail() async throws {
        let fixture = try GalleryFixture()
        defer { fixture.end() }
        try fixture.write(.green, to: "1.png", 1_600, 1_200)
        try fixture.write(.red, to: "2.png")
        await fixture.openFolder()
        fixture.window.open(0)
        XCTAssertNil(fixture.window.detail.response)
        XCTAssertEqual(fixture.window.detail.zoom.scale.imageSize, PixelSize(1_600, 1_200))
        await fixture.settle()
        XCTAssertNotNil(fixture.window.detail.response)
    }

    /// The thumbnails of images out of sight, too, are those that their cells have shown.
    func testThumbnailIsFoundInMemory() async throws {
        let loads = ViewPipeline()
        let fixture = try GalleryFixture(pipeline: loads.pipeline)
        defer { fixture.end() }
        fixture.window.present()
        fixture.window.open(
            try [TestShade.red, .green].map { "data:image/png;base64," + (try $0.png(400, 300).base64EncodedString()) }
        )
        await fixture.settle()
        let item = try XCTUnwrap(fixture.window.collection.item(at: 0))
        let scale = Int(gtk_widget_get_scale_factor(fixture.window.window.widget))
        let request = item.thumbnailRequest(scale: scale)
        XCTAssertNotNil(loads.pipeline.responseFromMemory(for: request))
    }

    /// An image that could not be shown is shown after another attempt, once it is whole.
    func testRetry() async throws {
        let fixture = try GalleryFixture()
        defer { fixture.end() }
        try fixture.writeDamaged(to: "1.png")
        try fixture.writeDamaged(to: "2.png")
        await fixture.openFolder()
        fixture.window.open(0)
        await MainLoop.run { fixture.window.detail.hasFailed }
        try fixture.write(.red, to: "1.png")
        fixture.window.detail.retry()
        XCTAssertFalse(fixture.window.detail.hasFailed)
        await MainLoop.run { fixture.window.detail.response != nil }
    }

    /// A larger scale is larger on the screen, and more than the window's place can be scrolled to.
    func testZooming() async throws {
        let fixture = try await fixture("1.png", "2.png")
        defer { fixture.end() }
        let (window, zoom) = (fixture.window, fixture.window.detail.zoom)
        window.open(0)
        await fixture.settle()
        XCTAssertEqual(zoom.scale.factor, 1)
        zoom.zoom(by: 8)
        await MainLoop.run { gtk_widget_get_width(zoom.content) == 3_200 }
        XCTAssertEqual(gtk_widget_get_height(zoom.content), 2_400)
        zoom.scroll(toX: 500, y: 400)
        XCTAssertEqual(zoom.scrollPosition.x, 500)
        zoom.fit()
        await MainLoop.run { gtk_widget_get_width(zoom.content) == 400 }
    }

    /// Space pauses an animation and plays it again.
    func testPausing() async throws {
        let fixture = try GalleryFixture()
        defer { fixture.end() }
        let frames = try [TestShade.red, .blue].map { try $0.bitmap(60, 40) }
        let data = try ImageCodecs.standard.encode(
            frames.map { AnimationFrame(bitmap: $0, duration: 50) },
            as: .gif
        )
        try data.write(to: URL(fileURLWithPath: fixture.folder + "/1.gif"))
        try fixture.write(.red, to: "2.png")
        await fixture.openFolder()
        fixture.window.open(0)
        await fixture.settle()
        XCTAssertTrue(fixture.window.detail.isPlaying)
        fixture.window.detail.togglePlaying()
        XCTAssertFalse(fixture.window.detail.isPlaying)
        fixture.window.detail.togglePlaying()
        XCTAssertTrue(fixture.window.detail.isPlaying)
    }

    /// A closed window and all that belongs to it end, also while images are loaded.
    func testClosingEndsWindow() async throws {
        weak var window: GalleryWindow?
        weak var detail: DetailPage?
        weak var panel: InformationPanel?
        try await {
            let fixture = try await self.fixture("1.png", "2.png")
            window = fixture.window
            detail = fixture.window.detail
            panel = fixture.window.panel
            change("panel", in: fixture.window.window, to: true)
            fixture.window.open(1)
            fixture.end()
        }()
        await MainLoop.run { window == nil && detail == nil && panel == nil }
    }
}
