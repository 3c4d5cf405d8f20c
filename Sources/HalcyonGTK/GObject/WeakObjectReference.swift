internal import CGTK

/// A reference to a GObject that does not keep it: empty as soon as the object begins to end.
///
/// Unchecked: GLib serialises all uses of the location, whose address never changes.
final class WeakObjectReference: @unchecked Sendable {
    private let location: UnsafeMutablePointer<GWeakRef>

    init(_ pointer: UnsafeMutableRawPointer) {
        location = .allocate(capacity: 1)
        g_weak_ref_init(location, pointer)
    }

    deinit {
        g_weak_ref_clear(location)
        location.deallocate()
    }

    /// The object, kept for as long as the result is; `nil` once it has begun to end.
    var object: ObjectReference? {
        g_weak_ref_get(location).map { ObjectReference(adopting: $0) }
    }
}
