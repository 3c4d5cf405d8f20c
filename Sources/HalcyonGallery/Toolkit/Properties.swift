#if GTK
internal import CGTK

/// Sets a property that is true or false.
@MainActor
func setProperty(_ object: OpaquePointer, _ name: String, _ isTrue: Bool) {
    var value = GValue()
    g_value_init(&value, g_type_from_name("gboolean"))
    g_value_set_boolean(&value, isTrue.gboolean)
    g_object_set_property(object.raw.assumingMemoryBound(to: GObject.self), name, &value)
    g_value_unset(&value)
}

/// An object of Swift that a GObject owns under this name.
@MainActor
struct AttachedObject<Value: AnyObject> {
    let name: String

    /// Gives the GObject the object, which ends with it.
    func attach(_ value: Value, to object: OpaquePointer) {
        g_object_set_data_full(
            object.raw.assumingMemoryBound(to: GObject.self),
            name,
            Unmanaged.passRetained(value).toOpaque()
        ) { data in
            if let data { Unmanaged<AnyObject>.fromOpaque(data).release() }
        }
    }

    /// The object; `nil` if the GObject has none.
    func value(of object: OpaquePointer) -> Value? {
        g_object_get_data(object.raw.assumingMemoryBound(to: GObject.self), name).map {
            Unmanaged<Value>.fromOpaque($0).takeUnretainedValue()
        }
    }
}
#endif
