import CGTK
import XCTest

/// A window on the display of the tests.
@MainActor
final class TestWindow {
    let window: UnsafeMutablePointer<GtkWindow>

    /// Skips the test where there is no display.
    init(width: Int = 200, height: Int = 200, child: UnsafeMutablePointer<GtkWidget>? = nil) throws {
        try Self.requireDisplay()
        window = try UnsafeMutableRawPointer(XCTUnwrap(gtk_window_new())).assumingMemoryBound(to: GtkWindow.self)
        gtk_window_set_default_size(window, Int32(width), Int32(height))
        if let child { gtk_window_set_child(window, child) }
    }

    /// Skips the test where there is no display, on which no widget can be made.
    static func requireDisplay() throws {
        guard gtk_init_check() != 0 else { throw XCTSkip("no display can be opened") }
    }

    /// Shows the window, and waits for its first frame.
    func present() async {
        gtk_window_present(window)
        await MainLoop.run { gtk_widget_get_mapped(self.widget) != 0 && gtk_widget_get_width(self.widget) > 0 }
    }

    var widget: UnsafeMutablePointer<GtkWidget> {
        UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWidget.self)
    }

    func destroy() {
        gtk_window_destroy(window)
    }
}

/// GLib's main loop, which the tests turn themselves.
@MainActor
enum MainLoop {
    /// Runs GLib's sources and the main actor in turns until a condition holds.
    ///
    /// - Returns: Whether it came to hold within the time, which only a failing test uses up.
    @discardableResult
    static func run(
        within limit: Duration = .seconds(20),
        file: StaticString = #filePath,
        line: UInt = #line,
        until condition: @MainActor () -> Bool
    ) async -> Bool {
        let deadline = ContinuousClock.now + limit
        while !condition() {
            guard ContinuousClock.now < deadline else {
                XCTFail("the condition did not come to hold", file: file, line: line)
                return false
            }
            await turn()
        }
        return true
    }

    /// Runs what is ready, and lets the main actor run.
    static func turn() async {
        // Bounded, because frames that take longer than their time would leave the main actor no turn.
        for _ in 0..<20 where g_main_context_iteration(nil, 0) == 0 { break }
        try? await Task.sleep(for: .milliseconds(1))
    }
}
