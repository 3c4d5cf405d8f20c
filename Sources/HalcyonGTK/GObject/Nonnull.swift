package import CGTK

/// Returns a value that GLib and GTK always pass or return; their C declarations leave open whether it may be missing.
package func nonnull<Value>(_ value: Value?) -> Value {
    guard let value else { preconditionFailure("GTK passed nothing where its documentation promises an object") }
    return value
}

/// Takes over a string of GLib's; nothing gives an empty one.
package func takeString(_ text: UnsafeMutablePointer<CChar>?) -> String {
    guard let text else { return "" }
    defer { g_free(text) }
    return String(cString: text)
}

extension Bool {
    /// GLib's form.
    package var gboolean: CGTK.gboolean { self ? 1 : 0 }
}
