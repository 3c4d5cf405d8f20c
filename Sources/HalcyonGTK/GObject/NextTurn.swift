#if GTK
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
    g_idle_add_full(
        G_PRIORITY_DEFAULT,
        { data in
            let turn = Unmanaged<Turn>.fromOpaque(nonnull(data)).takeUnretainedValue()
            MainActor.assumeIsolated { turn.body() }
            return false.gboolean
        },
        Unmanaged.passRetained(Turn(body)).toOpaque(),
        { Unmanaged<Turn>.fromOpaque(nonnull($0)).release() }
    )
}
#endif
