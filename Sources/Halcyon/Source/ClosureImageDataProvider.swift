public import FoundationEssentials

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
