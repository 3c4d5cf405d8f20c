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
        try TestWindow.requireDisplay()
        let widget = try XCTUnwrap(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
        let box = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GtkBox.self)
        let window = try TestWindow(child: widget)
        defer { window.destroy() }
        let textures = TextureTable.count
        await window.present()
        // What is made once, such as the renderer's textures, is there after the first pass.
        let first = try await runPipeline(box, count: 100)
        let second = try await runPipeline(box, count: 1_000)
        XCTAssertEqual(first.completions, 100)
        XCTAssertEqual(second.completions, 1_000)
        // The last frame held the textures that it showed.
        gtk_window_set_child(window.window, nil)
        await MainLoop.run { TextureTable.count <= textures }
        await MainLoop.run { (try? self.descriptorCount()) ?? .max <= first.descriptors }
    }

    /// Loads with a pipeline of its own, whose cache has files open.
    ///
    /// - Returns: The number of calls of completion handlers, and that of open files once the pipeline has ended.
    private func runPipeline(
        _ box: UnsafeMutablePointer<GtkBox>,
        count: Int
    ) async throws -> (completions: Int, descriptors: Int) {
        var completions = 0
        weak var ended: ImagePipeline?
        do {
            let loads = ViewPipeline()
            ended = loads.pipeline
            // Larger than what the renderer keeps in an atlas, for some frames after the end of its texture.
            let placeholder = try TestColor.green.image(300, 300)
            let answer = ScriptedTransport.Route(body: try TestColor.blue.png(300, 300))
            for _ in 0..<(count / 100) {
                completions += try await churn(box, loads, placeholder, answer, count: 100)
            }
            await loads.pipeline.cache.flush()
        }
        await MainLoop.run { ended == nil }
        return (completions, try descriptorCount())
    }

    /// Makes widgets of all kinds, loads images for them, answers some, and destroys all.
    ///
    /// - Returns: The number of calls of completion handlers, once nothing is left.
    private func churn(
        _ box: UnsafeMutablePointer<GtkBox>,
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
        var widgets: [UnsafeMutablePointer<GtkWidget>] = []
        for index in 0..<count {
            let widget = try XCTUnwrap(makers[index % makers.count]())
            gtk_box_append(box, widget)
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
        for widget in widgets { gtk_box_remove(box, widget) }
        widgets = []
        await MainLoop.run { completions == count }
        await MainLoop.run { pending.allSatisfy(\.isGone) }
        return completions
    }

    private func descriptorCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }
}
