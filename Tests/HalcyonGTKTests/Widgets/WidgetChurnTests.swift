#if GTK
import CGTK
import FoundationEssentials
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// Many widgets that end while their images load.
@MainActor
final class WidgetChurnTests: XCTestCase {
    /// Weak references to everything that belongs to one load.
    private struct Load {
        let widget: WeakObjectReference
        let paintable: WeakObjectReference
        weak var task: DisplayTask?
        weak var state: WidgetState?
        weak var controller: SlotController?

        @MainActor var isGone: Bool {
            widget.object == nil && paintable.object == nil && task == nil && state == nil && controller == nil
        }
    }

    func testThousandWidgetsThatEndMidLoadLeaveNothing() async throws {
        let box = try await ShownWidget { gtk_box_new(GTK_ORIENTATION_VERTICAL, 0) }
        defer { box.destroy() }
        let loads = ViewPipeline()
        let placeholder = try TestColor.green.image(20, 20)
        let answer = ScriptedTransport.Route(body: try TestColor.blue.png(20, 20))
        // What is made once, such as files of the cache and the renderer's textures, is there before it counts.
        _ = try await churn(box, loads, placeholder, answer, count: 50)
        await loads.pipeline.cache.flush()
        let textures = TextureTable.count
        let descriptors = try descriptorCount()
        var completions = 0
        for _ in 0..<10 {
            completions += try await churn(box, loads, placeholder, answer, count: 100)
        }
        XCTAssertEqual(completions, 1_000)
        await loads.pipeline.cache.flush()
        await MainLoop.run { TextureTable.count <= textures }
        await MainLoop.run { (try? self.descriptorCount()) ?? .max <= descriptors }
    }

    /// Makes widgets of all kinds, loads images for them, answers some, and destroys all.
    ///
    /// - Returns: The number of calls of completion handlers, once nothing is left.
    private func churn(
        _ box: ShownWidget,
        _ loads: ViewPipeline,
        _ placeholder: DecodedImage,
        _ answer: ScriptedTransport.Route,
        count: Int
    ) async throws -> Int {
        var completions = 0
        var pending: [Load] = []
        let makers: [() -> UnsafeMutablePointer<GtkWidget>?] = [
            gtk_picture_new, gtk_image_new, gtk_button_new, gtk_toggle_button_new, gtk_check_button_new,
            gtk_menu_button_new,
        ]
        let parent = box.pointer(as: GtkBox.self)
        var widgets: [UnsafeMutablePointer<GtkWidget>] = []
        for index in 0..<count {
            let widget = try XCTUnwrap(makers[index % makers.count]())
            gtk_box_append(parent, widget)
            widgets.append(widget)
            let display = ImageDisplay(widget, slot: index % 12 == 3 ? .checkedImage : .image)
            let task = display.setImage(
                with: loads.url(),
                placeholder: placeholder,
                options: [.visibility(.always), .indicator(.spinner), .transition(.fade(0.01))],
                pipeline: loads.pipeline
            ) { _ in completions += 1 }
            let state = try XCTUnwrap(WidgetState.existing(display.object))
            let controller = try XCTUnwrap(state.existingController(for: display.slot))
            let paintable = try XCTUnwrap(controller.paintable)
            pending.append(
                Load(
                    widget: WeakObjectReference(UnsafeMutableRawPointer(widget)),
                    paintable: WeakObjectReference(try XCTUnwrap(paintable.pointer)),
                    task: task,
                    state: state,
                    controller: controller
                )
            )
        }
        await MainLoop.turn()
        // Some are answered, and may be anywhere between the network and the screen when their widgets end.
        for index in 0..<(count / 3) {
            let transfer = await loads.transport.nextTransfer()
            if index % 2 == 0 { transfer.answer(answer) }
        }
        await MainLoop.turn()
        for widget in widgets { gtk_box_remove(parent, widget) }
        widgets = []
        await MainLoop.run { completions == count }
        await MainLoop.run { pending.allSatisfy(\.isGone) }
        return completions
    }

    private func descriptorCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }
}
#endif
