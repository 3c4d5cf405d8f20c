import CGTK
import XCTest

@testable import HalcyonGTK

/// The display of the tests, where it is one of X11.
@MainActor
enum X11Display {
    /// Skips the test on any other display: GTK has the functions of X11 there, too, but they may not be called.
    static func require() throws {
        try TestWindow.requireDisplay()
        let display = try UnsafeMutableRawPointer(XCTUnwrap(gdk_display_get_default()))
        let type = WidgetState.typeName(of: display)
        guard type == "GdkX11Display" else { throw XCTSkip("the display is a \(type), not one of X11") }
    }
}
