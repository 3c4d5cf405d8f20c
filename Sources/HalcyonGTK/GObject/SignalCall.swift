internal import CGTK

/// A signal that an object has sent: its arguments, and the place for the answer. Used during the call alone.
package struct SignalCall {
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

    package func object(_ index: Int) -> OpaquePointer? { g_value_get_object(value(index)).map { OpaquePointer($0) } }
    package func double(_ index: Int) -> Double { g_value_get_double(value(index)) }
    package func int(_ index: Int) -> Int { Int(g_value_get_int(value(index))) }
    package func uint(_ index: Int) -> UInt32 { g_value_get_uint(value(index)) }
    /// The argument of a `GdkModifierType`.
    package func flags(_ index: Int) -> UInt32 { g_value_get_flags(value(index)) }
    package func pointer(_ index: Int) -> UnsafeMutableRawPointer? { g_value_get_pointer(value(index)) }
    package func variant(_ index: Int) -> OpaquePointer? { g_value_get_variant(value(index)) }
    /// The argument of a boxed type, such as a `GValue`.
    package func boxed(_ index: Int) -> UnsafeMutableRawPointer? { g_value_get_boxed(value(index)) }

    /// Answers a signal that asks whether it was handled.
    package func answer(_ isHandled: Bool) {
        if let result { g_value_set_boolean(result, isHandled.gboolean) }
    }
}
