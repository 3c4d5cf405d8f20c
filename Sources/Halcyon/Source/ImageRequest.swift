public import FoundationEssentials

/// A source and the options of its load.
///
/// Every function that loads, finds, stores or removes an image takes a request; those of a pipeline also take a URL
/// with options.
///
/// ```swift
/// let request = ImageRequest(.file("/usr/share/pixmaps/logo.png"), options: [.priority(.high)])
/// let image = try await ImagePipeline.shared.image(from: request)
/// ```
public struct ImageRequest: Sendable, Hashable {
    /// The place that the encoded bytes come from.
    public var source: Source
    /// The options. A pipeline applies changes to its ``ImagePipeline/Configuration/defaultOptions``. Default: those of the
    /// pipeline.
    public var options: ImageOptions

    /// A request for the image of a source.
    public init(_ source: Source, options: ImageOptions = []) {
        self.source = source
        self.options = options
    }

    /// A request for the image at a URL; see ``Source/url(_:cacheKey:)``.
    public init(_ url: URL, options: ImageOptions = []) {
        self.init(.url(url), options: options)
    }
}

extension ImageRequest: CustomStringConvertible {
    /// A description of the source.
    public var description: String { source.description }
}
