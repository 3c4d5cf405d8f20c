import CGTK
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// The type of GObject of remote images, in files that describe user interfaces and by its properties.
@MainActor
final class RemoteImageTypeTests: XCTestCase {
    func testFileOfUserInterfaceMakesRemoteImage() async throws {
        try TestWindow.requireDisplay()
        let folder = try TestFiles()
        let path = try folder.write(try TestColor.blue.png(30, 20), to: "blue.png")
        RemoteImage.registerType()
        let text = """
            <interface>
              <object class="HalcyonRemoteImage" id="image">
                <property name="uri">file://\(path)</property>
              </object>
            </interface>
            """
        let builder = try XCTUnwrap(gtk_builder_new_from_string(text, -1))
        let object = try UnsafeMutableRawPointer(XCTUnwrap(gtk_builder_get_object(builder, "image")))
        let window = try TestWindow(child: object.widget)
        defer { window.destroy() }
        g_object_unref(UnsafeMutableRawPointer(builder))
        XCTAssertEqual(string(object, "uri"), "file://" + path)
        await window.present()
        let image = try XCTUnwrap(RemoteImage(widget: object))
        await MainLoop.run { image.image != nil }
        XCTAssertEqual(image.image?.fullSize, PixelSize(30, 20))
        XCTAssertFalse(boolean(object, "loading"))
    }

    func testLoadingIsNotifiedAtItsBeginningAndEnd() async throws {
        try TestWindow.requireDisplay()
        let loads = ViewPipeline()
        let image = RemoteImage(nil as ImageRequest?, pipeline: loads.pipeline)
        let window = try TestWindow(child: image.widget.widget)
        defer { window.destroy() }
        await window.present()
        var changes: [Bool] = []
        let widget = image.widget
        onSignal(widget, "notify::loading") { _ in changes.append(boolean(widget, "loading")) }
        image.request = ImageRequest(loads.url())
        XCTAssertTrue(boolean(widget, "loading"))
        await MainLoop.run { changes == [true] }
        try await loads.transport.nextTransfer().answer(.blue)
        await MainLoop.run { changes == [true, false] }
    }

    func testURIIsThatOfTheSource() async throws {
        try TestWindow.requireDisplay()
        let loads = ViewPipeline()
        let image = RemoteImage(nil as ImageRequest?, pipeline: loads.pipeline)
        let widget = image.widget
        var count = 0
        onSignal(widget, "notify::uri") { _ in count += 1 }
        XCTAssertNil(string(widget, "uri"))
        let url = loads.url()
        image.request = ImageRequest(url)
        XCTAssertEqual(string(widget, "uri"), url.absoluteString)
        cgtk_set_string_property(widget, "uri", "resource:///org/example/none.png")
        XCTAssertEqual(string(widget, "uri"), "resource:///org/example/none.png")
        let before = count
        cgtk_set_string_property(widget, "uri", "resource:///org/example/none.png")
        XCTAssertEqual(count, before)
        image.options = [.transition(.fade(.seconds(1)))]
        XCTAssertEqual(string(widget, "uri"), "resource:///org/example/none.png")
        XCTAssertEqual(count, before)
        cgtk_set_string_property(widget, "uri", nil)
        XCTAssertNil(string(widget, "uri"))
        XCTAssertNil(image.source)
    }

    /// A request for what the program has asked the picture for begins nothing, and is the widget's own from then on.
    func testRequestForWhatThePictureWasAskedFor() async throws {
        let loads = ViewPipeline()
        let (first, second) = (try loads.url(.red), try loads.url(.blue))
        let test = try await TestRemoteImage(ImageRequest(first), on: loads)
        defer { test.window.destroy() }
        await test.waitUntilLoaded()
        let done = Completions()
        test.image.hc.setImage(with: second, pipeline: loads.pipeline, completion: done.handler)
        await done.wait()
        var count = 0
        onSignal(test.image.widget, "notify::uri") { _ in count += 1 }
        test.image.request = ImageRequest(second)
        XCTAssertEqual(test.image.source, .url(second))
        XCTAssertEqual(string(test.image.widget, "uri"), second.absoluteString)
        XCTAssertEqual(count, 1)
        XCTAssertEqual(loads.transport.startedCount(second), 1)
    }
}

@MainActor
private func string(_ object: UnsafeMutableRawPointer, _ name: String) -> String? {
    var value = GValue()
    g_object_get_property(object.assumingMemoryBound(to: GObject.self), name, &value)
    defer { g_value_unset(&value) }
    return g_value_get_string(&value).map { String(cString: $0) }
}

@MainActor
private func boolean(_ object: UnsafeMutableRawPointer, _ name: String) -> Bool {
    var value = GValue()
    g_object_get_property(object.assumingMemoryBound(to: GObject.self), name, &value)
    defer { g_value_unset(&value) }
    return g_value_get_boolean(&value) != 0
}
