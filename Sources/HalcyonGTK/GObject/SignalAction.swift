#if GTK
internal import CGTK

/// A closure that is kept for GLib.
private final class Action {
    let body: @MainActor () -> Void

    init(_ body: @escaping @MainActor () -> Void) {
        self.body = body
    }
}

/// Calls a closure for a signal of an object that has no further arguments. The closure is kept until the object, or the
/// handler, ends.
@MainActor
func onSignal(_ object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping @MainActor () -> Void) {
    let handler: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in
        let action = Unmanaged<Action>.fromOpaque(nonnull(data)).takeUnretainedValue()
        MainActor.assumeIsolated { action.body() }
    }
    g_signal_connect_data(
        object,
        signal,
        unsafeBitCast(handler, to: GCallback.self),
        Unmanaged.passRetained(Action(body)).toOpaque(),
        { data, _ in Unmanaged<Action>.fromOpaque(nonnull(data)).release() },
        G_CONNECT_AFTER
    )
}

/// Calls a closure once, in the next turn of GLib's default main context and before the next frame.
@MainActor
func onNextTurn(_ body: @escaping @MainActor () -> Void) {
    g_idle_add_full(
        G_PRIORITY_DEFAULT,
        { data in
            let action = Unmanaged<Action>.fromOpaque(nonnull(data)).takeUnretainedValue()
            MainActor.assumeIsolated { action.body() }
            return false.gboolean
        },
        Unmanaged.passRetained(Action(body)).toOpaque(),
        { Unmanaged<Action>.fromOpaque(nonnull($0)).release() }
    )
}
#endif
