#if GTK
/// Returns a value that GLib and GTK always pass or return; their C declarations leave open whether it may be missing.
func nonnull<Value>(_ value: Value?) -> Value {
    guard let value else { preconditionFailure("GTK passed nothing where its documentation promises an object") }
    return value
}
#endif
