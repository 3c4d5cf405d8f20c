public import FoundationEssentials
internal import HalcyonHTTP

/// A type that loads the bytes of sources that Halcyon cannot load, or that a program loads in another way: URLs of a
/// scheme of its own, an archive, a service with a protocol of its own.
///
/// The loaders of ``ImageOptions/loaders`` are asked before those of ``ImagePipeline/Configuration/loaders``, each list
/// in its order; the first that returns a provider loads the source. Sources in place of another and those of previews
/// are asked about as well, those that are a provider already are not.
///
/// A loader returns an ``ImageDataProvider`` for a source, and all that holds for providers holds for what it loads:
/// the name and the type of the provider are the identity of the bytes, unless the source has a cache key; equal loads
/// at the same time ask once; the bytes are kept on disk; cancellation stops the task that reads them;
/// ``TransferLimits/bodyBytes`` limits their number; and a ``StreamingImageDataProvider`` reports progress. HTTP is not
/// involved, also for a source with such an address. The credential of such a source, and those of the options, count
/// all the same: what a loader returns for one user is given to no other, as with a server (``CacheScope``).
///
/// A load that a loader or its provider begins in its own pipeline does not come to that loader again, unless it is begun
/// in a detached task: a loader may change what a server sends for the same URL. For that, loads within a provider share
/// no work in progress with loads outside of it, unless no provider loads their source; so two providers may each load
/// what the other one loads.
///
/// Interceptors come before loaders in their first step, and after them in their second: there the source is the
/// provider, whose ``Source/url`` is still that of the source that it loads.
public protocol SourceLoading: Hashable, Sendable {
    /// Returns the provider of the bytes of a source; `nil` for a source that it does not load.
    ///
    /// Called before memory is looked into, on the thread of the caller: it must return at once, and a provider of the
    /// same name for the same source and options. No lock is held.
    ///
    /// - Parameters:
    ///   - source: A source, such as a URL of an unknown scheme (``Source/url``).
    ///   - options: The options of the request, those of the pipeline included. ``ImageOptions/priority`` is the
    ///     urgency at the beginning.
    func provider(for source: Source, options: ImageOptions) -> (any ImageDataProvider)?
}

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
