#if GTK
internal import CGTK
internal import Dispatch

/// Finds out once whether the main actor runs while GLib's main loop does, and warns if it does not: nothing would
/// ever be shown, without an error.
@MainActor
enum MainLoopCheck {
    private static var hasBegun = false
    private static var hasRun = false

    /// Begins the check, unless it has begun before.
    static func begin() {
        guard !hasBegun else { return }
        hasBegun = true
        DispatchQueue.main.async { MainActor.assumeIsolated { hasRun = true } }
        // The block above was there long before, so that one turn of a loop that runs the main actor suffices. The second
        // is that of a program's start.
        g_timeout_add_full(
            G_PRIORITY_LOW,
            1_000,
            { _ in
                MainActor.assumeIsolated {
                    if !MainLoopCheck.hasRun {
                        warn("the main actor does not run in this main loop; call MainLoopBridge.install() before it")
                    }
                }
                return false.gboolean
            },
            nil,
            nil
        )
    }
}

/// Writes a warning to GLib's log, in the domain `Halcyon`.
func warn(_ message: String) {
    cgtk_warn(message)
}
#endif
