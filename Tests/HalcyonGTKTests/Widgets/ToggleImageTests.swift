import CGTK
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// The two images of a toggle button.
@MainActor
final class ToggleImageTests: XCTestCase {
    /// A toggle button in a window.
    private func makeToggle() async throws -> ShownWidget { try await ShownWidget { gtk_toggle_button_new() } }

    private func setActive(_ toggle: ShownWidget, _ isActive: Bool) {
        gtk_toggle_button_set_active(toggle.pointer(as: GtkToggleButton.self), isActive ? 1 : 0)
    }

    func testBothImagesLoadAtOnceAndChangeWithState() async throws {
        let toggle = try await makeToggle()
        defer { toggle.destroy() }
        let loads = ViewPipeline()
        let done = [Completions(), Completions()]
        let display = ImageDisplay(toggle.widget)
        let urls = [loads.url(), loads.url()]
        display.setImage(with: urls[0], pipeline: loads.pipeline, completion: done[0].handler)
        display[.checkedImage].setImage(with: urls[1], pipeline: loads.pipeline, completion: done[1].handler)
        for _ in urls {
            let transfer = await loads.transport.nextTransfer()
            try transfer.answer(transfer.request.url == urls[0] ? .red : .blue)
        }
        for done in done { await done.wait() }
        XCTAssertEqual(done.map(\.outcome), ["success", "success"])
        await toggle.wait(for: .red)
        setActive(toggle, true)
        await toggle.wait(for: .blue)
        setActive(toggle, false)
        await toggle.wait(for: .red)
    }

    func testImageIsShownWhileCheckedOneIsMissing() async throws {
        let toggle = try await makeToggle()
        defer { toggle.destroy() }
        let loads = ViewPipeline()
        let display = ImageDisplay(toggle.widget)
        display.show(try TestColor.red.image())
        setActive(toggle, true)
        await toggle.wait(for: .red)
        display[.checkedImage].setImage(with: loads.url(), pipeline: loads.pipeline)
        let transfer = await loads.transport.nextTransfer()
        await toggle.wait(for: .red)
        try transfer.answer(.blue)
        await toggle.wait(for: .blue)
        // An image that goes again uncovers the other one.
        display[.checkedImage].show(nil)
        await toggle.wait(for: .red)
    }

    func testSlotsAreCancelledAndRemovedEachByItself() async throws {
        let toggle = try await makeToggle()
        defer { toggle.destroy() }
        let loads = ViewPipeline()
        let done = [Completions(), Completions()]
        let display = ImageDisplay(toggle.widget)
        display.setImage(with: loads.url(), pipeline: loads.pipeline, completion: done[0].handler)
        let first = await loads.transport.nextTransfer()
        display[.checkedImage].setImage(with: loads.url(), pipeline: loads.pipeline, completion: done[1].handler)
        let second = await loads.transport.nextTransfer()
        display.cancel()
        XCTAssertEqual(done[0].outcome, "cancelled")
        await first.waitUntilCancelled()
        try second.answer(.blue)
        await done[1].wait()
        setActive(toggle, true)
        await toggle.wait(for: .blue)
        display.show(try TestColor.red.image())
        display[.checkedImage].remove()
        await toggle.wait(for: .red)
        XCTAssertNotNil(gtk_button_get_child(toggle.pointer(as: GtkButton.self)))
        display.remove()
        XCTAssertNil(gtk_button_get_child(toggle.pointer(as: GtkButton.self)))
        // Nothing follows its state any more.
        setActive(toggle, false)
        display[.checkedImage].show(try TestColor.green.image())
        setActive(toggle, true)
        await toggle.wait(for: .green)
    }

    func testChildOfProgramStaysWhenStateChanges() async throws {
        let toggle = try await makeToggle()
        defer { toggle.destroy() }
        let display = ImageDisplay(toggle.widget)
        display.show(try TestColor.red.image())
        display[.checkedImage].show(try TestColor.blue.image())
        gtk_button_set_label(toggle.pointer(as: GtkButton.self), "label")
        setActive(toggle, true)
        display.remove()
        display[.checkedImage].remove()
        XCTAssertNotNil(gtk_button_get_label(toggle.pointer(as: GtkButton.self)))
    }

    func testCheckedImageOfPlainButtonIsUnsupported() async throws {
        let button = try await ShownWidget { gtk_button_new() }
        defer { button.destroy() }
        let done = Completions()
        ImageDisplay(button.widget, slot: .checkedImage).setImage(
            with: ViewPipeline().url(),
            completion: done.handler
        )
        XCTAssertEqual(done.outcome, "unsupported")
    }

    func testToggleEndsWhileBothImagesLoad() async throws {
        let toggle = try await makeToggle()
        let loads = ViewPipeline()
        let done = [Completions(), Completions()]
        let display = ImageDisplay(toggle.widget)
        let options: [ImageOption] = [.indicator(.spinner)]
        display.setImage(with: loads.url(), options: options, pipeline: loads.pipeline, completion: done[0].handler)
        display[.checkedImage].setImage(
            with: loads.url(),
            placeholder: try TestColor.green.image(),
            options: options,
            pipeline: loads.pipeline,
            completion: done[1].handler
        )
        setActive(toggle, true)
        await toggle.wait(for: .green)
        weak var child: AnyObject?
        do {
            let state = WidgetState.existing(UnsafeMutableRawPointer(toggle.widget))
            let installation = state?.existingController(for: .checkedImage)?.installation
            child = (installation?.connection as? ToggleConnection)?.child
        }
        XCTAssertNotNil(child)
        toggle.destroy()
        for done in done { await done.wait() }
        XCTAssertEqual(done.map(\.outcome), ["superseded", "superseded"])
        await MainLoop.run { child == nil }
    }
}
