internal import CGTK

/// A closure that handles a signal; it lives as long as its connection.
private final class SignalAction {
    let body: @MainActor (SignalCall) -> Void

    init(_ body: @escaping @MainActor (SignalCall) -> Void) {
        self.body = body
    }
}

/// Calls a closure for each signal of this name, with the signal's arguments. The object owns the closure, which
/// therefore refers weakly to what owns the object.
///
/// - Parameter after: Whether it comes after the object's own handler. Default: `false`.
@MainActor
package func onSignal(
    _ object: UnsafeMutableRawPointer,
    _ signal: String,
    after: Bool = false,
    _ body: @escaping @MainActor (SignalCall) -> Void
) {
    let data = Unmanaged.passRetained(SignalAction(body)).toOpaque()
    let closure = nonnull(g_closure_new_simple(guint(MemoryLayout<GClosure>.size), data))
    g_closure_add_finalize_notifier(closure, data) { data, _ in
        if let data { Unmanaged<SignalAction>.fromOpaque(data).release() }
    }
    g_closure_set_marshal(closure) { closure, result, count, values, _, _ in
        // GTK sends its signals on the main thread alone, and the arguments do not leave this call.
        nonisolated(unsafe) let call = SignalCall(values: nonnull(values), count: Int(count), result: result)
        nonisolated(unsafe) let data = nonnull(nonnull(closure).pointee.data)
        MainActor.assumeIsolated {
            Unmanaged<SignalAction>.fromOpaque(data).takeUnretainedValue().body(call)
        }
    }
    g_signal_connect_closure(object, signal, closure, after.gboolean)
}

/// The same for an object whose type Swift knows no structure of.
@MainActor
package func onSignal(
    _ object: OpaquePointer,
    _ signal: String,
    _ body: @escaping @MainActor (SignalCall) -> Void
) {
    onSignal(object.raw, signal, body)
}

/// The same for an object whose type Swift knows as a structure of C.
@MainActor
package func onSignal<Object>(
    _ object: UnsafeMutablePointer<Object>,
    _ signal: String,
    _ body: @escaping @MainActor (SignalCall) -> Void
) {
    onSignal(object.raw, signal, body)
}
