import CGTK
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// Several slots of one widget, each with its own load.
@MainActor
final class WidgetSlotsTests: XCTestCase {
    /// An entry with an icon at each end.
    @MainActor
    private final class Icons {
        let entry: UnsafeMutablePointer<GtkWidget>
        let window: TestWindow
        let frames: PaintedFrames
        let first: ImageDisplay
        let second: ImageDisplay

        init() async throws {
            try TestWindow.requireDisplay()
            entry = try XCTUnwrap(gtk_entry_new())
            window = try TestWindow(width: 200, height: 50, child: entry)
            first = ImageDisplay(entry, slot: .property("primary-icon-paintable"))
            second = first[.property("secondary-icon-paintable")]
            await window.present()
            frames = try PaintedFrames(entry)
        }

        func destroy() {
            frames.stop()
            window.destroy()
        }
    }

    func testImagesOfTwoSlotsThatOnlyDiskHasBothAppear() async throws {
        let icons = try await Icons()
        defer { icons.destroy() }
        let loads = ViewPipeline()
        let (red, blue) = (try loads.url(.red), try loads.url(.blue))
        try await loads.preload(red, blue)
        loads.pipeline.cache.removeAllFromMemory()
        let done = [Completions(), Completions()]
        icons.first.setImage(with: red, pipeline: loads.pipeline, completion: done[0].handler)
        icons.second.setImage(with: blue, pipeline: loads.pipeline, completion: done[1].handler)
        for done in done { await done.wait() }
        XCTAssertEqual(done.map(\.outcome), ["success", "success"])
        for done in done { XCTAssertEqual(try done.results[0].get().source, .disk) }
        let pixels = await icons.frames.next()
        XCTAssertEqual(pixels?.colors.isSuperset(of: [.red, .blue]), true)
    }

    func testCancellingOneSlotLeavesOtherAlone() async throws {
        let icons = try await Icons()
        defer { icons.destroy() }
        let loads = ViewPipeline()
        let done = [Completions(), Completions()]
        icons.first.setImage(with: loads.url(), pipeline: loads.pipeline, completion: done[0].handler)
        icons.second.setImage(with: loads.url(), pipeline: loads.pipeline, completion: done[1].handler)
        let transfers = [await loads.transport.nextTransfer(), await loads.transport.nextTransfer()]
        icons.first.cancel()
        XCTAssertEqual(done[0].outcome, "cancelled")
        let kept = transfers.first { $0.request.url.absoluteString == icons.second.task?.request.description }
        try XCTUnwrap(kept).answer(.blue)
        await done[1].wait()
        XCTAssertEqual(done[1].outcome, "success")
        XCTAssertEqual(icons.second.content, .image)
        XCTAssertEqual(icons.first.content, .nothing)
    }

    func testCancellingAllReachesEverySlot() async throws {
        let icons = try await Icons()
        defer { icons.destroy() }
        let loads = ViewPipeline()
        let done = [Completions(), Completions()]
        icons.first.setImage(with: loads.url(), pipeline: loads.pipeline, completion: done[0].handler)
        icons.second.setImage(with: loads.url(), pipeline: loads.pipeline, completion: done[1].handler)
        icons.first.cancelAll()
        XCTAssertEqual(done.map(\.outcome), ["cancelled", "cancelled"])
    }

    func testWidgetMayBeDestroyedWhileAllItsSlotsAreCancelled() async throws {
        let icons = try await Icons()
        let loads = ViewPipeline()
        let done = [Completions(), Completions()]
        var isDestroyed = false
        for done in done {
            done.onCall = {
                guard !isDestroyed else { return }
                isDestroyed = true
                icons.destroy()
            }
        }
        icons.first.setImage(with: loads.url(), pipeline: loads.pipeline, completion: done[0].handler)
        icons.second.setImage(with: loads.url(), pipeline: loads.pipeline, completion: done[1].handler)
        icons.first.cancelAll()
        for done in done { await done.wait() }
        await MainLoop.settle()
        XCTAssertEqual(done.map(\.count), [1, 1])
    }

    func testRemovedSlotShowsNothingAndCanBeUsedAgain() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        picture.display.show(try TestColor.red.image())
        picture.display.remove()
        XCTAssertNil(gtk_picture_get_paintable(OpaquePointer(picture.widget)))
        XCTAssertEqual(picture.display.content, .nothing)
        picture.display.remove()
        let done = Completions()
        picture.display.setImage(with: try loads.url(.blue), pipeline: loads.pipeline, completion: done.handler)
        await done.wait()
        let color = await picture.color()
        XCTAssertEqual(color, .blue)
    }

    func testRemovedSlotLetsItsLoadGoOnIfPolicySaysSo() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let done = Completions()
        picture.display.setImage(
            with: loads.url(),
            options: [.superseded(.finish)],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        let transfer = await loads.transport.nextTransfer()
        picture.display.remove()
        XCTAssertEqual(done.count, 0)
        try transfer.answer(.blue)
        await done.wait()
        XCTAssertEqual(done.outcome, "superseded with its image")
        XCTAssertNil(gtk_picture_get_paintable(OpaquePointer(picture.widget)))
    }

    func testObjectWithoutSlotCompletesWithError() async throws {
        try TestWindow.requireDisplay()
        let label = try XCTUnwrap(gtk_label_new("a"))
        let window = try TestWindow(child: label)
        defer { window.destroy() }
        let done = Completions()
        let task = ImageDisplay(label).setImage(with: ViewPipeline().url(), completion: done.handler)
        XCTAssertNil(task)
        XCTAssertEqual(done.outcome, "unsupported")
        guard case .failure(let error) = done.results[0] else { return XCTFail("it has a slot") }
        XCTAssertEqual("\(error)", "A GtkLabel has no slot “image” for an image")
    }
}
