/// The values of the program's own in options, by their keys.
struct ImageOptionValues: Sendable {
    private struct Entry: Sendable {
        let value: Hook<any Sendable>
        /// The part of ``ImageOptionValues/identity``; `nil` if the value has no name.
        let identity: String?
        /// A Boolean value that indicates whether the value was set after the last change of the program's own
        /// (``ImageOption/init(_:)``).
        var isRecent: Bool
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
            identity: name.map { Self.identity(named: $0, of: key) },
            isRecent: true
        )
        updateIdentity()
    }

    /// Returns these values, with those of others for the keys that have none here.
    func filled(from defaults: ImageOptionValues) -> ImageOptionValues {
        if defaults.entries.isEmpty { return self }
        if entries.isEmpty { return defaults }
        var values = self
        values.entries.merge(defaults.entries) { own, _ in own }
        values.updateIdentity()
        return values
    }

    /// Sets the values that others have set last.
    mutating func take(recentOf others: ImageOptionValues) {
        let recent = others.entries.filter(\.value.isRecent)
        if recent.isEmpty { return }
        entries.merge(recent) { $1 }
        updateIdentity()
    }

    /// Notes that there is no change of the program's own.
    mutating func markAllRecent() { mark(isRecent: true) }

    /// Notes a change of the program's own.
    mutating func markNoneRecent() { mark(isRecent: false) }

    private mutating func mark(isRecent: Bool) {
        for (key, entry) in entries where entry.isRecent != isRecent { entries[key]?.isRecent = isRecent }
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
    /// Returns whether both have the same values, whenever they were set.
    static func == (left: ImageOptionValues, right: ImageOptionValues) -> Bool {
        left.entries.count == right.entries.count
            && left.entries.allSatisfy { key, entry in right.entries[key]?.value == entry.value }
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(entries.count)
        hasher.combine(identity.map(ExactString.init))
    }
}
