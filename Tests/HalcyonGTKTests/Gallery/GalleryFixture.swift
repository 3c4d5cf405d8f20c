import CGTK
import Foundation
import Halcyon
import HalcyonGTK
import XCTest

@testable import HalcyonGallery

/// A folder with images that a test makes, and a window of the gallery.
@MainActor
final class GalleryFixture {
    let folder: String
    let window: GalleryWindow
    private let application: UnsafeMutablePointer<GtkApplication>

    /// Skips the test where there is no display.
    ///
    /// - Parameter pipeline: Loads the images. Default: one of the fixture's own.
    init(pipeline: ImagePipeline? = nil) throws {
        guard gtk_init_check() != 0 else { throw XCTSkip("no display can be opened") }
        folder = try Self.makeFolder()
        var disk = DiskCache.Configuration(folder: folder + ".cache")
        disk.sweepInterval = nil
        let pipeline =
            pipeline ?? ImagePipeline(configuration: .init(cache: ImageCache(disk: disk, memoryPressure: nil)))
        // One process exports one such application on a bus, where there is one.
        setenv("DBUS_SESSION_BUS_ADDRESS", "disabled:", 1)
        application = try XCTUnwrap(gtk_application_new(nil, G_APPLICATION_NON_UNIQUE))
        XCTAssertNotEqual(g_application_register(application.cast(), nil, nil), 0)
        if let display = gdk_display_get_default() { Style.install(on: display) }
        GalleryApplication.addShortcuts(to: application)
        window = GalleryWindow(application: application, pipeline: pipeline)
    }

    static func makeFolder() throws -> String {
        let folder = NSTemporaryDirectory() + "halcyon-gallery-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    /// Closes the window, and removes the folder.
    func end() {
        if !window.isClosed { gtk_window_destroy(window.windowPointer) }
        g_object_unref(application)
        try? FileManager.default.removeItem(atPath: folder)
        try? FileManager.default.removeItem(atPath: folder + ".cache")
    }

    /// Writes an image of one colour.
    func write(_ color: TestShade, to name: String, _ width: Int = 400, _ height: Int = 300) throws {
        try color.png(width, height).write(to: URL(fileURLWithPath: folder + "/" + name))
    }

    /// Writes bytes that are no image.
    func writeDamaged(to name: String) throws {
        try Data("no image".utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
    }

    /// Opens the folder, and waits until all that can be seen is there.
    func openFolder() async {
        window.present()
        window.open([folder])
        await settle()
    }

    /// Waits until all that can be seen is there.
    func settle() async {
        await MainLoop.run { gtk_widget_get_mapped(self.window.window.widget) != 0 && self.window.isSettled }
    }

    /// The cell of an image in the grid; `nil` if it is out of sight.
    func cell(at position: Int) -> ImageListCell? {
        window.grid.visibleCells.first { $0.item.position == position }?.cell
    }

    /// Writes the window's pixels beside the build, for people to look at, and returns them.
    func screenshot(_ name: String) async throws -> GalleryScreenshot {
        let widget = window.window.widget
        let count = PaintCount.of(widget)
        // Two frames: what settled in the first is drawn in the second at the latest.
        await MainLoop.run {
            if PaintCount.of(widget) >= count + 2, self.window.isSettled { return true }
            // Without a new frame, it would have no pixels from here on.
            gtk_widget_queue_draw(widget)
            return false
        }
        let path = try GalleryScreenshot.path(name)
        XCTAssertTrue(WindowSnapshot.write(window.window.widget, to: path))
        return try GalleryScreenshot(path)
    }
}
