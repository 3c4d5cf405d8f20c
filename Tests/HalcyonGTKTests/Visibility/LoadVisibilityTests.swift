import CGTK
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// When a load begins, and what becomes of it when its widget is hidden.
@MainActor
final class LoadVisibilityTests: XCTestCase {
    private let loads = ViewPipeline()

    private func begin(_ place: TestPlace, _ visibility: LoadVisibility, _ done: Completions) -> DisplayTask? {
        place.display.setImage(
            with: loads.url(),
            options: [.visibility(visibility)],
            pipeline: loads.pipeline,
            completion: done.handler
        )
    }

    private func waitForTransfer(_ count: Int) async -> ScriptedTransfer {
        await MainLoop.run { self.loads.transport.startedCount == count }
        return loads.transport.transfers[count - 1]
    }

    func testLoadBeginsWhenTheWidgetIsShown() async throws {
        for visibility in [LoadVisibility.whileMapped, .lowPriorityWhileUnmapped, .onceMapped] {
            let place = try await TestPlace(isVisible: false)
            let done = Completions()
            let before = loads.transport.startedCount
            let task = begin(place, visibility, done)
            await MainLoop.settle()
            XCTAssertEqual(task?.state, .waiting)
            XCTAssertEqual(loads.transport.startedCount, before)
            place.setVisible(true)
            try await waitForTransfer(before + 1).answer(.blue)
            await done.wait()
            XCTAssertEqual(done.outcome, "success")
            place.destroy()
        }
    }

    func testLoadThatIsAlwaysAllowedBeginsAtOnce() async throws {
        let place = try await TestPlace(isVisible: false)
        defer { place.destroy() }
        let done = Completions()
        _ = begin(place, .always, done)
        try await waitForTransfer(1).answer(.blue)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
        XCTAssertEqual(place.display.content, .image)
    }

    func testHidingCancelsAndShowingBeginsAgain() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        let done = Completions()
        let task = begin(place, .whileMapped, done)
        let first = await waitForTransfer(1)
        place.setVisible(false)
        await MainLoop.run { first.isCancelled }
        XCTAssertEqual(task?.state, .waiting)
        await MainLoop.settle()
        XCTAssertEqual(done.count, 0)
        place.setVisible(true)
        try await waitForTransfer(2).answer(.blue)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
        XCTAssertTrue(task === place.display.task)
    }

    func testHidingLowersThePriority() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        let done = Completions()
        _ = begin(place, .lowPriorityWhileUnmapped, done)
        let transfer = await waitForTransfer(1)
        place.setVisible(false)
        await MainLoop.run { transfer.priority == .low }
        place.setVisible(true)
        await MainLoop.run { transfer.priority == .normal }
        XCTAssertFalse(transfer.isCancelled)
        place.setVisible(false)
        try transfer.answer(.blue)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
    }

    func testLoadThatBeganGoesOnWhileHidden() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        let done = Completions()
        _ = begin(place, .onceMapped, done)
        let transfer = await waitForTransfer(1)
        place.setVisible(false)
        await MainLoop.settle()
        XCTAssertFalse(transfer.isCancelled)
        XCTAssertEqual(transfer.priority, .normal)
        try transfer.answer(.blue)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
    }

    /// The window's end only takes its widgets out of it.
    func testWidgetThatIsKeptAfterItsWindowCancels() async throws {
        for (visibility, isCancelled) in [
            (LoadVisibility.whileMapped, true), (.lowPriorityWhileUnmapped, true), (.onceMapped, false),
        ] {
            let place = try await TestPlace()
            let done = Completions()
            g_object_ref(UnsafeMutableRawPointer(place.widget))
            let before = loads.transport.startedCount
            let task = begin(place, visibility, done)
            let transfer = await waitForTransfer(before + 1)
            place.destroy()
            if isCancelled {
                await MainLoop.run { transfer.isCancelled }
                XCTAssertEqual(task?.state, .waiting)
                // Its handlers may be what keeps it.
                await done.wait()
            } else {
                await MainLoop.settle()
                XCTAssertFalse(transfer.isCancelled)
                XCTAssertEqual(done.count, 0)
            }
            g_object_unref(UnsafeMutableRawPointer(place.widget))
            await done.wait()
            XCTAssertEqual(done.outcome, "superseded")
            await MainLoop.run { transfer.isCancelled }
        }
    }

    /// A widget on a page that is not shown is never unmapped.
    func testHiddenWidgetThatLeavesItsWindowCancels() async throws {
        let place = try await TestPlace()
        g_object_ref(UnsafeMutableRawPointer(place.widget))
        let done = Completions()
        _ = begin(place, .lowPriorityWhileUnmapped, done)
        let transfer = await waitForTransfer(1)
        place.setVisible(false)
        await MainLoop.run { transfer.priority == .low }
        gtk_widget_unparent(place.widget)
        await MainLoop.run { transfer.isCancelled }
        g_object_unref(UnsafeMutableRawPointer(place.widget))
        place.destroy()
    }

    func testHiddenWidgetShowsImageInMemoryOfKnownSize() async throws {
        let url = try loads.url(.blue)
        try await loads.preload(url)
        let hidden = try await TestPlace(isVisible: false)
        hidden.display.setImage(with: url, pipeline: loads.pipeline)
        XCTAssertEqual(hidden.display.content, .nothing)
        hidden.display.setImage(with: url, options: .ofTestPicture, pipeline: loads.pipeline)
        XCTAssertEqual(hidden.display.content, .image)
        hidden.destroy()
        // As on the page of a stack that is not shown.
        let unmapped = try await TestPlace()
        gtk_widget_set_child_visible(unmapped.widget, 0)
        XCTAssertEqual(gtk_widget_get_mapped(unmapped.widget), 0)
        unmapped.display.setImage(with: url, pipeline: loads.pipeline)
        XCTAssertEqual(unmapped.display.content, .image)
        unmapped.destroy()
    }

    func testFailedLoadDoesNotBeginAgain() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        let done = Completions()
        let url = loads.missing()
        place.display.setImage(with: url, pipeline: loads.pipeline, completion: done.handler)
        await done.wait()
        XCTAssertEqual(done.outcome, "failure")
        for _ in 0..<3 {
            place.setVisible(false)
            await MainLoop.settle()
            place.setVisible(true)
            await place.resize(100, 100)
            await MainLoop.settle()
        }
        XCTAssertEqual(loads.transport.startedCount(url), 1)
        XCTAssertEqual(done.count, 1)
    }

    func testCompletionMayEndTheWidgetInTheLayoutPhase() async throws {
        let url = try loads.url(.blue)
        try await loads.preload(url)
        let place = try await TestPlace(isVisible: false)
        let done = Completions()
        done.onCall = { place.destroy() }
        place.display.setImage(with: url, pipeline: loads.pipeline, completion: done.handler)
        place.setVisible(true)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
        await MainLoop.settle()
    }
}
