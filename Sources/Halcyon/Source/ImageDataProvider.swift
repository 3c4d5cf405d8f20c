public import FoundationEssentials

/// Supplies the encoded bytes of an image by means of your own: a database, an archive, a drawing program.
public protocol ImageDataProvider: Sendable {
    /// What the image is called in caches. It must not change during the provider's life.
    var cacheKey: String { get }

    /// The encoded bytes.
    ///
    /// Called on Swift's cooperative pool: it must not block. When the load is cancelled, so is the task that runs
    /// this function, and a late result is dropped.
    func data() async throws -> Data
}

/// Wraps any provider. Two are equal if they are of the same type and have the same key.
struct AnyImageDataProvider: Sendable, Hashable, CustomStringConvertible {
    let base: any ImageDataProvider
    private let type: ObjectIdentifier
    private let key: String

    init(_ base: any ImageDataProvider) {
        self.base = base
        type = ObjectIdentifier(Swift.type(of: base))
        key = base.cacheKey
    }

    var cacheKey: String { key }

    var description: String { key.count > 80 ? "\(key.prefix(80))…" : key }

    static func == (left: AnyImageDataProvider, right: AnyImageDataProvider) -> Bool {
        left.type == right.type && left.key == right.key
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        hasher.combine(key)
    }
}
