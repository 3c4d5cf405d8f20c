import CGTK
import Halcyon
import HalcyonGTK
import HalcyonTesting
import XCTest

@MainActor
final class RemoteImageLoadingTests: XCTestCase {
    private let pipeline = ViewPipeline()

    override func setUp() async throws { try TestWindow.requireDisplay() }

    /// The placeholder is made once and follows the progress, which the program gets, too.
    func testProgress() async throws {
        let url = pipeline.url()
        let log = Log()
        var configuration = RemoteImage.Configuration()
        configuration.placeholder = .widget {
            log.made += 1
            return UnsafeMutableRawPointer(gtk_progress_bar_new())
        } progress: { bar, progress in
            gtk_progress_bar_set_fraction(OpaquePointer(bar), progress.fraction ?? 0)
        }
        configuration.onProgress = { log.fractions.append($0.fraction) }
        let test = try await TestRemoteImage(ImageRequest(url), configuration, on: pipeline)
        let body = try TestColor.red.png()
        let transfer = try await pipeline.nextTransfer()
        transfer.respond(headers: [.contentLength: "\(body.count)"])
        transfer.send(body.prefix(body.count / 2))
        await MainLoop.run { !log.fractions.isEmpty }
        let bar = try XCTUnwrap(test.descendant(gtk_progress_bar_get_type()))
        XCTAssertEqual(gtk_progress_bar_get_fraction(OpaquePointer(bar)), 0.5, accuracy: 0.02)
        guard case .loading(let progress) = test.image.state else { return XCTFail("\(test.image.state)") }
        XCTAssertEqual(progress.receivedBytes, body.count / 2)
        _ = try await test.pixels("progress")
        transfer.send(body.suffix(from: body.count / 2))
        transfer.finish()
        await test.waitUntilLoaded()
        test.image.request = ImageRequest(pipeline.url())
        XCTAssertEqual(gtk_widget_get_visible(bar), 1)
        XCTAssertEqual(gtk_progress_bar_get_fraction(OpaquePointer(bar)), 0)
        XCTAssertEqual(log.made, 1)
        test.window.destroy()
    }

    /// A call of the program for the same has a handler of its own, besides that of the widget.
    func testProgressGoesOnAfterAnEqualCall() async throws {
        let url = pipeline.url()
        let log = Log()
        var configuration = RemoteImage.Configuration()
        configuration.onProgress = { log.fractions.append($0.fraction) }
        let test = try await TestRemoteImage(ImageRequest(url), configuration, on: pipeline)
        defer { test.window.destroy() }
        let body = try TestColor.red.png()
        let transfer = try await pipeline.nextTransfer()
        let (other, done) = (Log(), Completions())
        test.image.hc.setImage(
            with: url,
            pipeline: pipeline.pipeline,
            progress: { other.fractions.append($0.fraction) },
            completion: done.handler
        )
        transfer.respond(headers: [.contentLength: "\(body.count)"])
        transfer.send(body.prefix(body.count / 2))
        await MainLoop.run { !other.fractions.isEmpty }
        XCTAssertEqual(log.fractions.last, other.fractions.last)
        guard case .loading(let progress) = test.image.state else { return XCTFail("\(test.image.state)") }
        XCTAssertEqual(progress.receivedBytes, body.count / 2)
        transfer.send(body.suffix(from: body.count / 2))
        transfer.finish()
        await test.waitUntilLoaded()
        XCTAssertEqual(done.outcome, "success")
        XCTAssertEqual(pipeline.transport.startedCount(url), 1)
    }

    /// A preview takes the place of the placeholder, and the image that of the preview.
    func testPreview() async throws {
        var configuration = RemoteImage.Configuration()
        let box = try coloredBox(80, 80, .green)
        configuration.placeholder = .widget { box }
        let preview = try pipeline.url(.red)
        let request = ImageRequest(pipeline.url(), options: [.previews([.url(preview)])])
        let test = try await TestRemoteImage(request, configuration, on: pipeline, size: PixelSize(80, 80))
        defer { test.window.destroy() }
        await MainLoop.run { test.image.hc.content == .preview }
        XCTAssertTrue(test.image.state.isLoading)
        let early = try await test.pixels()[40, 40]
        XCTAssertEqual(early, .red)
        var transfer: ScriptedTransfer?
        await MainLoop.run {
            transfer = self.pipeline.transport.transfers.first { $0.request.url != preview }
            return transfer != nil
        }
        try transfer?.answer(.blue)
        await test.waitUntilLoaded()
        let late = try await test.pixels()[40, 40]
        XCTAssertEqual(late, .blue)
    }

    /// An image in memory is there when the widget is made, without a placeholder.
    func testImageInMemoryIsShownAtOnce() async throws {
        try TestWindow.requireDisplay()
        let url = try pipeline.url(.red)
        _ = try await pipeline.pipeline.response(for: url)
        let options: [ImageOption] = [.visibility(.always), .sizing(.image)]
        let image = RemoteImage(url, options: options, pipeline: pipeline.pipeline)
        guard case .loaded(let response) = image.state else { return XCTFail("\(image.state)") }
        XCTAssertEqual(response.source, .memory)
        XCTAssertEqual(image.hc.content, .image)
    }

    /// An equal request changes nothing; another source, other options and another pipeline begin anew.
    func testIdentity() async throws {
        let (first, second) = (try pipeline.url(.red), pipeline.url())
        let test = try await TestRemoteImage(ImageRequest(first), on: pipeline)
        await test.waitUntilLoaded()
        test.image.request = ImageRequest(first)
        test.image.source = .url(first)
        test.image.pipeline = pipeline.pipeline
        test.image.configuration.placeholder = .spinner
        XCTAssertEqual(test.image.hc.content, .image)

        test.image.source = .url(second)
        XCTAssertTrue(test.image.state.isLoading)
        XCTAssertEqual(test.image.hc.content, .nothing)
        XCTAssertEqual(gtk_widget_get_visible(test.descendant(gtk_spinner_get_type())), 1)
        try await pipeline.nextTransfer().answer(.blue)
        await test.waitUntilLoaded()

        test.image.options = [.processor(.blackAndWhite)]
        XCTAssertTrue(test.image.state.isLoading)
        // Of the original that is kept.
        await test.waitUntilLoaded()
        XCTAssertEqual(pipeline.transport.startedCount(second), 1)
        XCTAssertEqual(test.image.request, ImageRequest(second, options: [.processor(.blackAndWhite)]))

        let other = ViewPipeline()
        test.image.pipeline = other.pipeline
        XCTAssertTrue(test.image.state.isLoading)
        try await other.nextTransfer().answer(.green)
        await test.waitUntilLoaded()

        test.image.request = nil
        guard case .empty = test.image.state else { return XCTFail("\(test.image.state)") }
        XCTAssertEqual(test.image.hc.content, .nothing)
        test.window.destroy()
    }

    /// A transition of a load that is not the widget's own takes the placeholder away as well.
    func testPlaceholderIsGoneAfterTheTransitionOfAnotherLoad() async throws {
        var configuration = RemoteImage.Configuration()
        let box = try coloredBox(80, 80, .green)
        configuration.placeholder = .widget { box }
        let test = try await TestRemoteImage(nil, configuration, on: pipeline, size: PixelSize(80, 80))
        defer { test.window.destroy() }
        let done = Completions()
        test.image.hc.setImage(
            with: try pipeline.url(.blue),
            options: [.transition(.fade(.milliseconds(20)))],
            pipeline: pipeline.pipeline,
            completion: done.handler
        )
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
        await MainLoop.run { gtk_widget_get_visible(box.widget) == 0 }
        XCTAssertEqual(gtk_widget_get_opacity(box.widget), 1)
    }

    /// The state is that of the image that is shown, also where the program has shown it during a transition.
    func testStateFollowsTheImageOfTheProgram() async throws {
        let (first, second) = (try pipeline.url(.red), try pipeline.url(.blue, 40, 40))
        let options: [ImageOption] = [.sizing(.image)]
        _ = try await pipeline.pipeline.response(for: second, options: options)
        let request = ImageRequest(first, options: [.transition(.fade(.seconds(600))), .sizing(.image)])
        let test = try await TestRemoteImage(request, on: pipeline)
        defer { test.window.destroy() }
        await MainLoop.run { if case .loaded = test.image.state { true } else { false } }
        test.image.hc.setImage(with: second, options: options, pipeline: pipeline.pipeline)
        await MainLoop.settle()
        guard case .loaded(let response) = test.image.state else { return XCTFail("\(test.image.state)") }
        XCTAssertEqual(response.image.size, PixelSize(40, 40))
    }

    /// What the program shows stays, without a source, and where the widget comes back.
    func testImageOfTheProgramStays() async throws {
        let test = try await TestRemoteImage(nil, on: pipeline)
        defer { test.window.destroy() }
        test.image.hc.show(try TestColor.red.image())
        test.image.reload()
        XCTAssertEqual(test.image.hc.content, .image)

        test.image.configuration.restartsOnAppearance = true
        let url = pipeline.url()
        test.image.request = ImageRequest(url)
        _ = try await pipeline.nextTransfer()
        test.image.hc.show(try TestColor.green.image())
        test.setVisible(false)
        await MainLoop.turn()
        test.setVisible(true)
        await test.waitForFrame()
        await MainLoop.settle()
        XCTAssertEqual(test.image.hc.content, .image)
        XCTAssertEqual(pipeline.transport.startedCount(url), 1)
    }

    /// Its load is not that of the widget, which was cancelled.
    func testCallOfTheProgramStaysWhereTheWidgetComesBack() async throws {
        var configuration = RemoteImage.Configuration()
        configuration.restartsOnAppearance = true
        let (first, second) = (pipeline.url(), pipeline.url())
        let test = try await TestRemoteImage(
            ImageRequest(first),
            configuration,
            on: pipeline,
            size: PixelSize(100, 100)
        )
        defer { test.window.destroy() }
        _ = try await pipeline.nextTransfer()
        test.image.hc.setImage(with: second, pipeline: pipeline.pipeline)
        _ = try await pipeline.nextTransfer()
        guard case .cancelled = test.image.state else { return XCTFail("\(test.image.state)") }
        test.setVisible(false)
        await MainLoop.turn()
        test.setVisible(true)
        await MainLoop.run { self.pipeline.transport.startedCount(second) == 2 }
        XCTAssertEqual(pipeline.transport.startedCount(first), 1)
        XCTAssertEqual(test.image.hc.request, ImageRequest(second))
    }

    /// A call of the program for the same goes on with the load, of which the widget tells as of its own.
    func testStateFollowsAnEqualCallOfTheProgram() async throws {
        let log = Log()
        var configuration = RemoteImage.Configuration()
        configuration.onSuccess = { _ in log.events.append("success") }
        let url = pipeline.url()
        let test = try await TestRemoteImage(ImageRequest(url), configuration, on: pipeline)
        defer { test.window.destroy() }
        let transfer = try await pipeline.nextTransfer()
        let done = Completions()
        test.image.hc.setImage(with: url, pipeline: pipeline.pipeline, completion: done.handler)
        XCTAssertTrue(test.image.state.isLoading)
        try transfer.answer(.red)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
        await MainLoop.run { log.events == ["success"] }
        XCTAssertEqual(pipeline.transport.startedCount(url), 1)
    }

    /// The widget takes over what the program has asked its picture for, with its end.
    func testRequestForWhatTheProgramHasAskedForTakesItsResult() async throws {
        let (first, missing) = (try pipeline.url(.red), pipeline.missing())
        let test = try await TestRemoteImage(ImageRequest(first), on: pipeline)
        defer { test.window.destroy() }
        await test.waitUntilLoaded()
        let failed = Completions()
        test.image.hc.setImage(with: missing, pipeline: pipeline.pipeline, completion: failed.handler)
        await failed.wait()
        test.image.source = .url(missing)
        guard case .failed = test.image.state else { return XCTFail("\(test.image.state)") }
        XCTAssertNotNil(test.retryButton)
        XCTAssertEqual(pipeline.transport.startedCount(missing), 1)

        let (url, superseded) = (pipeline.url(), Completions())
        test.image.hc.setImage(with: url, pipeline: pipeline.pipeline, completion: superseded.handler)
        let transfer = try await pipeline.nextTransfer()
        test.image.source = .url(url)
        XCTAssertTrue(test.image.state.isLoading)
        XCTAssertEqual(superseded.outcome, "superseded")
        try transfer.answer(.blue)
        await test.waitUntilLoaded()
        XCTAssertNil(test.retryButton)
        XCTAssertEqual(pipeline.transport.startedCount(url), 1)
    }

    /// The state changes first; the callback comes a turn of the main loop later, after the transition.
    func testOrderOfCallbacks() async throws {
        let log = Log()
        var configuration = RemoteImage.Configuration()
        configuration.onSuccess = { _ in log.events.append("success") }
        configuration.onFailure = { _ in log.events.append("failure") }
        configuration = configuration.configuringContent { _ in log.events.append("content") }
        let url = pipeline.url()
        let test = try await TestRemoteImage(
            ImageRequest(url, options: [.transition(.fade(.milliseconds(300))), .sizing(.image)]),
            configuration,
            on: pipeline
        )
        let transfer = try await pipeline.nextTransfer()
        try transfer.answer(.red)
        await MainLoop.run { if case .loaded = test.image.state { true } else { false } }
        XCTAssertEqual(test.image.hc.task?.state, .setting)
        XCTAssertEqual(log.events, [])
        await MainLoop.run { log.events.count == 2 }
        XCTAssertEqual(test.image.hc.task?.state, .finished)

        // The completion of a load from memory comes within the call; the callback does not.
        log.events = []
        test.image.reload()
        guard case .loaded = test.image.state else { return XCTFail("\(test.image.state)") }
        XCTAssertEqual(log.events, [])
        await MainLoop.run { log.events.count == 2 }
        XCTAssertEqual(log.events, ["content", "success"])

        // A callback of a load that another has superseded does not come.
        log.events = []
        test.image.reload()
        test.image.request = ImageRequest(pipeline.missing())
        await MainLoop.run { !log.events.isEmpty }
        XCTAssertEqual(log.events, ["failure"])
        test.window.destroy()
    }

    /// A hidden widget cancels its load, or lowers its priority, as the options say, and loads before it is shown.
    func testLoadFollowsVisibility() async throws {
        let cancelling = try await TestRemoteImage(ImageRequest(pipeline.url()), on: pipeline)
        let first = try await pipeline.nextTransfer()
        cancelling.setVisible(false)
        await MainLoop.run { first.isCancelled }
        XCTAssertTrue(cancelling.image.state.isLoading)
        cancelling.setVisible(true)
        try await pipeline.nextTransfer().answer(.red)
        await cancelling.waitUntilLoaded()
        cancelling.window.destroy()

        let lowering = try await TestRemoteImage(
            ImageRequest(pipeline.url(), options: [.visibility(.lowPriorityWhileUnmapped)]),
            on: pipeline
        )
        _ = try await pipeline.nextTransfer()
        XCTAssertEqual(lowering.image.hc.task?.imageTask?.priority, .normal)
        lowering.setVisible(false)
        XCTAssertEqual(lowering.image.hc.task?.imageTask?.priority, .low)
        lowering.setVisible(true)
        await MainLoop.run { lowering.image.hc.task?.imageTask?.priority == .normal }
        lowering.window.destroy()

        let url = try pipeline.url(.blue)
        let early = RemoteImage(url, options: [.visibility(.always)], pipeline: pipeline.pipeline)
        await MainLoop.run { if case .loaded = early.state { true } else { false } }
    }

    /// The closures of the program end with the widget, and not with the object that made it.
    func testClosuresEndWithTheWidget() async throws {
        let box = try XCTUnwrap(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
        let window = try TestWindow(child: box)
        weak var kept: Log?
        let url = pipeline.url()
        var pointer: UnsafeMutableRawPointer?
        do {
            let log = Log()
            kept = log
            var configuration = RemoteImage.Configuration().configuring { _ in log.made += 1 }
            configuration.placeholder = .widget {
                log.made += 1
                return UnsafeMutableRawPointer(gtk_label_new("…"))
            }
            configuration.failure = .widget { _, retry in
                log.retry = retry
                return UnsafeMutableRawPointer(gtk_label_new("failed"))
            }
            configuration.onSuccess = { _ in log.events.append("success") }
            let image = RemoteImage(url, configuration: configuration, pipeline: pipeline.pipeline)
            pointer = image.widget
            gtk_box_append(
                UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self),
                image.widget.assumingMemoryBound(to: GtkWidget.self)
            )
        }
        await window.present()
        try await pipeline.nextTransfer().answer(.red)
        await MainLoop.run { kept?.events == ["success"] }
        XCTAssertEqual(kept?.made, 2)
        XCTAssertNil(RemoteImage(widget: UnsafeMutableRawPointer(box)))
        var again = try RemoteImage(widget: XCTUnwrap(pointer))
        XCTAssertEqual(again?.source, .url(url))
        again?.request = ImageRequest(pipeline.missing())
        await MainLoop.run { kept?.retry != nil }
        let retry = kept?.retry
        gtk_box_remove(
            UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self),
            try XCTUnwrap(pointer).assumingMemoryBound(to: GtkWidget.self)
        )
        window.destroy()
        XCTAssertNotNil(kept)
        again = nil
        await MainLoop.run { kept == nil }
        // The function may outlive the widget, and then has no effect.
        retry?()
    }

    /// A widget that ends in the middle of its load takes all with it.
    func testWidgetThatEndsWhileLoading() async throws {
        weak var kept: Log?
        let transfer: ScriptedTransfer
        do {
            let log = Log()
            kept = log
            var configuration = RemoteImage.Configuration()
            configuration.placeholder = .spinner
            configuration.onSuccess = { _ in log.made += 1 }
            configuration.onFailure = { _ in log.made += 1 }
            let test = try await TestRemoteImage(ImageRequest(pipeline.url()), configuration, on: pipeline)
            transfer = try await pipeline.nextTransfer()
            test.window.destroy()
        }
        await MainLoop.run { kept == nil && transfer.isCancelled }
    }

    /// A container may take the widget of an object that has ended in the same expression.
    func testWidgetOfTemporaryObject() async throws {
        try TestWindow.requireDisplay()
        let widget = RemoteImage(nil as ImageRequest?).widget
        let box = try XCTUnwrap(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
        gtk_box_append(box.cast(to: GtkBox.self), widget.widget)
        let window = try TestWindow(child: box)
        await MainLoop.settle()
        XCTAssertNotNil(RemoteImage(widget: widget))
        window.destroy()
    }

    /// The object may end on another thread; the widget then ends on that of GTK.
    func testObjectEndsOnAnotherThread() async throws {
        weak var kept: Log?
        do {
            let log = Log()
            kept = log
            var configuration = RemoteImage.Configuration()
            configuration.onSuccess = { _ in log.made += 1 }
            let owner = Owner(RemoteImage(pipeline.url(), configuration: configuration, pipeline: pipeline.pipeline))
            try await onThread { owner.image = nil }
        }
        await MainLoop.run { kept == nil }
    }

    /// Unchecked: used by one thread after the other.
    private final class Owner: @unchecked Sendable {
        nonisolated(unsafe) var image: RemoteImage?

        init(_ image: RemoteImage) { self.image = image }
    }

    /// Changes of the picture: all in their order once, and the last one for each image; a copy leaves the first as it was.
    func testConfiguring() async throws {
        let log = Log()
        let plain = RemoteImage.Configuration()
        let first = plain.configuring { _ in log.events.append("first") }
        let both = first.configuring { _ in log.events.append("second") }
            .configuringContent { _ in log.events.append("lost") }
            .configuringContent { _ in log.events.append("content") }
        let url = try pipeline.url(.red)
        let test = try await TestRemoteImage(ImageRequest(url), both, on: pipeline)
        await MainLoop.run { log.events.count == 3 }
        XCTAssertEqual(log.events, ["first", "second", "content"])
        test.image.configuration = first
        XCTAssertEqual(log.events.count, 3)
        let other = RemoteImage(nil as ImageRequest?, configuration: first)
        XCTAssertEqual(log.events, ["first", "second", "content", "first"])
        other.configuration = plain
        XCTAssertEqual(log.events.count, 4)
        test.window.destroy()
    }
}

/// What the closures of a test note.
@MainActor
final class Log {
    var made = 0
    var fractions: [Double?] = []
    var events: [String] = []
    var retry: (() -> Void)?
}
