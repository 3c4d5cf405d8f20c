import CGTK
import FoundationEssentials
import Halcyon
import HalcyonGTK
import XCTest

/// A class as a program's own binding of GTK has it.
@MainActor
private final class Picture {
    let pointer: UnsafeMutableRawPointer

    init() throws {
        pointer = try UnsafeMutableRawPointer(XCTUnwrap(gtk_picture_new()))
    }
}

extension Picture: ImageDisplaying { var displayPointer: UnsafeMutableRawPointer { pointer } }

/// The widgets of SwiftCrossUI are classes without isolation, with a typed pointer.
private class CrossWidget {
    let gobjectPointer: UnsafeMutablePointer<GObject>
    var clicked: (() -> Void)?

    init(_ pointer: UnsafeMutablePointer<GtkWidget>) {
        gobjectPointer = pointer.cast()
    }

    var widgetPointer: UnsafeMutablePointer<GtkWidget> { gobjectPointer.cast() }
}

extension CrossWidget: ImageDisplaying {
    var displayPointer: UnsafeMutableRawPointer { UnsafeMutableRawPointer(widgetPointer) }
}

/// Adwaita for Swift keeps widgets in storages, whose pointer is of any type.
private class ViewStorage {
    var pointer: Any?

    init(_ pointer: Any?) {
        self.pointer = pointer
    }

    var opaquePointer: OpaquePointer? { pointer as? OpaquePointer }

    /// What a widget of the program's own does at each change of state.
    func update(_ url: URL?, _ pipeline: ImagePipeline, _ completion: @escaping ImageDisplay.Completion) {
        guard let pointer = opaquePointer else { return }
        nonisolated(unsafe) let picture = pointer
        MainActor.assumeIsolated {
            _ = ImageDisplay(picture).setImage(with: url, pipeline: pipeline, completion: completion)
        }
    }
}

/// A program with classes of its own for GTK.
@MainActor
final class OwnBindingTests: XCTestCase {
    func testClassConformsInOneLine() async throws {
        try TestWindow.requireDisplay()
        let picture = try Picture()
        let window = try TestWindow(child: picture.pointer.assumingMemoryBound(to: GtkWidget.self))
        defer { window.destroy() }
        await window.present()
        let loads = ViewPipeline()
        let done = Completions()
        picture.hc.setImage(with: try loads.url(.blue), pipeline: loads.pipeline, completion: done.handler)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
        XCTAssertEqual(picture.hc.content, .image)
    }

    func testWidgetsOfSwiftCrossUIShowImages() async throws {
        try TestWindow.requireDisplay()
        let widget = CrossWidget(try XCTUnwrap(gtk_picture_new()))
        let window = try TestWindow(child: widget.widgetPointer)
        defer { window.destroy() }
        await window.present()
        let loads = ViewPipeline()
        let url = try loads.url(.blue)
        let done = Completions()
        let handler = done.handler
        nonisolated(unsafe) let picture = widget
        widget.clicked = {
            MainActor.assumeIsolated {
                _ = picture.hc.setImage(with: url, pipeline: loads.pipeline, completion: handler)
            }
        }
        widget.clicked?()
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
        widget.clicked = nil
    }

    func testStoragesOfAdwaitaShowImages() async throws {
        try TestWindow.requireDisplay()
        let picture = try XCTUnwrap(gtk_picture_new())
        let storage = ViewStorage(OpaquePointer(picture))
        let window = try TestWindow(child: picture)
        defer { window.destroy() }
        await window.present()
        let loads = ViewPipeline()
        let done = Completions()
        storage.update(try loads.url(.blue), loads.pipeline, done.handler)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
    }

    func testAvatarConformsInOneLine() async throws {
        var avatar: TestAvatar?
        let shown = try await ShownWidget {
            avatar = try? TestAvatar()
            let widget = avatar?.pointer.assumingMemoryBound(to: GtkWidget.self)
            gtk_widget_set_size_request(widget, 64, 64)
            gtk_widget_set_halign(widget, GTK_ALIGN_CENTER)
            gtk_widget_set_valign(widget, GTK_ALIGN_CENTER)
            return widget
        }
        defer { shown.destroy() }
        let display = try XCTUnwrap(avatar).hc
        let loads = ViewPipeline()
        let done = Completions()
        display.setImage(with: try loads.url(.blue, 640, 640), pipeline: loads.pipeline, completion: done.handler)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
        await shown.wait(for: .blue)
        XCTAssertEqual(display.image?.size, PixelSize(64, 64))
        XCTAssertNotNil(avatar?.customImage)
        display.remove()
        XCTAssertNil(avatar?.customImage)
    }
}
