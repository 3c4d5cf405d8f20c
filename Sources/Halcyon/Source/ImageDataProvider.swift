public import FoundationEssentials
internal import HalcyonSystem

/// A type that supplies the encoded bytes of an image from a source of its own: a database, an archive, a drawing
/// program.
///
/// Loads of equal providers at the same time ask once. Two providers are equal if they are of the same type and have the
/// same ``cacheKey``. ``StreamingImageDataProvider`` is for bytes that come piece by piece.
///
/// A provider may load other images, also those of other providers. One that needs its own bytes for that, directly or by
/// way of others, would wait for itself: the load that it began fails with ``ImageError/Reason/providerCycle(_:)``, unless
/// a cache has the bytes or it was begun in a detached task. Loads within a provider share no work in progress on sources
/// of providers with loads outside of it.
public protocol ImageDataProvider: Sendable {
    /// The name of the image in caches. It is read once for each ``Source`` that is made of the provider.
    var cacheKey: String { get }

    /// Returns the encoded bytes.
    ///
    /// Called on Swift's cooperative pool: it must not block. When the load is cancelled, so is the task that runs this
    /// function, and a late result is dropped; the load ends without waiting for it. No bytes at all, and more than
    /// ``TransferLimits/bodyBytes`` of the options, are errors of the load.
    ///
    /// - Throws: Any error; it reaches the caller as an ``ImageError`` with the reason
    ///   ``ImageError/Reason/provider(_:)``. A `CancellationError`, as of a user who closes a file chooser, ends the
    ///   load as if it had been cancelled: it is not tried again, and no other source takes its place.
    func data() async throws -> Data
}

/// A provider of bytes that a text holds.
protocol TextImageDataProvider: ImageDataProvider {
    /// The text, which may be as long as memory allows.
    var text: String { get }

    /// Returns the bytes without suspending.
    func decoded() throws -> Data
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

    var description: String { cacheKey.shortened }

    static func == (left: AnyImageDataProvider, right: AnyImageDataProvider) -> Bool {
        left.type == right.type && left.key == right.key
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        hasher.combine(key)
    }
}

extension String {
    /// The first 80 characters.
    var shortened: String { count > 80 ? "\(prefix(80))…" : self }
}

/// A provider whose bytes a closure returns.
public struct ClosureImageDataProvider: ImageDataProvider {
    /// The name of the image in caches.
    public let cacheKey: String
    private let load: @Sendable () async throws -> Data

    /// A provider of the bytes that a closure returns.
    ///
    /// - Parameters:
    ///   - cacheKey: The name of the image in caches. Two of these providers with the same name are taken for the same
    ///     image.
    ///   - load: Returns the bytes, as ``ImageDataProvider/data()`` does.
    public init(cacheKey: String, _ load: @escaping @Sendable () async throws -> Data) {
        self.cacheKey = cacheKey
        self.load = load
    }

    /// Returns the bytes that the closure returns.
    ///
    /// - Throws: The error of the closure.
    public func data() async throws -> Data {
        try await load()
    }
}
