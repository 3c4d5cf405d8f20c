public import FoundationEssentials
internal import HalcyonHTTP
internal import HalcyonSystem

extension Source {
    /// The URL of a source at an address or in a file, also of a scheme that only a ``SourceLoading`` knows, and also
    /// once its provider has taken the place of the URL; `nil` for other sources.
    public var url: URL? {
        switch location {
        case .network(let request): request.url
        case .invalid(let url): URL(string: url.text)
        case .file(let path), .videoFile(let path): Self.url(ofFile: path.text)
        case .thumbnail(let thumbnail): Self.url(ofFile: thumbnail.path.text)
        case .provider: loaded?.url
        case .data, .inline: nil
        }
    }

    private static func url(ofFile path: String) -> URL? {
        FilePath.isURL(path) ? URL(string: path) : URL(filePath: path)
    }

    /// The request that a loader answers in place of a server; `nil` for sources on this machine.
    private var requestToLoad: TransferRequest? {
        switch location {
        case .network(let request): request
        case .invalid(let url): URL(string: url.text).map { TransferRequest(url: $0) }
        case .file, .thumbnail, .videoFile, .data, .provider, .inline: nil
        }
    }

    /// Returns the source with the provider of the first loader that has one; the same if there is none.
    func loaded(by loaders: [Interception.Loader], options: ImageOptions) -> Source {
        if case .provider = location { return self }
        for loader in loaders {
            guard let provider = loader.provider(for: self, options: options) else { continue }
            return Source(
                .provider(AnyImageDataProvider(provider)),
                cacheKey: cacheKey,
                videoFrame: videoFrame,
                loaded: Loaded(url: url, request: requestToLoad, thumbnail: thumbnailSize, step: loader.step)
            )
        }
        return self
    }
}

extension ImageRequest {
    /// Returns the request with the providers of loaders: for its source, its previews, and the sources that may take
    /// its place.
    func loaded(by loaders: [Interception.Loader]) -> ImageRequest {
        if loaders.isEmpty { return self }
        func loaded(_ source: Source) -> Source { source.loaded(by: loaders, options: options) }
        var request = ImageRequest(loaded(source), exactly: options)
        let previews = options.previews.map(loaded)
        if previews != options.previews { request.options.previews = previews }
        guard options.recovery.hasOtherSources else { return request }
        let alternatives = options.recovery.alternatives.map(loaded)
        if alternatives != options.recovery.alternatives { request.options.recovery.alternatives = alternatives }
        if let source = options.recovery.lowDataSource.map(loaded), source != options.recovery.lowDataSource {
            request.options.recovery.lowDataSource = source
        }
        return request
    }
}
