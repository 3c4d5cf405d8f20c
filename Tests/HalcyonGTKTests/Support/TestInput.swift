import CGTK
import Glibc
import HalcyonGTK
import XCTest

/// The keyboard and the pointer of the X server, which reach a window as those of a person do.
///
/// The library of the extension XTEST is looked for when a test runs: a test is skipped where there is none.
@MainActor
final class TestInput {
    private let window: UnsafeMutablePointer<GtkWindow>
    private let display: OpaquePointer
    private let server: Server

    /// The functions that are used of the libraries of X.
    private struct Server {
        typealias Display = OpaquePointer
        let open: @convention(c) (UnsafePointer<CChar>?) -> Display?
        let close: @convention(c) (Display) -> CInt
        let keySymbol: @convention(c) (UnsafePointer<CChar>) -> CUnsignedLong
        let keyCode: @convention(c) (Display, CUnsignedLong) -> UInt8
        let sync: @convention(c) (Display, CInt) -> CInt
        let setFocus: @convention(c) (Display, CUnsignedLong, CInt, CUnsignedLong) -> CInt
        let move: @convention(c) (Display, CUnsignedLong, CInt, CInt) -> CInt
        let sendKey: @convention(c) (Display, CUnsignedInt, CInt, CUnsignedLong) -> CInt
        let sendButton: @convention(c) (Display, CUnsignedInt, CInt, CUnsignedLong) -> CInt
        let sendMotion: @convention(c) (Display, CInt, CInt, CInt, CUnsignedLong) -> CInt
        let surfaceIdentifier: @convention(c) (OpaquePointer) -> CUnsignedLong

        init?() {
            guard let windows = dlopen("libX11.so.6", RTLD_NOW), let events = dlopen("libXtst.so.6", RTLD_NOW),
                let toolkit = dlopen(nil, RTLD_NOW), dlsym(toolkit, "gdk_x11_surface_get_xid") != nil
            else { return nil }
            func function<Function>(_ name: String, _ library: UnsafeMutableRawPointer) -> Function {
                unsafeBitCast(nonnull(dlsym(library, name)), to: Function.self)
            }
            open = function("XOpenDisplay", windows)
            close = function("XCloseDisplay", windows)
            keySymbol = function("XStringToKeysym", windows)
            keyCode = function("XKeysymToKeycode", windows)
            sync = function("XSync", windows)
            setFocus = function("XSetInputFocus", windows)
            move = function("XMoveWindow", windows)
            sendKey = function("XTestFakeKeyEvent", events)
            sendButton = function("XTestFakeButtonEvent", events)
            sendMotion = function("XTestFakeMotionEvent", events)
            surfaceIdentifier = function("gdk_x11_surface_get_xid", toolkit)
        }
    }

    /// - Parameter window: A window that is shown; it gets the focus of the keyboard.
    init(for window: UnsafeMutablePointer<GtkWindow>) throws {
        let backend = gdk_display_get_default().map { String(cString: g_type_name(cgtk_type_of($0.raw))) }
        guard backend == "GdkX11Display", let server = Server(), let display = server.open(nil) else {
            throw XCTSkip("no X server with the extension XTEST, or no libXtst.so.6")
        }
        self.window = window
        self.server = server
        self.display = display
        let surface = try XCTUnwrap(gtk_native_get_surface(window.opaque))
        let identifier = server.surfaceIdentifier(surface)
        // There is no window manager that would do either.
        _ = server.move(display, identifier, 0, 0)
        _ = server.setFocus(display, identifier, 1, 0)
        _ = server.sync(display, 0)
    }

    func end() { _ = server.close(display) }

    /// Presses keys, the first of which are held for the others, such as `"Control_L", "f"`.
    func press(_ keys: String...) {
        let codes = keys.map { CUnsignedInt(server.keyCode(display, server.keySymbol($0))) }
        for code in codes { _ = server.sendKey(display, code, 1, 0) }
        for code in codes.reversed() { _ = server.sendKey(display, code, 0, 0) }
        _ = server.sync(display, 0)
    }

    /// Types small letters and digits.
    func type(_ text: String) {
        for letter in text { press(String(letter)) }
    }

    /// Moves the pointer to the middle of a widget, or to a point of it.
    func move(to widget: UnsafeMutablePointer<GtkWidget>, x: Double? = nil, y: Double? = nil) {
        var point = graphene_point_t(
            x: Float(x ?? Double(gtk_widget_get_width(widget)) / 2),
            y: Float(y ?? Double(gtk_widget_get_height(widget)) / 2)
        )
        var place = graphene_point_t()
        XCTAssertNotEqual(gtk_widget_compute_point(widget, window.cast(), &point, &place), 0)
        var (shiftX, shiftY) = (0.0, 0.0)
        gtk_native_get_surface_transform(window.opaque, &shiftX, &shiftY)
        _ = server.sendMotion(
            display,
            -1,
            CInt(Double(place.x) + shiftX),
            CInt(Double(place.y) + shiftY),
            0
        )
        _ = server.sync(display, 0)
    }

    /// Presses a button of the pointer and releases it: 1 is the main one, 4 and 5 turn the wheel up and down.
    func click(_ button: Int = 1) {
        _ = server.sendButton(display, CUnsignedInt(button), 1, 0)
        _ = server.sendButton(display, CUnsignedInt(button), 0, 0)
        _ = server.sync(display, 0)
    }

    /// Does something while a key is held.
    func holding(_ key: String, _ body: () -> Void) {
        let code = CUnsignedInt(server.keyCode(display, server.keySymbol(key)))
        _ = server.sendKey(display, code, 1, 0)
        body()
        _ = server.sendKey(display, code, 0, 0)
        _ = server.sync(display, 0)
    }
}
