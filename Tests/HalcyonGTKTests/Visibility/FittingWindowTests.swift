import CGTK
import Foundation
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// Windows and popovers whose content gives them their size.
@MainActor
final class FittingWindowTests: XCTestCase {
    private let loads = ViewPipeline()

    private func size(_ widget: UnsafeMutablePointer<GtkWidget>) -> PixelSize {
        PixelSize(Int(gtk_widget_get_width(widget)), Int(gtk_widget_get_height(widget)))
    }

    func testWindowTakesFromItsImageTheSidesThatAreNotGiven() async throws {
        let windows: [(given: (Int, Int), image: PixelSize, size: PixelSize)] = [
            ((-1, -1), PixelSize(400, 300), PixelSize(400, 300)), ((300, -1), PixelSize(300, 225), PixelSize(300, 225)),
            ((200, 200), PixelSize(200, 150), PixelSize(200, 200)),
        ]
        for (given, image, expected) in windows {
            try TestWindow.requireDisplay()
            let picture = try XCTUnwrap(gtk_picture_new())
            let window = try TestWindow(width: given.0, height: given.1, child: picture)
            // The slot's paintable, before the window is shown.
            let display = ImageDisplay(picture)
            let done = Completions()
            display.setImage(
                with: try loads.url(.blue, 400, 300),
                pipeline: loads.pipeline,
                completion: done.handler
            )
            await window.present()
            await done.wait()
            await MainLoop.run { self.size(picture) == expected }
            XCTAssertEqual(display.image?.size, image, "\(given)")
            window.destroy()
        }
    }

    /// What is shown before the image decides no size that is not given.
    func testWindowTakesTheSizeOfItsImageAfterAPlaceholderOrAPreview() async throws {
        let small = try loads.url(.green, 80, 60)
        try await loads.preload(small, options: [])
        let given: [(window: (Int, Int), size: PixelSize)] = [
            ((-1, -1), PixelSize(400, 300)), ((300, -1), PixelSize(300, 225)), ((200, 200), PixelSize(200, 200)),
        ]
        for isPreview in [false, true] {
            for (sides, size) in given {
                try TestWindow.requireDisplay()
                let picture = try XCTUnwrap(gtk_picture_new())
                let window = try TestWindow(width: sides.0, height: sides.1, child: picture)
                let display = ImageDisplay(picture)
                let (url, done) = (loads.url(), Completions())
                display.setImage(
                    with: url,
                    placeholder: isPreview ? nil : try TestColor.red.image(80, 60),
                    options: isPreview ? [.previews([.url(small)])] : [],
                    pipeline: loads.pipeline,
                    completion: done.handler
                )
                await window.present()
                await MainLoop.run { display.content == (isPreview ? .preview : .placeholder) }
                await MainLoop.run { self.loads.transport.startedCount(url) == 1 }
                // The window takes the size of what it shows until then.
                await MainLoop.settle()
                try loads.transport.transfers.last?.answer(.blue, 400, 300)
                await done.wait()
                await MainLoop.run { self.size(picture) == size }
                XCTAssertEqual(display.image?.size.width, size.width, "\(sides), \(isPreview)")
                window.destroy()
            }
        }
    }

    /// The window keeps the size of what was shown when that goes before there is an image.
    func testWindowTakesTheSizeOfItsImageAfterAPlaceholderOrAFailureThatIsGone() async throws {
        for isFailure in [false, true] {
            try TestWindow.requireDisplay()
            let picture = try XCTUnwrap(gtk_picture_new())
            let window = try TestWindow(width: -1, height: -1, child: picture)
            let display = ImageDisplay(picture)
            let (small, url, ended, done) = (
                try TestColor.red.image(80, 60), loads.missing(), Completions(), Completions()
            )
            display.setImage(
                with: isFailure ? ImageRequest(url, options: [.visibility(.always), .failureImage(small)]) : nil,
                placeholder: isFailure ? nil : small,
                pipeline: loads.pipeline,
                completion: ended.handler
            )
            await ended.wait()
            XCTAssertEqual(display.content, isFailure ? .failure : .placeholder)
            await window.present()
            await MainLoop.settle()
            loads.transport.setRoute(url, nil)
            if isFailure {
                display.retry(completion: done.handler)
            } else {
                display.setImage(with: url, pipeline: loads.pipeline, completion: done.handler)
            }
            XCTAssertEqual(display.content, .nothing)
            let transfer = try await loads.nextTransfer()
            await MainLoop.settle()
            try transfer.answer(.blue, 400, 300)
            await done.wait()
            await MainLoop.run { self.size(picture) == PixelSize(400, 300) }
            XCTAssertEqual(display.image?.size, PixelSize(400, 300), "\(isFailure)")
            window.destroy()
        }
    }

    /// Its button for another attempt asks for more than the placeholder did.
    func testWindowTakesTheSizeOfTheImageOfARemoteImageAfterAFailure() async throws {
        try TestWindow.requireDisplay()
        let url = loads.missing()
        var configuration = RemoteImage.Configuration()
        let box = try coloredBox(80, 60)
        configuration.placeholder = .widget { box }
        let image = RemoteImage(url, configuration: configuration, pipeline: loads.pipeline)
        let widget = image.widget.assumingMemoryBound(to: GtkWidget.self)
        let window = try TestWindow(width: -1, height: -1, child: widget)
        defer { window.destroy() }
        await window.present()
        await MainLoop.run { if case .failed = image.state { true } else { false } }
        await MainLoop.settle()
        loads.transport.setRoute(url, ScriptedTransport.Route(body: try TestColor.blue.png(400, 300)))
        image.reload()
        await MainLoop.run { if case .loaded = image.state { true } else { false } }
        await MainLoop.run { self.size(widget) == PixelSize(400, 300) }
    }

    /// Nothing in the window has a size before the image has come, and GTK gives it one, of 200 × 200 points.
    func testWindowTakesTheSizeOfTheImageOfARemoteImageThatIsAloneInIt() async throws {
        let windows: [(given: (Int, Int), size: PixelSize)] = [
            ((-1, -1), PixelSize(400, 300)), ((300, -1), PixelSize(300, 225)), ((200, 200), PixelSize(200, 200)),
        ]
        for (given, expected) in windows {
            try TestWindow.requireDisplay()
            let image = RemoteImage(loads.url(), pipeline: loads.pipeline)
            let widget = image.widget.assumingMemoryBound(to: GtkWidget.self)
            let window = try TestWindow(width: given.0, height: given.1, child: widget)
            await window.present()
            try await loads.nextTransfer().answer(.blue, 400, 300)
            await MainLoop.run { if case .loaded = image.state { true } else { false } }
            await MainLoop.run { self.size(widget) == expected }
            XCTAssertEqual(image.image?.size.width, expected.width, "\(given)")
            await MainLoop.settle()
            XCTAssertEqual(size(widget), expected, "\(given)")
            window.destroy()
        }
    }

    /// Its size is given, though a placeholder of that size would give it, too.
    func testPictureWithASizeKeepsItAfterAPlaceholder() async throws {
        try TestWindow.requireDisplay()
        let picture = try XCTUnwrap(gtk_picture_new())
        gtk_widget_set_size_request(picture, 80, 60)
        // The title of the window may be wider.
        gtk_widget_set_halign(picture, GTK_ALIGN_START)
        let window = try TestWindow(width: -1, height: -1, child: picture)
        defer { window.destroy() }
        let done = Completions()
        ImageDisplay(picture).setImage(
            with: try loads.url(.blue, 400, 300),
            placeholder: try TestColor.red.image(80, 60),
            pipeline: loads.pipeline,
            completion: done.handler
        )
        await window.present()
        await done.wait()
        XCTAssertEqual(ImageDisplay(picture).image?.size, PixelSize(80, 60))
    }

    func testWindowThatTheUserHasMadeLargerKeepsItsSize() async throws {
        try TestWindow.requireDisplay()
        let picture = try XCTUnwrap(gtk_picture_new())
        let window = try TestWindow(width: -1, height: -1, child: picture)
        defer { window.destroy() }
        let display = ImageDisplay(picture)
        display.show(nil)
        await window.present()
        gtk_window_set_default_size(window.window, 120, 90)
        await MainLoop.run { self.size(picture) == PixelSize(120, 90) }
        let done = Completions()
        display.setImage(with: try loads.url(.blue, 400, 300), pipeline: loads.pipeline, completion: done.handler)
        await done.wait()
        await MainLoop.settle()
        XCTAssertEqual(size(picture), PixelSize(120, 90))
        XCTAssertEqual(display.image?.size, PixelSize(120, 90))
    }

    func testPopoverWaitsForItsSizeAndTakesThatOfItsImageWithoutOne() async throws {
        for hasSize in [true, false] {
            try TestWindow.requireDisplay()
            let button = try XCTUnwrap(gtk_menu_button_new())
            let popover = try XCTUnwrap(gtk_popover_new())
            let picture = try XCTUnwrap(gtk_picture_new())
            if hasSize { gtk_widget_set_size_request(picture, 120, 90) }
            // The display would stay grabbed for it, also after its window has ended.
            gtk_popover_set_autohide(UnsafeMutableRawPointer(popover).assumingMemoryBound(to: GtkPopover.self), 0)
            gtk_popover_set_child(
                UnsafeMutableRawPointer(popover).assumingMemoryBound(to: GtkPopover.self),
                picture
            )
            gtk_menu_button_set_popover(OpaquePointer(button), popover)
            let window = try TestWindow(width: 400, height: 400, child: button)
            await window.present()
            let done = Completions()
            ImageDisplay(picture).setImage(
                with: try loads.url(.blue, 400, 300),
                pipeline: loads.pipeline,
                completion: done.handler
            )
            gtk_menu_button_popup(OpaquePointer(button))
            await done.wait()
            let expected = hasSize ? PixelSize(120, 90) : PixelSize(400, 300)
            XCTAssertEqual(ImageDisplay(picture).image?.size, expected)
            window.destroy()
        }
    }
}
