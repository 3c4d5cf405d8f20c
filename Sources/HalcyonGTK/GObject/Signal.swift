internal import CGTK

/// Calls a handler for a signal of an object.
///
/// - Parameters:
///   - handler: A function of C, with the parameters of that signal; nothing checks them.
///   - data: The handler's last argument.
///   - after: Whether it comes after the object's own.
/// - Returns: The number of the handler at that object.
@discardableResult
@MainActor
func connect<Handler>(
    _ object: UnsafeMutableRawPointer,
    _ signal: String,
    _ handler: Handler,
    _ data: UnsafeMutableRawPointer?,
    after: Bool = false
) -> gulong {
    precondition(MemoryLayout<Handler>.size == MemoryLayout<GCallback>.size, "a handler is a function of C")
    return g_signal_connect_data(
        object,
        signal,
        unsafeBitCast(handler, to: GCallback.self),
        data,
        nil,
        after ? G_CONNECT_AFTER : GConnectFlags(rawValue: 0)
    )
}
