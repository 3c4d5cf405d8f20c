#if GTK
internal import CGTK

/// A `GtkWidget *`. The windows own their widgets: one is used only while its window exists.
typealias Widget = UnsafeMutablePointer<GtkWidget>

extension UnsafeMutablePointer {
    /// The object as C types that Swift knows no structure of have it.
    var opaque: OpaquePointer { OpaquePointer(self) }

    /// The object as one of another type of its class chain.
    func cast<Other>(to type: Other.Type = Other.self) -> UnsafeMutablePointer<Other> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: type)
    }
}

extension OpaquePointer {
    var raw: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) }
    var widget: Widget { raw.assumingMemoryBound(to: GtkWidget.self) }
}

extension Bool {
    /// GLib's form.
    var gboolean: CGTK.gboolean { self ? 1 : 0 }
}

/// Returns a value that GTK always passes or returns; its C declarations leave open whether it may be missing.
func nonnull<Value>(_ value: Value?) -> Value {
    guard let value else { preconditionFailure("GTK passed nothing where its documentation promises an object") }
    return value
}

/// Takes over a string of GLib's.
func takeString(_ text: UnsafeMutablePointer<CChar>?) -> String {
    guard let text else { return "" }
    defer { g_free(text) }
    return String(cString: text)
}
#endif
