internal import HalcyonSystem

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

/// The values of the program's own in options, by their keys.
struct ImageOptionValues: Sendable {
    private struct Entry: Sendable {
        let value: Hook<any Sendable>
        /// The part of ``ImageOptionValues/identity``; `nil` if the value has no name.
        let identity: String?
    }

    /// A value with its type, from which it is read again without an ambiguity between an optional value and none.
    private struct Box<Value: Hashable & Sendable>: Hashable, Sendable {
        let value: Value
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    /// The names of all values that take part in the identity of images, in a canonical form; `nil` if there are none.
    private(set) var identity: String?

    /// The value of a key.
    subscript<Key: ImageOptionKey>(key: Key.Type) -> Key.Value {
        let box = entries[ObjectIdentifier(key)]?.value.body as? Box<Key.Value>
        return box?.value ?? Key.defaultValue
    }

    /// Sets the value of a key, also to its default.
    mutating func set<Key: ImageOptionKey>(_ value: Key.Value, for key: Key.Type) {
        let name = value == Key.defaultValue ? nil : Key.cacheIdentity(of: value)
        let box = Box(value: value)
        entries[ObjectIdentifier(key)] = Entry(
            value: Hook(box, identity: box),
            identity: name.map { Self.identity(named: $0, of: key) }
        )
        updateIdentity()
    }

    /// Sets the values that others have.
    mutating func take(_ others: ImageOptionValues) {
        entries.merge(others.entries) { $1 }
        updateIdentity()
    }

    private mutating func updateIdentity() {
        let parts = entries.values.compactMap(\.identity)
        identity = parts.isEmpty ? nil : parts.sorted().joined()
    }

    private static func identity<Key: ImageOptionKey>(named name: String, of key: Key.Type) -> String {
        // The mangled name is the same in every process, as for processors.
        let type = _mangledTypeName(key) ?? String(reflecting: key)
        return "\(type.utf8.count):\(type)\(name.utf8.count):\(name)"
    }
}

extension ImageOptionValues: Hashable {
    /// Returns whether both have the same values.
    static func == (left: ImageOptionValues, right: ImageOptionValues) -> Bool {
        left.entries.count == right.entries.count
            && left.entries.allSatisfy { key, entry in right.entries[key]?.value == entry.value }
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(entries.count)
        hasher.combine(identity.map(ExactString.init))
    }
}
