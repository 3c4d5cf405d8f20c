import CGTK
import Foundation
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// What the program puts into the place of an image itself, or takes out of it.
@MainActor
final class ProgramContentTests: XCTestCase {
    /// An object with a slot, as the program sees it.
    private struct Kind {
        let name: String
        let make: () throws -> UnsafeMutableRawPointer
        let put: (UnsafeMutableRawPointer) throws -> Void
        let clear: (UnsafeMutableRawPointer) -> Void
        /// The paintable in the object, or the texture.
        let content: (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?
        var slot = WidgetSlot.image
    }

    private static func paintable(in picture: UnsafeMutablePointer<GtkWidget>?) -> UnsafeMutableRawPointer? {
        guard let picture, UnsafeMutableRawPointer(picture).isInstance(of: gtk_picture_get_type()) else { return nil }
        return gtk_picture_get_paintable(OpaquePointer(picture)).map { UnsafeMutableRawPointer($0) }
    }

    private static func button(
        _ name: String,
        _ make: @escaping () -> UnsafeMutablePointer<GtkWidget>?,
        _ slot: WidgetSlot = .image
    ) -> Kind {
        Kind(
            name: name,
            make: { UnsafeMutableRawPointer(g_object_ref_sink(UnsafeMutableRawPointer(try XCTUnwrap(make())))) },
            put: {
                let own = gtk_drawing_area_new()
                gtk_button_set_child($0.assumingMemoryBound(to: GtkButton.self), own)
            },
            clear: { gtk_button_set_child($0.assumingMemoryBound(to: GtkButton.self), nil) },
            content: { paintable(in: gtk_button_get_child($0.assumingMemoryBound(to: GtkButton.self))) },
            slot: slot
        )
    }

    private static func property(_ name: String) -> Kind {
        Kind(
            name: name,
            make: { try TestObject.make() },
            put: {
                let own = Paintable(try TestColor.yellow.image())
                withExtendedLifetime(own) { [object = $0] in cgtk_set_object_property(object, name, own.pointer) }
            },
            clear: { cgtk_set_object_property($0, name, nil) },
            content: { TestObject.value(of: $0, name) },
            slot: .property(name)
        )
    }

    private static var kinds: [Kind] {
        [
            Kind(
                name: "picture",
                make: { g_object_ref_sink(UnsafeMutableRawPointer(try XCTUnwrap(gtk_picture_new()))) },
                put: {
                    let own = Paintable(try TestColor.yellow.image())
                    withExtendedLifetime(own) { [picture = $0] in
                        gtk_picture_set_paintable(OpaquePointer(picture), OpaquePointer(own.pointer))
                    }
                },
                clear: { gtk_picture_set_paintable(OpaquePointer($0), nil) },
                content: { paintable(in: $0.assumingMemoryBound(to: GtkWidget.self)) }
            ),
            Kind(
                name: "image",
                make: { g_object_ref_sink(UnsafeMutableRawPointer(try XCTUnwrap(gtk_image_new()))) },
                put: { gtk_image_set_from_icon_name(OpaquePointer($0), "image-missing") },
                clear: { gtk_image_clear(OpaquePointer($0)) },
                content: { gtk_image_get_paintable(OpaquePointer($0)).map { UnsafeMutableRawPointer($0) } }
            ),
            button("button", gtk_button_new), button("toggle button", gtk_toggle_button_new), property("paintable"),
            property("texture"),
        ]
    }

    func testContentOfTheProgramStaysUntilTheNextCall() async throws {
        try TestWindow.requireDisplay()
        for kind in Self.kinds {
            let loads = ViewPipeline()
            let object = try kind.make()
            defer { g_object_unref(object) }
            let display = ImageDisplay(object, slot: kind.slot)
            func load(_ url: URL, _ completion: ImageDisplay.Completion? = nil) {
                display.setImage(
                    with: url,
                    options: [.visibility(.always), .sizing(.image)],
                    pipeline: loads.pipeline,
                    completion: completion
                )
            }
            func showsImage() -> Bool {
                let slot = WidgetState.existing(object)?.existingController(for: kind.slot)?.paintable
                let pointer = slot?.pointer.map { kind.name == "texture" ? slot?.current?.pointer ?? $0 : $0 }
                return pointer != nil && kind.content(object) == pointer && slot?.current != nil
            }
            let done = [Completions(), Completions(), Completions()]
            load(try loads.url(.blue), done[0].handler)
            await done[0].wait()
            XCTAssertTrue(showsImage(), kind.name)

            try kind.put(object)
            let url = loads.url()
            load(url, done[1].handler)
            try kind.put(object)
            try await loads.nextTransfer().answer(.green)
            await done[1].wait()
            XCTAssertFalse(showsImage(), "\(kind.name), which was given something during the load")
            load(url, done[2].handler)
            XCTAssertEqual(done[2].outcome, "success")
            XCTAssertTrue(showsImage(), "\(kind.name), at an equal call")

            kind.clear(object)
            XCTAssertFalse(showsImage(), kind.name)
            load(url)
            XCTAssertTrue(showsImage(), "\(kind.name), which was emptied, at an equal call")
            kind.clear(object)
            load(try loads.url(.red))
            await MainLoop.run { showsImage() }

            try kind.put(object)
            display.show(try TestColor.magenta.image())
            XCTAssertTrue(showsImage(), "\(kind.name), which shows an image of the program")
            try kind.put(object)
            let own = kind.content(object)
            display.remove()
            XCTAssertEqual(kind.content(object), own, kind.name)
        }
    }

    func testEmptiedPictureIsPaintedAgain() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let (url, done) = (try loads.url(.blue), Completions())
        picture.display.setImage(with: url, pipeline: loads.pipeline, completion: done.handler)
        await done.wait()
        gtk_picture_set_paintable(OpaquePointer(picture.widget), nil)
        var color = await picture.color()
        XCTAssertNil(color)
        picture.display.setImage(with: url, pipeline: loads.pipeline)
        color = await picture.color()
        XCTAssertEqual(color, .blue)
        XCTAssertEqual(loads.transport.startedCount, 1)
    }
}
