internal import CGTK

/// A closure that is kept for GLib.
private final class Turn {
    let body: @MainActor () -> Void

    init(_ body: @escaping @MainActor () -> Void) {
        self.body = body
    }
}

/// Calls a closure once, in the next turn of GLib's default main context and before the next frame.
@MainActor
func onNextTurn(_ body: @escaping @MainActor () -> Void) {
    onTimeout(0, body)
}

/// Calls a closure once, in a turn of GLib's default main context after so many milliseconds.
@MainActor
func onTimeout(_ milliseconds: guint, _ body: @escaping @MainActor () -> Void) {
    let call: GSourceFunc = { data in
        let turn = Unmanaged<Turn>.fromOpaque(nonnull(data)).takeUnretainedValue()
        MainActor.assumeIsolated { turn.body() }
        return false.gboolean
    }
    let data = Unmanaged.passRetained(Turn(body)).toOpaque()
    let release: GDestroyNotify = { Unmanaged<Turn>.fromOpaque(nonnull($0)).release() }
    if milliseconds == 0 {
        g_idle_add_full(G_PRIORITY_DEFAULT, call, data, release)
    } else {
        g_timeout_add_full(G_PRIORITY_DEFAULT, milliseconds, call, data, release)
    }
}
