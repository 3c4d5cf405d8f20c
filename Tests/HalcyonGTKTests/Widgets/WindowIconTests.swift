#if GTK
import CGTK
import Foundation
import Halcyon
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

    func testNamedIconOfProgramStays() async throws {
        let window = try TestWindow()
        defer { window.destroy() }
        await window.present()
        let display = ImageDisplay(window.window)
        display.show(try TestColor.red.image(16, 16))
        gtk_window_set_icon_name(window.window, "no-such-icon")
        let before = try icon(of: window)
        display.show(try TestColor.blue.image(20, 20))
        XCTAssertEqual(try icon(of: window), before)
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

    /// Asks the X server; `nil` if the window has none.
    private func icon(of window: TestWindow) throws -> Icon? {
        typealias GetDisplay = @convention(c) (OpaquePointer?) -> OpaquePointer?
        typealias GetWindow = @convention(c) (OpaquePointer?) -> UInt
        typealias InternAtom = @convention(c) (OpaquePointer?, UnsafePointer<CChar>, Int32) -> UInt
        typealias GetProperty =
            @convention(c) (
                OpaquePointer?, UInt, UInt, Int, Int, Int32, UInt, UnsafeMutablePointer<UInt>,
                UnsafeMutablePointer<Int32>,
                UnsafeMutablePointer<UInt>, UnsafeMutablePointer<UInt>, UnsafeMutablePointer<UnsafeMutableRawPointer?>
            ) -> Int32
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
            3,
            0,
            0,
            &type,
            &format,
            &count,
            &rest,
            &data
        )
        guard count == 3, let words = data?.assumingMemoryBound(to: UInt.self) else { return nil }
        return Icon(width: words[0], height: words[1], color: words[2] & 0xFFFF_FFFF)
    }
}
#endif
