import CGTK
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// Nothing outlives the widget, and nothing is called that uses it.
@MainActor
final class WidgetEndTests: XCTestCase {
    func testEverythingEndsWithWidget() async throws {
        let picture = try await TestPicture()
        let loads = ViewPipeline()
        let done = Completions()
        picture.display.setImage(
            with: loads.url(),
            placeholder: try TestColor.red.image(),
            options: [.indicator(.spinner)],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        let transfer = await loads.transport.nextTransfer()
        _ = await picture.color()
        let task = WeakReference(picture.display.task)
        let state = WeakReference(WidgetState.existing(picture.display.object))
        let controller = WeakReference(state.object?.existingController(for: .image))
        let paintable = WeakReference(controller.object?.paintable)
        XCTAssertNotNil(paintable.object)
        picture.destroy()
        await done.wait()
        XCTAssertEqual(done.outcome, "superseded")
        await transfer.waitUntilCancelled()
        await MainLoop.run {
            task.object == nil && state.object == nil && controller.object == nil && paintable.object == nil
        }
        XCTAssertEqual(done.count, 1)
    }

    func testCompletionComesAfterWidgetHasEnded() async throws {
        let picture = try await TestPicture()
        let loads = ViewPipeline()
        let hasEnded = UnsafeMutablePointer<Bool>.allocate(capacity: 1)
        defer { hasEnded.deallocate() }
        hasEnded.initialize(to: false)
        g_object_weak_ref(
            UnsafeMutableRawPointer(picture.widget).assumingMemoryBound(to: GObject.self),
            { data, _ in data?.assumingMemoryBound(to: Bool.self).pointee = true },
            hasEnded
        )
        var wasCalled = false
        picture.display.setImage(with: loads.url(), pipeline: loads.pipeline) { _ in
            XCTAssertTrue(hasEnded.pointee)
            wasCalled = true
        }
        picture.destroy()
        XCTAssertFalse(wasCalled)
        await MainLoop.run { wasCalled }
    }

    func testTransitionThatWidgetDoesNotOutliveCompletesAfterIt() async throws {
        try TestWindow.requireDisplay()
        let widget = try XCTUnwrap(gtk_picture_new())
        let window = try TestWindow(child: widget)
        await window.present()
        let loads = ViewPipeline()
        let done = Completions()
        let task = ImageDisplay(widget).setImage(
            with: try loads.url(.blue),
            options: [.transition(.fade(1000))],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        await MainLoop.run { task?.state == .setting }
        // The widget ends at once, without being hidden before.
        window.destroy()
        XCTAssertEqual(done.count, 0)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
    }

    func testLoadThatGoesOnCompletesWithoutWidget() async throws {
        let picture = try await TestPicture()
        let loads = ViewPipeline()
        let done = Completions()
        picture.display.setImage(
            with: loads.url(),
            options: [.superseded(.finish), .visibility(.always)],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        let transfer = await loads.transport.nextTransfer()
        picture.destroy()
        try transfer.answer(.blue)
        await done.wait()
        XCTAssertEqual(done.outcome, "superseded with its image")
    }

    func testObjectsOfFinishedLoadsDoNotStay() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let done = Completions()
        let first = WeakReference(
            picture.display.setImage(
                with: try loads.url(.blue),
                pipeline: loads.pipeline,
                completion: done.handler
            )
        )
        await done.wait()
        XCTAssertNotNil(first.object)
        XCTAssertNil(first.object?.imageTask)
        picture.display.show(nil)
        await MainLoop.run { first.object == nil }
    }

    func testHandlersOfFinishedCallAreReleased() async throws {
        final class Token {}
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        weak var token: Token?
        var isDone = false
        do {
            let kept = Token()
            token = kept
            picture.display.setImage(
                with: try loads.url(.blue),
                pipeline: loads.pipeline,
                progress: { _ in withExtendedLifetime(kept) {} },
                completion: { _ in withExtendedLifetime(kept) { isDone = true } }
            )
        }
        await MainLoop.run { isDone }
        await MainLoop.run { token == nil }
    }

    /// A class of a binding keeps its widget, and a handler of the program keeps the class.
    func testHandlersThatKeepTheWidgetDoNotOutliveItsWindow() async throws {
        for isFailed in [false, true] {
            let picture = try await TestPicture()
            let loads = ViewPipeline()
            weak var wrapper: Wrapper?
            var results = 0
            do {
                let kept = Wrapper(ObjectReference(retaining: UnsafeMutableRawPointer(picture.widget)))
                wrapper = kept
                picture.display.setImage(
                    with: isFailed ? loads.missing() : loads.url(),
                    pipeline: loads.pipeline,
                    progress: { _ in withExtendedLifetime(kept) {} },
                    completion: { _ in withExtendedLifetime(kept) { results += 1 } }
                )
            }
            await MainLoop.run { isFailed ? results == 1 : loads.transport.startedCount == 1 }
            let state = WeakReference(WidgetState.existing(picture.display.object))
            picture.destroy()
            await MainLoop.run { wrapper == nil && state.object == nil }
            XCTAssertEqual(results, 1)
        }
    }

    /// As the handler that shows another image in the place of one that did not come.
    func testCallByAHandlerOfAWidgetThatHasLeftItsWindowEnds() async throws {
        let picture = try await TestPicture()
        let loads = ViewPipeline()
        let (first, second) = (Completions(), Completions())
        let (display, fallback) = (picture.display, loads.url())
        weak var wrapper: Wrapper?
        do {
            let kept = Wrapper(ObjectReference(retaining: UnsafeMutableRawPointer(picture.widget)))
            wrapper = kept
            display.setImage(with: loads.url(), pipeline: loads.pipeline) { result in
                first.handler(result)
                display.setImage(with: fallback, pipeline: loads.pipeline) { result in
                    withExtendedLifetime(kept) { second.handler(result) }
                }
            }
        }
        await MainLoop.run { loads.transport.startedCount == 1 }
        let state = WeakReference(WidgetState.existing(display.object))
        picture.destroy()
        await MainLoop.run(within: .seconds(5)) { wrapper == nil && state.object == nil }
        XCTAssertEqual([first.outcome, second.outcome], ["superseded", "superseded"])
    }

    /// As a declarative toolkit makes them, which updates the widget once more.
    func testLaterCallsForAWidgetThatHasLeftItsWindowEnd() async throws {
        let picture = try await TestPicture()
        let loads = ViewPipeline()
        let calls = [Completions(), Completions(), Completions()]
        let (display, url) = (picture.display, loads.url())
        let state: WeakReference<WidgetState>
        do {
            let kept = Wrapper(ObjectReference(retaining: UnsafeMutableRawPointer(picture.widget)))
            for (index, call) in calls.enumerated() {
                display.setImage(with: url, pipeline: loads.pipeline) { result in
                    withExtendedLifetime(kept) { call.handler(result) }
                }
                if index == 0 { picture.destroy() }
                await MainLoop.settle()
            }
            state = WeakReference(WidgetState.existing(display.object))
        }
        XCTAssertEqual(calls.map(\.outcome), ["superseded", "superseded", "superseded"])
        await MainLoop.run(within: .seconds(5)) { state.object == nil }
    }

    /// As are the closures in its options: those of `setting(.custom)`, transitions, indicators and players.
    func testClosuresInOptionsThatKeepTheWidgetDoNotOutliveItsWindow() async throws {
        func playback(_ kept: Wrapper) -> AnimationPlayback {
            var playback = AnimationPlayback()
            playback.onEvent = { _ in withExtendedLifetime(kept) {} }
            return playback
        }
        let kinds: [(name: String, option: @MainActor (Wrapper) -> ImageOption)] = [
            ("setting", { kept in .setting(.custom { _ in withExtendedLifetime(kept) {} }) }),
            ("transition", { kept in .transition(.custom(.zero) { _ in withExtendedLifetime(kept) {} }) }),
            ("indicator", { kept in .indicator(.custom { _ in withExtendedLifetime(kept) {} }) }),
            ("event", { kept in .playback(playback(kept)) }),
        ]
        for kind in kinds {
            for (visibility, isAnswered) in [
                (LoadVisibility.whileMapped, true), (.whileMapped, false), (.always, false),
            ] {
                let picture = try await TestPicture()
                let loads = ViewPipeline()
                let done = Completions()
                weak var wrapper: Wrapper?
                let url = loads.url()
                if isAnswered {
                    let body = try TestColor.animation(milliseconds: 20)
                    loads.transport.setRoute(url, ScriptedTransport.Route(body: body))
                }
                do {
                    let kept = Wrapper(ObjectReference(retaining: UnsafeMutableRawPointer(picture.widget)))
                    wrapper = kept
                    picture.display.setImage(
                        with: url,
                        options: [kind.option(kept), .visibility(visibility)],
                        pipeline: loads.pipeline,
                        completion: done.handler
                    )
                }
                await MainLoop.run { isAnswered ? done.count == 1 : loads.transport.startedCount == 1 }
                let state = WeakReference(WidgetState.existing(picture.display.object))
                picture.destroy()
                if visibility == .always { try loads.transport.transfers[0].answer(.blue) }
                await MainLoop.run(within: .seconds(5)) { wrapper == nil && state.object == nil }
                XCTAssertNil(wrapper, "\(kind.name), \(visibility), answered: \(isAnswered)")
                XCTAssertEqual(done.count, 1)
            }
        }
    }

    /// Its setting was let go of with its window.
    func testWidgetThatComesBackIsSetAnewByTheProgram() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let url = try loads.url(.blue)
        let settings = Counter()
        let option = ImageOption.setting(.custom { _ in settings.count += 1 })
        let first = Completions()
        picture.display.setImage(with: url, options: [option], pipeline: loads.pipeline, completion: first.handler)
        await first.wait()
        let kept = ObjectReference(retaining: UnsafeMutableRawPointer(picture.widget))
        gtk_window_set_child(picture.window.window, nil)
        await MainLoop.settle()
        gtk_window_set_child(picture.window.window, picture.widget)
        await MainLoop.settle()
        XCTAssertEqual(settings.count, 1)
        let second = Completions()
        picture.display.setImage(with: url, options: [option], pipeline: loads.pipeline, completion: second.handler)
        await second.wait()
        XCTAssertEqual([first.outcome, second.outcome], ["success", "success"])
        XCTAssertEqual(settings.count, 2)
        XCTAssertEqual(loads.transport.startedCount(url), 1)
        withExtendedLifetime(kept) {}
    }

    func testWidgetThatComesBackLoadsItsImageWithoutAWord() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let done = Completions()
        let url = loads.url()
        picture.display.setImage(with: url, pipeline: loads.pipeline, completion: done.handler)
        let transfer = await loads.transport.nextTransfer()
        let kept = ObjectReference(retaining: UnsafeMutableRawPointer(picture.widget))
        gtk_window_set_child(picture.window.window, nil)
        await done.wait()
        XCTAssertEqual(done.outcome, "superseded")
        await transfer.waitUntilCancelled()
        loads.transport.setRoute(url, ScriptedTransport.Route(body: try TestColor.blue.png()))
        gtk_window_set_child(picture.window.window, picture.widget)
        await MainLoop.run { picture.display.content == .image }
        XCTAssertEqual(done.count, 1)
        withExtendedLifetime(kept) {}
    }

    /// In the same turn, it has not gone.
    func testWidgetThatMovesToAnotherPlaceKeepsItsHandlers() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let done = Completions()
        let url = loads.url()
        picture.display.setImage(with: url, pipeline: loads.pipeline, completion: done.handler)
        let transfer = await loads.transport.nextTransfer()
        let kept = ObjectReference(retaining: UnsafeMutableRawPointer(picture.widget))
        gtk_window_set_child(picture.window.window, nil)
        gtk_window_set_child(picture.window.window, picture.widget)
        await transfer.waitUntilCancelled()
        loads.transport.setRoute(url, ScriptedTransport.Route(body: try TestColor.blue.png()))
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
        withExtendedLifetime(kept) {}
    }

    func testWidgetsComeAndGoInTheMiddleOfLoads() async throws {
        let loads = ViewPipeline()
        let urls = try (0..<8).map { try $0 % 3 == 0 ? loads.missing() : $0 % 3 == 1 ? loads.url() : loads.url(.blue) }
        try TestWindow.requireDisplay()
        let calls = (0..<200).map { _ in Completions() }
        let window = try TestWindow()
        defer { window.destroy() }
        await window.present()
        let states = WeakStates()
        for (index, done) in calls.enumerated() {
            let widget = try XCTUnwrap(gtk_picture_new())
            gtk_window_set_child(window.window, widget)
            let display = ImageDisplay(widget)
            display.setImage(
                with: urls[index % urls.count],
                options: [.visibility(.always), .transition(.fade(.milliseconds(5))), .indicator(.spinner)],
                pipeline: loads.pipeline,
                completion: done.handler
            )
            states.add(WidgetState.existing(display.object))
            if index % 5 == 0 { await MainLoop.turn() }
        }
        gtk_window_set_child(window.window, nil)
        await MainLoop.run { calls.allSatisfy { $0.count > 0 } && states.isEmpty }
        XCTAssertEqual(Set(calls.map(\.count)), [1])
    }
}

/// A class of a binding, which keeps its widget.
private final class Wrapper: Sendable {
    let widget: ObjectReference

    init(_ widget: ObjectReference) {
        self.widget = widget
    }
}

@MainActor
private final class Counter {
    var count = 0
}

/// The states that exist of those that were added.
@MainActor
private final class WeakStates {
    private var states: [WeakReference<WidgetState>] = []

    var isEmpty: Bool { states.allSatisfy { $0.object == nil } }

    func add(_ state: WidgetState?) { states.append(WeakReference(state)) }

    func testLoadCompletesWhereADestroyedWindowIsStillReferredTo() async throws {
        let picture = try await TestPicture()
        let loads = ViewPipeline()
        let window = ObjectReference(retaining: UnsafeMutableRawPointer(picture.window.window))
        let done = Completions()
        picture.display.setImage(with: loads.url(), pipeline: loads.pipeline, completion: done.handler)
        let transfer = await loads.transport.nextTransfer()
        picture.destroy()
        await done.wait()
        XCTAssertEqual(done.outcome, "superseded")
        await transfer.waitUntilCancelled()
        withExtendedLifetime(window) {}
    }

    func testHiddenWindowKeepsItsLoads() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let done = Completions()
        picture.display.setImage(with: try loads.url(.blue), pipeline: loads.pipeline, completion: done.handler)
        gtk_widget_set_visible(picture.window.widget, 0)
        for _ in 0..<5 { await MainLoop.settle() }
        XCTAssertEqual(done.count, 0)
        gtk_widget_set_visible(picture.window.widget, 1)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
    }
}
