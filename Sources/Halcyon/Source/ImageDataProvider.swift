public import FoundationEssentials

/// A type that supplies the encoded bytes of an image from a source of its own: a database, an archive, a drawing
/// program.
public protocol ImageDataProvider: Sendable {
    /// The name of the image in caches. It must not change during the provider's lifetime.
    var cacheKey: String { get }

    /// Returns the encoded bytes.
    ///
    /// Called on Swift's cooperative pool: it must not block. When the load is cancelled, so is the task that runs this
    /// function, and a late result is dropped.
    ///
    /// - Throws: Any error; it reaches the caller as an ``ImageError`` with the reason
    ///   ``ImageError/Reason/provider(_:)``.
    func data() async throws -> Data
}

/// Wraps any provider. Two are equal if they are of the same type, and the bytes of their keys are the same.
struct AnyImageDataProvider: Sendable, Hashable, CustomStringConvertible {
    let base: any ImageDataProvider
    private let type: ObjectIdentifier
    private let key: ExactString

    init(_ base: any ImageDataProvider) {
        self.base = base
        type = ObjectIdentifier(Swift.type(of: base))
        key = ExactString(base.cacheKey)
    }

    var cacheKey: String { key.text }

    var description: String { cacheKey.count > 80 ? "\(cacheKey.prefix(80))…" : cacheKey }

    static func == (left: AnyImageDataProvider, right: AnyImageDataProvider) -> Bool {
        left.type == right.type && left.key == right.key
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        hasher.combine(key)
    }
}
