internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonHTTP
internal import HalcyonSystem

extension ImageKey {
    /// The key of a source's image with these options; `nil` as for ``OriginalKey``.
    init?(_ source: Source, options: ImageOptions, over defaults: NetworkPolicy = NetworkPolicy()) {
        guard let original = OriginalKey(source, options: options, over: defaults) else { return nil }
        self.init(original: original, options: source.loadOptions(from: options))
    }

    /// The key of a request's image in a cache.
    init?(_ request: ImageRequest) {
        self.init(request.source, options: request.options)
    }

    /// The key of the image of a source, whose file is in this state.
    init(_ source: Source, in file: FileReader.Identity, options: ImageOptions) {
        let scope = OriginalKey.scope(ofValuesIn: options, options.cache.scope.name)
        let original = OriginalKey(text: source.originalName(in: file), scope: scope)
        self.init(original: original, options: source.loadOptions(from: options))
    }

    /// The key of an original with these options.
    init(original: OriginalKey, options: ImageOptions) {
        self.init(original: original, variant: options.variant)
    }

    /// Returns whether these options make the key of an original consist of its name and the variant of the processing
    /// alone, for a request that carries no credential.
    static func isPlain(_ decode: DecodePolicy, _ cache: CachePolicy, _ network: NetworkPolicy) -> Bool {
        cache.keyRule == nil && cache.serializerHook == nil && decode.isIdentity && isForAll(cache, network)
    }

    /// Returns whether these options leave the scope of the image to the request.
    static func isForAll(_ cache: CachePolicy, _ network: NetworkPolicy) -> Bool {
        guard case .credential = cache.scope else { return false }
        return !network.mayChangeIdentity
    }
}

extension Source {
    /// The name of the original in caches, without a scope; `nil` where there is none, or where the file has to be
    /// examined first.
    var originalName: String? {
        if let cacheKey { return cacheKey }
        return switch location {
        case .network(let request): request.url.name
        case .provider(let provider): provider.cacheKey
        case .inline(let image): image.name
        case .file, .thumbnail, .videoFile, .data, .invalid: nil
        }
    }

    /// A Boolean value that indicates whether the disk cache keeps the original, which it does unless its bytes are on
    /// this machine anyway.
    var isCachedOnDisk: Bool {
        switch location {
        case .network, .provider: !hasLocalBytes
        case .file, .thumbnail, .videoFile, .data, .inline, .invalid: false
        }
    }

    /// A Boolean value that indicates whether the bytes are in memory or in a file, so that neither a server nor a
    /// provider of the program has to be asked for them.
    var hasLocalBytes: Bool {
        switch location {
        case .file, .thumbnail, .videoFile, .data, .inline: true
        case .provider(let provider): provider.base is DataURL || provider.base is Base64ImageDataProvider
        case .network, .invalid: false
        }
    }
}
