/// A way to get a value back after the cache has let go of it, as long as something else keeps the object behind it
/// alive.
///
/// For a value that wraps a class instance, such as a picture around its pixel buffer:
///
/// ```swift
/// MemoryCache<Key, Picture>(weakReference: { picture in
///     WeakValue(picture.buffer) { buffer in Picture(buffer: buffer) }
/// })
/// ```
public struct WeakValue<Value: Sendable>: Sendable {
    @usableFromInline let resolve: @Sendable () -> Value?
    @usableFromInline let isAlive: @Sendable () -> Bool

    /// Refers to `object` without keeping it alive.
    ///
    /// - Parameter rebuild: makes the value from the object again. It must not hold the value or the object itself,
    ///   else neither is ever freed.
    public init<Object: AnyObject & Sendable>(_ object: Object, rebuild: @escaping @Sendable (Object) -> Value) {
        resolve = { [weak object] in object.map(rebuild) }
        isAlive = { [weak object] in object != nil }
    }
}
