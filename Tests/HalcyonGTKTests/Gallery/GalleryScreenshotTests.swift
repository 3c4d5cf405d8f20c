import CGTK
import Foundation
import HalcyonTesting
import XCTest

@testable import HalcyonGallery

/// The views of the program, as they are seen.
@MainActor
final class GalleryScreenshotTests: XCTestCase {
    /// A cell's image of 400 by 300 pixels takes 176 by 132.
    private static let cellPixels = 176 * 132

    /// Each image is in its cell, at its size, in the order of a file manager.
    func testGridShowsImagesInOrder() async throws {
        let fixture = try GalleryFixture()
        defer { fixture.end() }
        try await fixture.openThree()
        let screenshot = try await fixture.screenshot("grid")
        let areas = [TestShade.red, .green, .blue].map(screenshot.area)
        for area in areas { XCTAssertEqual(Double(area.count), Double(Self.cellPixels), accuracy: 600) }
        XCTAssertLessThan(areas[0].x + 100, areas[1].x)
        XCTAssertLessThan(areas[1].x + 100, areas[2].x)
        XCTAssertEqual(areas[0].y, areas[2].y, accuracy: 2)
        XCTAssertGreaterThan(screenshot.brightness((40..<60, screenshot.height - 60..<screenshot.height - 40)), 200)
    }

    /// Where text runs from right to left, so do the images.
    func testGridIsMirroredRightToLeft() async throws {
        let fixture = try GalleryFixture()
        defer { fixture.end() }
        gtk_widget_set_direction(fixture.window.window.widget, GTK_TEXT_DIR_RTL)
        let previous = gtk_widget_get_default_direction()
        gtk_widget_set_default_direction(GTK_TEXT_DIR_RTL)
        defer { gtk_widget_set_default_direction(previous) }
        try await fixture.openThree()
        let screenshot = try await fixture.screenshot("right-to-left")
        let areas = [TestShade.red, .green, .blue].map(screenshot.area)
        XCTAssertGreaterThan(areas[0].x, areas[1].x + 100)
        XCTAssertGreaterThan(areas[1].x, areas[2].x + 100)
        XCTAssertGreaterThan(areas[0].x, Double(screenshot.width) / 2)
    }

    /// The dark style is dark, and changes no image.
    func testDarkStyle() async throws {
        let fixture = try GalleryFixture()
        defer { fixture.end() }
        change("dark", in: fixture.window.window, to: true)
        defer { Style.isDark = false }
        try await fixture.openThree()
        let screenshot = try await fixture.screenshot("dark")
        XCTAssertLessThan(screenshot.brightness((40..<60, screenshot.height - 60..<screenshot.height - 40)), 80)
        XCTAssertEqual(Double(screenshot.area(of: .green).count), Double(Self.cellPixels), accuracy: 600)
    }

    /// An image in full is in the middle, at its own size where there is room for it.
    func testDetailShowsImageAtItsSize() async throws {
        let fixture = try GalleryFixture()
        defer { fixture.end() }
        try await fixture.openThree()
        fixture.window.open(1)
        await fixture.settle()
        let screenshot = try await fixture.screenshot("detail")
        let area = screenshot.area(of: .green)
        XCTAssertEqual(Double(area.count), 400 * 300, accuracy: 1_000)
        XCTAssertEqual(area.x, Double(screenshot.width) / 2, accuracy: 4)
        XCTAssertEqual(screenshot.area(of: .red).count, 0)
    }

    /// An image that cannot be shown is said to be so, in its cell and in full.
    func testFailure() async throws {
        let fixture = try GalleryFixture()
        defer { fixture.end() }
        try fixture.write(.red, to: "a.png")
        try fixture.writeDamaged(to: "b.png")
        await fixture.openFolder()
        _ = try await fixture.screenshot("failure-in-cell")
        fixture.window.open(1)
        await fixture.settle()
        XCTAssertTrue(fixture.window.detail.hasFailed)
        let screenshot = try await fixture.screenshot("failure")
        XCTAssertEqual(screenshot.area(of: .red).count, 0)
        // The title of the failure, in the middle of the page, is darker than its surroundings.
        let (x, y) = (screenshot.width / 2, screenshot.height / 2)
        XCTAssertLessThan(
            screenshot.brightness((x - 150..<x + 150, y - 100..<y + 100)),
            screenshot.brightness((60..<160, 120..<220)) - 5
        )
    }

    /// A window without images says how to open some.
    func testEmpty() async throws {
        let fixture = try GalleryFixture()
        defer { fixture.end() }
        fixture.window.present()
        await fixture.settle()
        XCTAssertEqual(fixture.window.page, .empty)
        _ = try await fixture.screenshot("empty")
    }

    /// On a screen with two pixels a point, images have twice as many pixels in each direction.
    func testTwoPixelsAPoint() async throws {
        let folder = try GalleryFixture.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try TestShade.blue.png(800, 600).write(to: URL(fileURLWithPath: folder + "/a.png"))
        try TestShade.red.png(800, 600).write(to: URL(fileURLWithPath: folder + "/b.png"))
        let path = try GalleryScreenshot.path("two-pixels-a-point")
        try await GalleryProcess.run([folder, "--screenshot", path], environment: ["GDK_SCALE": "2"])
        let screenshot = try GalleryScreenshot(path)
        XCTAssertEqual(Double(screenshot.area(of: .blue).count), Double(Self.cellPixels * 4), accuracy: 2_000)
        XCTAssertEqual(Double(screenshot.area(of: .red).count), Double(Self.cellPixels * 4), accuracy: 2_000)
    }

    /// What one process has transferred, later ones show without a server: at the same size, at another, and in full.
    func testLaterProcessesShowImagesAtAnySizeOffline() async throws {
        let folder = try GalleryFixture.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let images = [
            "/blue.png": [UInt8](try TestShade.blue.png(800, 600)),
            "/red.png": [UInt8](try TestShade.red.png(800, 600)),
        ]
        let server = try OriginServer { request in
            images[request.path].map { OriginServer.Response(headers: [.cacheControl: "max-age=3600"], body: $0) }
                ?? OriginServer.Response(404)
        }
        defer { server.stop() }
        let urls = ["/blue.png", "/red.png"].map { server.url($0).absoluteString }
        for (name, scale, view) in [
            ("online", 1, "grid"), ("offline", 1, "grid"), ("offline-at-2", 2, "grid"),
            ("offline-in-full", 1, "detail"),
        ] {
            let path = try GalleryScreenshot.path(name)
            try await GalleryProcess.run(
                urls + ["--screenshot", path, "--view", view],
                environment: ["GDK_SCALE": "\(scale)", "XDG_CACHE_HOME": folder]
            )
            let screenshot = try GalleryScreenshot(path)
            let blue = screenshot.area(of: .blue).count
            if view == "grid" {
                let red = screenshot.area(of: .red).count
                for count in [blue, red] {
                    XCTAssertEqual(Double(count), Double(Self.cellPixels * scale * scale), accuracy: 2_000, name)
                }
            } else {
                XCTAssertGreaterThan(blue, Self.cellPixels * 4, name)
            }
            server.stop()
        }
        XCTAssertEqual(urls.indices.map { server.requestCount(["/blue.png", "/red.png"][$0]) }, [1, 1])
    }
}

extension GalleryFixture {
    /// Opens a folder with three images, whose order is red, green, blue.
    fileprivate func openThree() async throws {
        try write(.blue, to: "image 10.png")
        try write(.green, to: "image 2.png")
        try write(.red, to: "image 1.png")
        await openFolder()
    }
}
