import CGTK
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

@MainActor
final class RemoteImageFailureTests: XCTestCase {
    private let pipeline = ViewPipeline()

    override func setUp() async throws { try TestWindow.requireDisplay() }

    /// After a failure a button loads the image once more. It alone takes the focus, and gets it back.
    func testRetryByKeyboardAndClick() async throws {
        let url = pipeline.missing()
        var configuration = RemoteImage.Configuration()
        configuration.failure = .retry(title: "Noch einmal")
        let test = try await TestRemoteImage(ImageRequest(url), configuration, on: pipeline)
        await test.waitUntilFailed()
        XCTAssertEqual(pipeline.transport.startedCount(url), 1)
        _ = try await test.pixels("failure")

        var button = try XCTUnwrap(test.retryButton)
        XCTAssertEqual(gtk_button_get_label(asButton(button)).map { String(cString: $0) }, "Noch einmal")
        XCTAssertNotEqual(gtk_widget_child_focus(test.widget, GTK_DIR_TAB_FORWARD), 0)
        XCTAssertEqual(gtk_window_get_focus(test.window.window), button)
        gtk_widget_activate(button)
        await MainLoop.run { self.pipeline.transport.startedCount(url) == 2 }
        await test.waitUntilFailed()
        button = try XCTUnwrap(test.retryButton)
        XCTAssertEqual(gtk_window_get_focus(test.window.window), button)

        pipeline.transport.setRoute(url, ScriptedTransport.Route(body: try TestColor.green.png()))
        click(button)
        await test.waitUntilLoaded()
        XCTAssertNil(test.retryButton)
        XCTAssertEqual(gtk_widget_child_focus(test.widget, GTK_DIR_TAB_FORWARD), 0)
        test.window.destroy()
    }

    /// The program's own child gets the error and a function to retry, and gives the widget its size.
    func testFailureChildOfTheProgram() async throws {
        let url = pipeline.missing()
        let log = Log()
        var configuration = RemoteImage.Configuration()
        configuration.placeholder = .spinner
        configuration.failure = .widget { error, retry in
            log.events.append(error is ImageError ? "image error" : "\(error)")
            log.retry = retry
            let label = gtk_label_new("failed")
            gtk_widget_set_size_request(label, 90, 70)
            return UnsafeMutableRawPointer(label.unsafelyUnwrapped)
        }
        let test = try await TestRemoteImage(
            ImageRequest(url, options: [.failureImage(try TestColor.red.image())]),
            configuration,
            on: pipeline
        )
        await test.waitUntilFailed()
        XCTAssertEqual(log.events, ["image error"])
        XCTAssertEqual(test.size, PixelSize(90, 70))
        XCTAssertEqual(gtk_widget_get_visible(test.descendant(gtk_spinner_get_type())), 0)
        XCTAssertEqual(test.image.hc.content, .nothing)

        pipeline.transport.setRoute(url, ScriptedTransport.Route(body: try TestColor.green.png(150, 100)))
        log.retry?()
        await test.waitUntilLoaded()
        XCTAssertEqual(test.image.image?.size, PixelSize(150, 100))
        // Once the image is there, the function has no effect until it is asked for again.
        test.window.destroy()
        log.retry?()
    }

    /// The closure that makes the failure child may end the widget, and one that is told of the failure may load anew.
    func testClosuresMayEndTheWidgetAndLoadAnew() async throws {
        let log = Log()
        var configuration = RemoteImage.Configuration()
        configuration.failure = .widget { _, retry in
            log.retry = retry
            log.retry?()
            return UnsafeMutableRawPointer(gtk_label_new("failed"))
        }
        let url = pipeline.missing()
        let reloading = try await TestRemoteImage(ImageRequest(url), configuration, on: pipeline)
        await MainLoop.run { self.pipeline.transport.startedCount(url) > 3 }
        XCTAssertNil(reloading.descendant(gtk_label_get_type()))
        pipeline.transport.setRoute(url, ScriptedTransport.Route(body: try TestColor.green.png()))
        await reloading.waitUntilLoaded()
        reloading.window.destroy()

        weak var kept: Log?
        do {
            let window = try TestWindow()
            let inner = Log()
            kept = inner
            inner.retry = { window.destroy() }
            var configuration = RemoteImage.Configuration()
            configuration.failure = .widget { _, _ in
                inner.made += 1
                inner.retry?()
                inner.retry = nil
                return UnsafeMutableRawPointer(gtk_label_new("failed"))
            }
            let image = RemoteImage(pipeline.missing(), configuration: configuration, pipeline: pipeline.pipeline)
            gtk_window_set_child(window.window, image.widget.assumingMemoryBound(to: GtkWidget.self))
            gtk_window_present(window.window)
        }
        await MainLoop.run { kept == nil }
    }

    /// By the handle of its load, or by a call for the same once the network is back.
    func testStateFollowsARetryOfTheProgram() async throws {
        for isRetry in [true, false] {
            let log = Log()
            var configuration = RemoteImage.Configuration()
            configuration.placeholder = .spinner
            configuration.onFailure = { _ in log.events.append("failure") }
            configuration.onSuccess = { _ in log.events.append("success") }
            let url = pipeline.url()
            pipeline.transport.setRoute(url, ScriptedTransport.Route(error: .cannotConnect("refused")))
            pipeline.network.status.isConnected = false
            let test = try await TestRemoteImage(
                ImageRequest(url),
                configuration,
                on: pipeline,
                size: PixelSize(100, 100)
            )
            await test.waitUntilFailed()
            await MainLoop.run { log.events == ["failure"] && self.pipeline.network.listenerCount == 1 }
            await MainLoop.settle()
            pipeline.transport.setRoute(url, nil)
            pipeline.network.status.isConnected = true
            await MainLoop.run { self.pipeline.network.listenerCount == 0 }
            let done = Completions()
            if isRetry {
                test.image.hc.retry(completion: done.handler)
            } else {
                test.image.hc.setImage(with: url, pipeline: pipeline.pipeline, completion: done.handler)
            }
            XCTAssertTrue(test.image.state.isLoading)
            XCTAssertNil(test.retryButton)
            XCTAssertEqual(gtk_widget_get_visible(test.descendant(gtk_spinner_get_type())), 1)
            try await pipeline.nextTransfer().answer(.green)
            await test.waitUntilLoaded()
            XCTAssertEqual(done.outcome, "success")
            await MainLoop.run { log.events.count == 2 }
            XCTAssertEqual(log.events, ["failure", "success"])
            test.window.destroy()
        }
    }

    /// The failure of the attempt before is not told of a load that is under way.
    func testRetryOfTheProgramThatFailsIsToldOnce() async throws {
        let log = Log()
        var configuration = RemoteImage.Configuration()
        configuration.onFailure = { _ in log.events.append("failure") }
        let url = pipeline.url()
        let test = try await TestRemoteImage(ImageRequest(url), configuration, on: pipeline)
        defer { test.window.destroy() }
        let retried = Completions()
        let failed = Completions()
        failed.onCall = { test.image.hc.retry(completion: retried.handler) }
        // The handler of the program, which comes after that of the widget.
        test.image.hc.setImage(with: url, pipeline: pipeline.pipeline, completion: failed.handler)
        try await pipeline.nextTransfer().answer(ScriptedTransport.Route(status: 404))
        let transfer = try await pipeline.nextTransfer()
        XCTAssertTrue(test.image.state.isLoading)
        XCTAssertNil(test.retryButton)
        await MainLoop.settle()
        XCTAssertEqual(log.events, [])
        transfer.answer(ScriptedTransport.Route(status: 404))
        await retried.wait()
        await MainLoop.run { log.events == ["failure"] }
        XCTAssertNotNil(test.retryButton)
    }

    /// The failure child is laid over it.
    func testImageStaysWhereItsReloadFails() async throws {
        let url = try pipeline.url(.green)
        let request = ImageRequest(url, options: [.forceRefresh])
        let test = try await TestRemoteImage(request, on: pipeline, size: PixelSize(200, 200))
        defer { test.window.destroy() }
        await test.waitUntilLoaded()
        pipeline.transport.setRoute(url, ScriptedTransport.Route(status: 404))
        test.image.reload()
        await test.waitUntilFailed()
        XCTAssertNotNil(test.retryButton)
        XCTAssertEqual(test.image.hc.content, .image)
        let color = try await test.pixels()[20, 20]
        XCTAssertEqual(color, .green)
    }

    /// It would be taken for the one that failed.
    func testImageOfAnotherSourceDoesNotStayBehindTheFailureChild() async throws {
        let options: [ImageOption] = [.keepCurrentImageWhileLoading]
        let request = ImageRequest(try pipeline.url(.green), options: options)
        let test = try await TestRemoteImage(request, on: pipeline, size: PixelSize(200, 200))
        defer { test.window.destroy() }
        await test.waitUntilLoaded()
        let missing = pipeline.missing()
        test.image.request = ImageRequest(missing, options: options)
        await test.waitUntilFailed()
        XCTAssertEqual(pipeline.transport.startedCount(missing), 1)
        XCTAssertNotNil(test.retryButton)
        XCTAssertEqual(test.image.hc.content, .nothing)
    }

    /// Without a failure child, what the options say is shown.
    func testFailureImageOfTheOptions() async throws {
        var configuration = RemoteImage.Configuration()
        configuration.failure = .none
        let test = try await TestRemoteImage(
            ImageRequest(pipeline.missing(), options: [.failureImage(try TestColor.red.image(40, 40))]),
            configuration,
            on: pipeline
        )
        await test.waitUntilFailed()
        XCTAssertEqual(test.image.hc.content, .failure)
        let pixels = try await test.pixels()
        XCTAssertEqual(pixels[20, 20], .red)
        test.window.destroy()
    }

    /// A failed load begins again when the widget is shown only if that is asked for.
    func testFailedLoadBeginsAgainOnlyOnRequest() async throws {
        let url = pipeline.missing()
        let test = try await TestRemoteImage(ImageRequest(url, options: [.visibility(.always)]), on: pipeline)
        await test.waitUntilFailed()
        for _ in 0..<3 {
            test.setVisible(false)
            await MainLoop.turn()
            test.setVisible(true)
            await test.waitForFrame()
        }
        XCTAssertEqual(pipeline.transport.startedCount(url), 1)
        test.image.configuration.restartsOnAppearance = true
        XCTAssertEqual(pipeline.transport.startedCount(url), 1)
        test.setVisible(false)
        await MainLoop.turn()
        test.setVisible(true)
        await MainLoop.run { self.pipeline.transport.startedCount(url) == 2 }
        test.window.destroy()
    }

    /// The state of its window changes with the focus, for one.
    func testFailedLoadDoesNotBeginAgainWithTheStateOfItsWindow() async throws {
        var configuration = RemoteImage.Configuration()
        configuration.restartsOnAppearance = true
        let url = pipeline.missing()
        let test = try await TestRemoteImage(
            ImageRequest(url),
            configuration,
            on: pipeline,
            size: PixelSize(100, 100)
        )
        defer { test.window.destroy() }
        await test.waitUntilFailed()
        let count = pipeline.transport.startedCount(url)
        let surface = try XCTUnwrap(gtk_native_get_surface(OpaquePointer(test.window.widget)))
        g_object_notify(UnsafeMutableRawPointer(surface).assumingMemoryBound(to: GObject.self), "state")
        XCTAssertFalse(test.image.state.isLoading)
        await MainLoop.settle()
        XCTAssertEqual(pipeline.transport.startedCount(url), count)
    }

    /// A load that the program cancels has neither succeeded nor failed, and can be begun again.
    func testCancel() async throws {
        let log = Log()
        var configuration = RemoteImage.Configuration()
        configuration.onFailure = { _ in log.events.append("failure") }
        let test = try await TestRemoteImage(ImageRequest(pipeline.url()), configuration, on: pipeline)
        let transfer = try await pipeline.nextTransfer()
        test.image.cancel()
        guard case .cancelled = test.image.state else { return XCTFail("\(test.image.state)") }
        await MainLoop.run { transfer.isCancelled }
        test.image.reload()
        try await pipeline.nextTransfer().answer(.red)
        await test.waitUntilLoaded()
        XCTAssertEqual(log.events, [])

        // The picture shows another image, by a call of the program.
        let other = try pipeline.url(.blue)
        test.image.request = ImageRequest(pipeline.url())
        test.image.hc.setImage(with: other, pipeline: pipeline.pipeline)
        await MainLoop.run { test.image.hc.content == .image }
        await test.waitUntilLoaded()
        XCTAssertEqual(log.events, [])
        test.window.destroy()
    }

    private func asButton(_ widget: UnsafeMutablePointer<GtkWidget>) -> UnsafeMutablePointer<GtkButton> {
        UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GtkButton.self)
    }

    private func click(_ button: UnsafeMutablePointer<GtkWidget>) {
        var value = GValue()
        g_value_init(&value, gtk_button_get_type())
        g_value_set_object(&value, UnsafeMutableRawPointer(button))
        g_signal_emitv(&value, g_signal_lookup("clicked", gtk_button_get_type()), 0, nil)
        g_value_unset(&value)
    }

    /// A program that loads again whenever a load has failed leaves the main loop to others.
    func testHandlerThatLoadsAgainIsCalledEverLater() async throws {
        let clock = ManualClock()
        let original = CallChain.clock
        CallChain.clock = clock
        defer { CallChain.clock = original }
        var count = 0
        weak var image: RemoteImage?
        var configuration = RemoteImage.Configuration()
        configuration.onFailure = { _ in
            count += 1
            image?.reload()
        }
        let test = try await TestRemoteImage(nil, configuration, on: pipeline)
        defer { test.window.destroy() }
        image = test.image
        test.image.request = ImageRequest(pipeline.missing())
        await MainLoop.run { clock.sleeperCount == 1 }
        XCTAssertEqual(count, 3)
        clock.advance(by: .milliseconds(1))
        await MainLoop.run { count == 4 && clock.sleeperCount == 1 }
    }
}
