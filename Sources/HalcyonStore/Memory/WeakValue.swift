/// A weak reference by which a cache finds a value after its eviction, for as long as something else keeps the object
/// behind it alive.
///
/// For a value that wraps a class instance, such as an image around its pixel buffer:
///
/// ```swift
/// MemoryCache<Key, Image>(weakReference: { image in
///     WeakValue(image.buffer) { buffer in Image(buffer: buffer) }
/// })
/// ```
public struct WeakValue<Value: Sendable>: Sendable {
    /// One reference, because every entry of a cache has room for it, and copies it with the entry.
    private let reference: WeakReference<Value>

    /// Refers to `object` without keeping it alive.
    ///
    /// - Parameter rebuild: makes the value from the object again; returns nil if another part of the value is gone. It
    ///   must not hold the value or the object itself, else neither is ever freed.
    public init<Object: AnyObject & Sendable>(_ object: Object, rebuild: @escaping @Sendable (Object) -> Value?) {
        reference = WeakReferenceToObject(object, rebuild)
    }

    @usableFromInline
    func resolve() -> Value? { reference.resolve() }

    /// The object that holds the function that makes the value again.
    @usableFromInline var owner: AnyObject { reference }

    /// Returns the object; nil if it is gone. The caller may be its last owner, so that its release runs code of the
    /// user.
    @usableFromInline
    func object() -> AnyObject? { reference.anyObject }
}

/// A reference to an object of some type. Unchecked: a subclass adds a weak variable, which is set once.
private class WeakReference<Value: Sendable>: @unchecked Sendable {
    func resolve() -> Value? { nil }
    var anyObject: AnyObject? { nil }
}

private final class WeakReferenceToObject<Object: AnyObject & Sendable, Value: Sendable>: WeakReference<Value>,
    @unchecked Sendable
{
    private weak var object: Object?
    private let rebuild: @Sendable (Object) -> Value?

    init(_ object: Object, _ rebuild: @escaping @Sendable (Object) -> Value?) {
        self.object = object
        self.rebuild = rebuild
    }

    override func resolve() -> Value? { object.flatMap(rebuild) }

    override var anyObject: AnyObject? { object }
}
