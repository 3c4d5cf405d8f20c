public import FoundationEssentials

/// A source and the options of its load.
///
/// Every function that loads, finds, stores or removes an image takes a request; those of a pipeline also take a URL
/// with changes to its default options.
///
/// ```swift
/// let request = ImageRequest(.file("/usr/share/pixmaps/logo.png"), options: [.priority(.high)])
/// let image = try await ImagePipeline.shared.image(from: request)
/// ```
public struct ImageRequest: Sendable, Hashable {
    /// The options as they were given.
    package enum Options: Sendable, Hashable {
        /// Changes to the default options of the pipeline that loads the image.
        case changes([ImageOption])
        case whole(ImageOptions)
    }

    /// The place that the encoded bytes come from.
    public var source: Source
    package var givenOptions: Options

    package init(_ source: Source, _ options: Options) {
        self.source = source
        givenOptions = options
    }

    /// A request for the image of a source.
    ///
    /// - Parameters:
    ///   - source: The place that the encoded bytes come from.
    ///   - changes: The changes to the default options of the pipeline that loads the image, in their order. Default:
    ///     none.
    public init(_ source: Source, options changes: [ImageOption] = []) {
        self.init(source, .changes(changes))
    }

    /// A request for the image at a URL; see ``Source/url(_:cacheKey:)``.
    ///
    /// - Parameters:
    ///   - url: The URL of the image.
    ///   - changes: The changes to the default options of the pipeline that loads the image, in their order. Default:
    ///     none.
    public init(_ url: URL, options changes: [ImageOption] = []) {
        self.init(.url(url), options: changes)
    }

    /// A request for the image of a source with these options, whatever the defaults of the pipeline.
    public init(_ source: Source, exactly options: ImageOptions) {
        self.init(source, .whole(options))
    }

    /// A request for the image at a URL with these options, whatever the defaults of the pipeline.
    public init(_ url: URL, exactly options: ImageOptions) {
        self.init(.url(url), exactly: options)
    }

    /// The options, as a whole value. Those of a request that a pipeline hands out have its defaults; changes that no
    /// pipeline has seen yet are applied to the standard values at each access. An assignment makes the request one with
    /// exactly these options; see ``applying(_:)`` for one that goes on to take the defaults.
    public var options: ImageOptions {
        _read {
            switch givenOptions {
            case .changes(let changes): yield ImageOptions().applying(changes)
            case .whole(let options): yield options
            }
        }
        _modify {
            var options = options
            // So that the value is changed in its place.
            givenOptions = .changes([])
            defer { givenOptions = .whole(options) }
            yield &options
        }
    }

    /// Returns the request with further changes, after its own.
    public func applying(_ changes: [ImageOption]) -> ImageRequest {
        var request = self
        switch givenOptions {
        case .changes(let earlier): request.givenOptions = .changes(earlier + changes)
        case .whole(let options): request.givenOptions = .whole(options.applying(changes))
        }
        return request
    }

    /// Returns the request with a whole value of options.
    func completed(over defaults: ImageOptions = ImageOptions(), after earlier: [ImageOption] = []) -> ImageRequest {
        guard case .changes(let changes) = givenOptions else { return self }
        return ImageRequest(source, exactly: defaults.applying(earlier.isEmpty ? changes : earlier + changes))
    }
}

extension ImageRequest: CustomStringConvertible {
    /// A description of the source.
    public var description: String { source.description }
}
