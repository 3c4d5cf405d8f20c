import CGTK
import Halcyon
import XCTest

@testable import HalcyonGTK

/// Images of a `GtkImage`, which have the size of an icon.
@MainActor
final class IconSizeTests: XCTestCase {
    private func makeIcon(_ prepare: (OpaquePointer) -> Void) async throws -> ShownWidget {
        let icon = try await ShownWidget {
            let image = gtk_image_new()
            gtk_widget_set_halign(image, GTK_ALIGN_START)
            gtk_widget_set_valign(image, GTK_ALIGN_START)
            if let image { prepare(OpaquePointer(image)) }
            return image
        }
        return icon
    }

    func testPixelSizeDecides() async throws {
        let icon = try await makeIcon { gtk_image_set_pixel_size($0, 48) }
        defer { icon.destroy() }
        let loads = ViewPipeline()
        let done = Completions()
        let display = ImageDisplay(icon.widget)
        display.setImage(with: try loads.url(.blue, 600, 600), pipeline: loads.pipeline, completion: done.handler)
        await done.wait()
        await icon.wait(for: .blue)
        XCTAssertEqual(gtk_widget_get_width(icon.widget), 48)
        XCTAssertEqual(gtk_widget_get_height(icon.widget), 48)
        XCTAssertEqual(display.image?.size, PixelSize(48, 48))
        display.remove()
        XCTAssertEqual(gtk_image_get_pixel_size(OpaquePointer(icon.widget)), 48)
        XCTAssertEqual(gtk_image_get_storage_type(OpaquePointer(icon.widget)), GTK_IMAGE_EMPTY)
    }

    func testIconSizeDecides() async throws {
        let icon = try await makeIcon { gtk_image_set_icon_size($0, GTK_ICON_SIZE_LARGE) }
        defer { icon.destroy() }
        ImageDisplay(icon.widget).show(try TestColor.blue.image(600, 600))
        await icon.wait(for: .blue)
        XCTAssertEqual(gtk_widget_get_width(icon.widget), 32)
        XCTAssertEqual(gtk_image_get_icon_size(OpaquePointer(icon.widget)), GTK_ICON_SIZE_LARGE)
    }

    func testIconOfProgramStays() async throws {
        let icon = try await makeIcon { _ in }
        defer { icon.destroy() }
        let display = ImageDisplay(icon.widget)
        display.show(try TestColor.blue.image())
        gtk_image_set_from_icon_name(OpaquePointer(icon.widget), "image-missing")
        display.remove()
        XCTAssertEqual(gtk_image_get_storage_type(OpaquePointer(icon.widget)), GTK_IMAGE_ICON_NAME)
    }
}
