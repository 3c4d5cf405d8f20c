#if GTK
internal import CGTK

/// A signal that an object has sent: its arguments, and the place for the answer.
struct SignalCall {
    private let values: UnsafePointer<GValue>
    private let count: Int
    private let result: UnsafeMutablePointer<GValue>?

    init(values: UnsafePointer<GValue>, count: Int, result: UnsafeMutablePointer<GValue>?) {
        self.values = values
        self.count = count
        self.result = result
    }

    /// An argument, counted from 1; 0 is the object itself.
    private func value(_ index: Int) -> UnsafePointer<GValue> {
        precondition(index < count, "the signal has no such argument")
        return values + index
    }

    func object(_ index: Int) -> OpaquePointer? { g_value_get_object(value(index)).map { OpaquePointer($0) } }
    func double(_ index: Int) -> Double { g_value_get_double(value(index)) }
    func int(_ index: Int) -> Int { Int(g_value_get_int(value(index))) }
    func uint(_ index: Int) -> UInt32 { g_value_get_uint(value(index)) }
    /// The argument of a `GdkModifierType`.
    func flags(_ index: Int) -> UInt32 { g_value_get_flags(value(index)) }
    func pointer(_ index: Int) -> UnsafeMutableRawPointer? { g_value_get_pointer(value(index)) }
    func variant(_ index: Int) -> OpaquePointer? { g_value_get_variant(value(index)) }
    /// The value that is an argument itself.
    func boxedValue(_ index: Int) -> UnsafePointer<GValue>? {
        g_value_get_boxed(value(index)).map { UnsafePointer($0.assumingMemoryBound(to: GValue.self)) }
    }

    /// Answers a signal that asks whether it was handled.
    func answer(_ isHandled: Bool) {
        if let result { g_value_set_boolean(result, isHandled.gboolean) }
    }
}

/// A closure that handles a signal; it lives as long as its connection.
private final class SignalHandler {
    let body: @MainActor (SignalCall) -> Void

    init(_ body: @escaping @MainActor (SignalCall) -> Void) {
        self.body = body
    }
}

/// Calls a closure for each signal of this name. The object owns the closure, which therefore refers to the window of
/// the object weakly.
@MainActor
func connect(_ object: OpaquePointer, _ signal: String, _ body: @escaping @MainActor (SignalCall) -> Void) {
    let data = Unmanaged.passRetained(SignalHandler(body)).toOpaque()
    let closure = nonnull(g_closure_new_simple(guint(MemoryLayout<GClosure>.size), data))
    g_closure_add_finalize_notifier(closure, data) { data, _ in
        if let data { Unmanaged<SignalHandler>.fromOpaque(data).release() }
    }
    g_closure_set_marshal(closure) { closure, result, count, values, _, _ in
        // GTK sends its signals on the main thread alone, and the arguments do not leave this call.
        nonisolated(unsafe) let call = SignalCall(values: nonnull(values), count: Int(count), result: result)
        nonisolated(unsafe) let data = nonnull(nonnull(closure).pointee.data)
        MainActor.assumeIsolated {
            Unmanaged<SignalHandler>.fromOpaque(data).takeUnretainedValue().body(call)
        }
    }
    g_signal_connect_closure(object.raw, signal, closure, false.gboolean)
}

/// Calls a closure for each signal of this name; see ``connect(_:_:_:)-(OpaquePointer,_,_)``.
@MainActor
func connect<Object>(
    _ object: UnsafeMutablePointer<Object>,
    _ signal: String,
    _ body: @escaping @MainActor (SignalCall) -> Void
) {
    connect(object.opaque, signal, body)
}
#endif
