public import FoundationEssentials
internal import HalcyonHTTP

/// A closure that loads sources. It is equal to its copies only.
///
/// ```swift
/// configuration.loaders = [
///     SourceLoader(scheme: "page") { url in try await book.bytes(ofPage: url.lastPathComponent) }
/// ]
/// let image = try await pipeline.image(from: URL(string: "page:///12")!)
/// ```
public struct SourceLoader: SourceLoading {
    private let closure: IdentifiedClosure<@Sendable (Source, ImageOptions) -> (any ImageDataProvider)?>

    /// A loader with a closure; see ``SourceLoading/provider(for:options:)``.
    public init(_ closure: @escaping @Sendable (Source, ImageOptions) -> (any ImageDataProvider)?) {
        self.closure = IdentifiedClosure(closure)
    }

    /// A loader of the URLs of a scheme, whose images are named by their URLs. A user name in one keeps its images apart
    /// from those of others, and is not readable in a cache.
    ///
    /// - Parameters:
    ///   - scheme: The scheme, in upper or lower case.
    ///   - load: Returns the bytes, as ``ImageDataProvider/data()`` does.
    public init(scheme: String, _ load: @escaping @Sendable (URL) async throws -> Data) {
        let scheme = scheme.lowercased()
        self.init { source, _ in
            guard let url = source.url, url.scheme?.lowercased() == scheme else { return nil }
            return ClosureImageDataProvider(cacheKey: url.withoutUser.absoluteString) { try await load(url) }
        }
    }

    /// Returns the result of the closure.
    public func provider(for source: Source, options: ImageOptions) -> (any ImageDataProvider)? {
        closure.function(source, options)
    }
}
