internal import CGTK

/// An object of Swift that a GObject owns under a name.
@MainActor
package struct AttachedObject<Value: AnyObject> {
    private let name: String

    /// - Parameter name: Names the object at each GObject.
    package init(name: String) {
        self.name = name
    }

    /// Gives the GObject the object, which ends with it.
    package func attach(_ value: Value, to object: OpaquePointer) {
        g_object_set_data_full(object.raw.object, name, Unmanaged.passRetained(value).toOpaque()) { data in
            if let data { Unmanaged<AnyObject>.fromOpaque(data).release() }
        }
    }

    /// The object; `nil` if the GObject has none.
    package func value(of object: OpaquePointer) -> Value? {
        g_object_get_data(object.raw.object, name).map { Unmanaged<Value>.fromOpaque($0).takeUnretainedValue() }
    }
}
