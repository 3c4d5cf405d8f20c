import CGTK
import Foundation
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// The icon of a window, as the display server has it.
@MainActor
final class WindowIconTests: XCTestCase {
    func testIconIsSetBeforeWindowIsShownAndAfterEachChange() async throws {
        let window = try TestWindow()
        defer { window.destroy() }
        let display = ImageDisplay(window.window)
        display.show(try TestColor.red.image(16, 16))
        await window.present()
        XCTAssertEqual(try icon(of: window), Icon(width: 16, height: 16, color: 0xFFFF_0000))
        let loads = ViewPipeline()
        let done = Completions()
        display.setImage(with: try loads.url(.blue, 24, 20), pipeline: loads.pipeline, completion: done.handler)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
        XCTAssertEqual(try icon(of: window), Icon(width: 24, height: 20, color: 0xFF00_00FF))
        display.remove()
        XCTAssertNil(try icon(of: window))
    }

    func testIconSurvivesNewSurface() async throws {
        let window = try TestWindow()
        defer { window.destroy() }
        ImageDisplay(window.window).show(try TestColor.red.image(16, 16))
        await window.present()
        gtk_widget_set_visible(window.widget, 0)
        gtk_widget_unrealize(window.widget)
        gtk_widget_set_visible(window.widget, 1)
        await window.present()
        XCTAssertEqual(try icon(of: window)?.width, 16)
    }

    func testLargeImageIsReduced() async throws {
        let window = try TestWindow()
        defer { window.destroy() }
        await window.present()
        ImageDisplay(window.window).show(try TestColor.red.image(1_024, 512))
        XCTAssertEqual(try icon(of: window), Icon(width: 256, height: 128, color: 0xFFFF_0000))
    }

    func testLargeImageIsDecodedAtSizeOfIcon() async throws {
        let window = try TestWindow()
        defer { window.destroy() }
        await window.present()
        let loads = ViewPipeline()
        let url = try loads.url(.red, 1_024, 512)
        let display = ImageDisplay(window.window)
        let sizes: [([ImageOption], PixelSize)] = [
            ([], PixelSize(256, 128)), ([.targetSize(.pixels(width: 32, height: 32))], PixelSize(32, 16)),
            ([.sizing(.image)], PixelSize(1_024, 512)),
        ]
        for (options, size) in sizes {
            let done = Completions()
            display.setImage(with: url, options: options, pipeline: loads.pipeline, completion: done.handler)
            await done.wait()
            XCTAssertEqual(done.outcome, "success")
            XCTAssertEqual(display.image?.size, size)
            let expected = Icon(
                width: UInt(min(256, size.width)),
                height: UInt(min(128, size.height)),
                color: 0xFFFF_0000
            )
            XCTAssertEqual(try icon(of: window), expected)
        }
    }

    func testDesktopGetsAllSizesOfIcon() async throws {
        let window = try TestWindow()
        defer { window.destroy() }
        await window.present()
        let loads = ViewPipeline()
        let url = loads.url()
        let file = try ico([(16, .green), (48, .blue), (32, .red)])
        loads.transport.setRoute(url, ScriptedTransport.Route(body: file))
        let done = Completions()
        let display = ImageDisplay(window.window)
        display.setImage(with: url, pipeline: loads.pipeline, completion: done.handler)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
        XCTAssertEqual(try icon(of: window), Icon(width: 48, height: 48, color: 0xFF00_00FF))
        await MainLoop.run { (try? icons(of: window).count) == 3 }
        XCTAssertEqual(
            try icons(of: window),
            [
                Icon(width: 48, height: 48, color: 0xFF00_00FF), Icon(width: 32, height: 32, color: 0xFFFF_0000),
                Icon(width: 16, height: 16, color: 0xFF00_FF00),
            ]
        )
        display.show(try TestColor.red.image(20, 20))
        XCTAssertEqual(try icons(of: window), [Icon(width: 20, height: 20, color: 0xFFFF_0000)])
    }

    /// A Windows icon of images of one colour each, as PNG.
    private func ico(_ images: [(side: Int, color: TestColor)]) throws -> Data {
        func bytes(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> ($0 * 8) & 255) } }
        let files = try images.map { try $0.color.png($0.side, $0.side) }
        var directory = bytes(0, 2) + bytes(1, 2) + bytes(images.count, 2)
        var offset = directory.count + 16 * images.count
        for (image, file) in zip(images, files) {
            directory += bytes(image.side, 1) + bytes(image.side, 1) + bytes(0, 2) + bytes(1, 2) + bytes(32, 2)
            directory += bytes(file.count, 4) + bytes(offset, 4)
            offset += file.count
        }
        return files.reduce(Data(directory)) { $0 + $1 }
    }

    func testSizesOfIconThatIsLoadedAnewAreOfOneTransfer() async throws {
        let window = try TestWindow()
        defer { window.destroy() }
        await window.present()
        let loads = ViewPipeline()
        let url = loads.url()
        let file = try ico([(16, .green), (48, .blue), (32, .red)])
        loads.transport.setRoute(url, ScriptedTransport.Route(body: file))
        ImageDisplay(window.window).setImage(with: url, options: [.forceRefresh], pipeline: loads.pipeline)
        await MainLoop.run { (try? icons(of: window).count) == 3 }
        XCTAssertEqual(loads.transport.startedCount(url), 1)
    }

    func testNamedIconOfProgramStaysUntilTheNextCall() async throws {
        let window = try TestWindow()
        defer { window.destroy() }
        await window.present()
        let display = ImageDisplay(window.window)
        display.show(try TestColor.red.image(16, 16))
        gtk_window_set_icon_name(window.window, "no-such-icon")
        let before = try icon(of: window)
        let slot = WidgetState.existing(UnsafeMutableRawPointer(window.window))?.existingController(for: .image)
        slot?.paintable?.show(Paintable(try TestColor.green.image(18, 18)))
        XCTAssertEqual(try icon(of: window), before)
        display.show(try TestColor.blue.image(20, 20))
        XCTAssertNotEqual(try icon(of: window), before)
    }

    func testWindowEndsWhileIconLoads() async throws {
        let window = try TestWindow()
        await window.present()
        let loads = ViewPipeline()
        let done = Completions()
        ImageDisplay(window.window).setImage(
            with: loads.url(),
            placeholder: try TestColor.red.image(16, 16),
            options: [.indicator(.spinner)],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        let transfer = await loads.transport.nextTransfer()
        window.destroy()
        await done.wait()
        XCTAssertEqual(done.outcome, "superseded")
        await transfer.waitUntilCancelled()
    }

    /// The size of an icon, and its first pixel: alpha, red, green and blue.
    private struct Icon: Equatable {
        var width: UInt
        var height: UInt
        var color: UInt
    }

    /// The first size of the icon; `nil` if the window has none.
    private func icon(of window: TestWindow) throws -> Icon? { try icons(of: window).first }

    /// Asks the X server for all sizes.
    private func icons(of window: TestWindow) throws -> [Icon] {
        typealias GetDisplay = @convention(c) (OpaquePointer?) -> OpaquePointer?
        typealias GetWindow = @convention(c) (OpaquePointer?) -> UInt
        typealias InternAtom = @convention(c) (OpaquePointer?, UnsafePointer<CChar>, Int32) -> UInt
        typealias GetProperty =
            @convention(c) (
                OpaquePointer?, UInt, UInt, Int, Int, Int32, UInt, UnsafeMutablePointer<UInt>,
                UnsafeMutablePointer<Int32>,
                UnsafeMutablePointer<UInt>, UnsafeMutablePointer<UInt>, UnsafeMutablePointer<UnsafeMutableRawPointer?>
            ) -> Int32
        try X11Display.require()
        guard let getDisplay = dlsym(nil, "gdk_x11_display_get_xdisplay"),
            let getWindow = dlsym(nil, "gdk_x11_surface_get_xid"), let internAtom = dlsym(nil, "XInternAtom"),
            let getProperty = dlsym(nil, "XGetWindowProperty")
        else { throw XCTSkip("the display is not one of X11") }
        let display = unsafeBitCast(getDisplay, to: GetDisplay.self)(gdk_display_get_default())
        let surface = try XCTUnwrap(gtk_native_get_surface(OpaquePointer(window.window)))
        var (type, format, count, rest) = (UInt(0), Int32(0), UInt(0), UInt(0))
        var data: UnsafeMutableRawPointer?
        _ = unsafeBitCast(getProperty, to: GetProperty.self)(
            display,
            unsafeBitCast(getWindow, to: GetWindow.self)(surface),
            unsafeBitCast(internAtom, to: InternAtom.self)(display, "_NET_WM_ICON", 0),
            0,
            1 << 20,
            0,
            0,
            &type,
            &format,
            &count,
            &rest,
            &data
        )
        guard let words = data?.assumingMemoryBound(to: UInt.self) else { return [] }
        var icons: [Icon] = []
        var start = 0
        while start + 2 < Int(count) {
            icons.append(Icon(width: words[start], height: words[start + 1], color: words[start + 2] & 0xFFFF_FFFF))
            start += 2 + Int(words[start] * words[start + 1])
        }
        return icons
    }
}
