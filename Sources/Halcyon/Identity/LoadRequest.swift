internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonConcurrency
internal import HalcyonHTTP

/// A source and options, with the identities derived from them.
struct LoadRequest: Sendable {
    let source: Source
    var options: ImageOptions
    /// The key in the caches; `nil` where there is none, or the state of a file has to be looked at first.
    let key: ImageKey?
    /// When it was asked for, by its ``WorkNumber``: what was removed since is not stored.
    var begun = WorkNumber.next()
    /// To store what the load brings; `nil` until its key is known.
    var permits: StorePermits?

    /// The load may share work that began since then, by its ``WorkNumber``.
    var sharesSince: UInt64 { permits?.sharesSince ?? 0 }

    /// - Parameter defaults: What the downloader adds to all requests. Default: nothing.
    init(source: Source, options: ImageOptions, over defaults: NetworkPolicy = NetworkPolicy()) {
        let key = ImageKey(source, options: options, over: defaults)
        self.init(source: source, options: options, key: key)
    }

    /// A request whose original key has been found out.
    init(source: Source, options: ImageOptions, originalKey: OriginalKey?) {
        self.init(source: source, options: options, key: ImageKey(original: originalKey, options: options))
    }

    /// A request whose key has been derived already.
    init(source: Source, options: ImageOptions, key: ImageKey?) {
        self.source = source
        self.options = options
        self.key = key
    }

    /// The scope that is named for it; `nil` for none.
    var audience: String? { key?.original.namedAudience }

    /// The request with a key that no other has and no cache gets, for what has no name. It says all the same whose it is.
    ///
    /// - Parameter defaults: What the downloader adds to all requests.
    func usedOnce(over defaults: NetworkPolicy) -> LoadRequest {
        var options = options
        options.cache.storesInMemory = false
        options.cache.storesOnDisk = false
        let audience = OriginalKey.audience(of: source, options: options, over: defaults)
        let key = OriginalKey(text: "once:\(UUID().uuidString)", scope: audience)
        var request = LoadRequest(source: source, options: options, originalKey: key)
        request.begun = begun
        return request
    }
}

extension ImageKey {
    /// The key of a source's image with these options; `nil` as for ``OriginalKey``.
    init?(_ source: Source, options: ImageOptions, over defaults: NetworkPolicy = NetworkPolicy()) {
        self.init(original: OriginalKey(source, options: options, over: defaults), options: options)
    }

    /// The key of an original with these options; `nil` without an original's key.
    init?(original: OriginalKey?, options: ImageOptions) {
        guard let original else { return nil }
        let variant = Variant.of(decode: options.decode, processing: options.processing)
        self.init(original: original, variant: variant)
    }

    /// Whether options make the key of an original no other than its name and the variant of the processing, for a request
    /// that carries no credential.
    static func isPlain(_ decode: DecodePolicy, _ cache: CachePolicy, _ network: NetworkPolicy) -> Bool {
        cache.keyRule == nil && decode.isIdentity && isForAll(cache, network)
    }

    /// Whether options leave it to the request whose image it is.
    static func isForAll(_ cache: CachePolicy, _ network: NetworkPolicy) -> Bool {
        guard case .credential = cache.scope else { return false }
        return !network.mayChangeIdentity
    }
}

extension Source {
    /// The name of the original in caches, whoever asks for it; `nil` where there is none, or where the file has to be looked
    /// at first.
    var originalName: String? {
        if let cacheKey { return cacheKey }
        return switch location {
        case .network(let request): request.url.absoluteString
        case .provider(let provider): provider.cacheKey
        case .file, .data, .invalid: nil
        }
    }

    /// Whether the disk cache keeps the original: not if it is on this machine anyway.
    var isCachedOnDisk: Bool {
        switch location {
        case .network: true
        case .provider(let provider): !(provider.base is DataURL)
        case .file, .data, .invalid: false
        }
    }
}

/// What makes one transfer, file or provider the same as another.
struct OriginalWorkKey: Hashable, Sendable {
    let original: OriginalKey
    let location: Source.Location
    let readsDisk: Bool
    let network: NetworkPolicy
    let freshness: CachePolicy.Freshness
    let staleIfError: HTTPCachePolicy.StaleIfError
    let revalidates: Bool
    let recovery: RecoveryPolicy
    /// Whether what failed before is tried again all the same.
    let ignoresFailures: Bool
    /// Where the bytes may come from, beside the pipeline's own cache.
    let caches: [ImageCache?]
    /// Tells this load from all others where only its own hooks know who asks: it shares no more than transfers, which
    /// are told apart by the requests that those hooks made.
    let load: UUID?

    init(_ request: LoadRequest, original: OriginalKey, readsDisk: Bool) {
        self.original = original
        // Urgency is no part of what is sent.
        if case .network(var transfer) = request.source.location {
            transfer.priority = .normal
            location = .network(transfer)
        } else {
            location = request.source.location
        }
        self.readsDisk = readsDisk
        network = request.options.network
        freshness = request.options.cache.freshness
        staleIfError = request.options.cache.staleIfError
        revalidates = request.options.cache.revalidates
        recovery = request.options.recovery.ofOneSource
        let policy = request.options.cache
        ignoresFailures = policy.reads == .none
        caches = [request.options.processing.isIdentity ? nil : policy.originalCache, policy.targetCache]
        load = request.options.modifiesRequests && !request.options.namesAudience(of: original) ? UUID() : nil
    }
}

/// What makes one decoding the same as another.
struct DecodedWorkKey: Hashable, Sendable {
    let original: OriginalWorkKey
    let decode: DecodePolicy
    let target: DecodeTarget
    /// The colours of the result. Those of the file where the first processor is to run before they are converted.
    let color: ColorHandling

    init(original: OriginalWorkKey, decode: DecodePolicy, processing: ImageProcessorChain) {
        self.original = original
        self.decode = decode
        target = processing.decodeTarget
        color = processing.resizesFirst ? .asStored : decode.color
    }
}

/// What makes one result of processors the same as another.
struct ProcessedWorkKey: Hashable, Sendable {
    let decoding: DecodedWorkKey
    let processing: ImageProcessorChain
}

/// What makes one processed image the same as another, what happens to it afterwards included.
struct ImageWorkKey: Hashable, Sendable {
    let image: ImageKey
    let original: OriginalWorkKey
    let limits: DecodePolicy
    let cache: CachePolicy
}
