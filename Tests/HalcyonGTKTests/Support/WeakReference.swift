/// Tells whether an object still exists.
@MainActor
final class WeakReference<Object: AnyObject> {
    private(set) weak var object: Object?

    init(_ object: Object?) {
        self.object = object
    }
}
