/// A key of a value of the program's own in ``ImageOptions``: the user that an image is loaded for, the name of a view,
/// a rendition that a server offers.
///
/// ```swift
/// enum RenditionKey: ImageOptionKey {
///     static let defaultValue = "full"
///
///     static func cacheIdentity(of value: String) -> String? { value }
/// }
///
/// extension ImageOption {
///     static func rendition(_ name: String) -> ImageOption { .value(name, for: RenditionKey.self) }
/// }
/// ```
///
/// Halcyon itself reads no value. Interceptors and loaders find them in the options of a request (``LoadIntercepting``,
/// ``SourceLoading``), observers in those of a load (``LoadObservation/options``). Each key is an option of its own: a
/// pipeline's default is used where a request has no value for the key.
public protocol ImageOptionKey {
    /// The type of the value.
    ///
    /// Options with equal values are equal. Values are compared and hashed when they are set, and not by loads.
    associatedtype Value: Hashable & Sendable

    /// The value in options that have none. It must be the same each time.
    static var defaultValue: Value { get }

    /// Returns the name of a value where it makes another image of the same source, as for a loader that reads it;
    /// `nil` where it makes none, as for the name of a view.
    ///
    /// Images, originals and work of values with different names are kept apart, in memory, on disk and while they are
    /// loaded. The name stands in the disk cache as it is, beside that of the key's type. Not called for a value that
    /// is equal to ``defaultValue``, which has no name. Default: `nil`; the value is part of no identity, and of loads
    /// that share work, that of the first counts.
    static func cacheIdentity(of value: Value) -> String?
}

extension ImageOptionKey {
    /// No name, the default.
    public static func cacheIdentity(of value: Value) -> String? { nil }
}
