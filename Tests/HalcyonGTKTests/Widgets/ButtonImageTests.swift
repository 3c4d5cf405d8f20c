import CGTK
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// Images of buttons, which show them in a child.
/// A menu button with a menu: newer releases of GTK draw one without as insensitive.
@MainActor
private func makeMenuButton() -> UnsafeMutablePointer<GtkWidget>? {
    let button = gtk_menu_button_new()
    gtk_menu_button_set_popover(button.map { OpaquePointer($0) }, gtk_popover_new())
    return button
}

@MainActor
final class ButtonImageTests: XCTestCase {
    func testButtonsOfAllKindsShowImage() async throws {
        let loads = ViewPipeline()
        let makers: [() -> UnsafeMutablePointer<GtkWidget>?] = [
            gtk_button_new, gtk_toggle_button_new, gtk_check_button_new, makeMenuButton,
        ]
        for make in makers {
            let button = try await ShownWidget(make)
            let done = Completions()
            ImageDisplay(button.widget).setImage(
                with: try loads.url(.blue),
                pipeline: loads.pipeline,
                completion: done.handler
            )
            await done.wait()
            XCTAssertEqual(done.outcome, "success")
            // A child that has just got its size may be drawn a frame later.
            var isShown = false
            for _ in 0..<5 where !isShown { isShown = await button.frames.next()?.colors.contains(.blue) == true }
            XCTAssertTrue(isShown)
            button.destroy()
        }
    }

    func testImageIsDecodedAtSizeInButton() async throws {
        let button = try await ShownWidget(width: 120, height: 120) { gtk_button_new() }
        defer { button.destroy() }
        let loads = ViewPipeline()
        let done = Completions()
        let display = ImageDisplay(button.widget)
        display.setImage(with: try loads.url(.blue, 1_000, 1_000), pipeline: loads.pipeline, completion: done.handler)
        await done.wait()
        await MainLoop.settle()
        let width = try XCTUnwrap(display.image?.size.width)
        XCTAssertLessThan(width, 120)
        XCTAssertGreaterThan(width, 50)
    }

    func testChildOfProgramStaysWhenSlotIsRemoved() async throws {
        let button = try await ShownWidget { gtk_button_new() }
        defer { button.destroy() }
        let display = ImageDisplay(button.widget)
        display.show(try TestColor.red.image())
        gtk_button_set_label(button.pointer(as: GtkButton.self), "label")
        let pixels = await button.frames.next()
        XCTAssertEqual(pixels?.colors.contains(.red), false)
        display.remove()
        let label = try XCTUnwrap(gtk_button_get_label(button.pointer(as: GtkButton.self)))
        XCTAssertEqual(String(cString: label), "label")
    }

    func testLabelsStayUntilThereIsImage() async throws {
        let loads = ViewPipeline()
        let makers: [() -> UnsafeMutablePointer<GtkWidget>?] = [
            { gtk_button_new_with_label("label") }, { gtk_toggle_button_new_with_label("label") },
            { gtk_check_button_new_with_label("label") },
            {
                let button = makeMenuButton()
                gtk_menu_button_set_label(button.map { OpaquePointer($0) }, "label")
                return button
            },
        ]
        for make in makers {
            let button = try await ShownWidget(make)
            defer { button.destroy() }
            let hasLabel = {
                var value = GValue()
                g_object_get_property(button.pointer(as: GObject.self), "label", &value)
                defer { g_value_unset(&value) }
                return g_value_get_string(&value) != nil
            }
            let display = ImageDisplay(button.widget)
            display.setImage(with: loads.url(), pipeline: loads.pipeline)
            let transfer = await loads.transport.nextTransfer()
            XCTAssertTrue(hasLabel())
            try transfer.answer(.blue)
            await MainLoop.run { display.content == .image }
            XCTAssertFalse(hasLabel())
            await MainLoop.run { button.frames.frames.last?.colors.contains(.blue) == true }
        }
    }

    func testChildOfProgramStaysWhileImageIsLoading() async throws {
        let button = try await ShownWidget { gtk_button_new_with_label("label") }
        defer { button.destroy() }
        let display = ImageDisplay(button.widget)
        let (loads, done) = (ViewPipeline(), Completions())
        display.setImage(with: loads.url(), pipeline: loads.pipeline, completion: done.handler)
        let child = gtk_drawing_area_new()
        gtk_button_set_child(button.pointer(as: GtkButton.self), child)
        try await loads.nextTransfer().answer(.red)
        await done.wait()
        XCTAssertEqual(gtk_button_get_child(button.pointer(as: GtkButton.self)), child)
    }

    /// Under AddressSanitizer the use of a button that is gone ends the process.
    func testWindowClosesWhileLabelWaitsForImage() async throws {
        let loads = ViewPipeline()
        for make in [{ gtk_check_button_new_with_label("label") }, { gtk_button_new_with_label("label") }] {
            let button = try await ShownWidget(make)
            let done = Completions()
            ImageDisplay(button.widget).setImage(
                with: loads.url(),
                options: [.visibility(.always), .indicator(.spinner)],
                pipeline: loads.pipeline,
                completion: done.handler
            )
            _ = await loads.transport.nextTransfer()
            button.destroy()
            await done.wait()
            XCTAssertEqual(done.count, 1)
        }
    }

    func testRemovedSlotLeavesNoChild() async throws {
        let button = try await ShownWidget { gtk_check_button_new() }
        defer { button.destroy() }
        let display = ImageDisplay(button.widget)
        display.show(try TestColor.red.image())
        XCTAssertNotNil(gtk_check_button_get_child(button.pointer(as: GtkCheckButton.self)))
        display.remove()
        XCTAssertNil(gtk_check_button_get_child(button.pointer(as: GtkCheckButton.self)))
        display.show(try TestColor.blue.image())
        let pixels = await button.frames.next()
        XCTAssertEqual(pixels?.colors.contains(.blue), true)
    }

    func testPaintableOfProgramStays() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        picture.display.show(try TestColor.red.image())
        let own = Paintable(try TestColor.yellow.image())
        gtk_picture_set_paintable(OpaquePointer(picture.widget), OpaquePointer(own.pointer))
        picture.display.remove()
        let color = await picture.color()
        XCTAssertEqual(color, .yellow)
    }
}
