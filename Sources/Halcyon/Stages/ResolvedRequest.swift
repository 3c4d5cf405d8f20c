internal import HalcyonHTTP

/// A request with every identity derived from it, for the stages of a load.
struct ResolvedRequest: Sendable {
    let source: Source
    let options: ImageOptions
    /// The key of the image in the caches.
    let key: ImageKey
    /// The right to store what the load brings.
    let permits: StorePermits
    /// The cache of the image.
    let target: ImageCache
    /// The caches that may have the original, in the order of looking; the first keeps what is new.
    let originalCaches: [ImageCache]
    /// The request as sent, apart from what modifiers make of it; `nil` if the source is no server.
    let transfer: TransferRequest?
    /// Whether modifiers decide what is sent, so that the fields that a response varies by are not known before.
    let hasModifiers: Bool
    /// The identity of getting the original.
    let work: OriginalWorkKey

    /// The load may share work that began since then, by its ``WorkNumber``.
    var sharesSince: UInt64 { permits.sharesSince }

    /// The scope that is named for it; `nil` for none.
    var audience: String? { key.original.namedAudience }

    /// Whether the result is made by processors, and so has a place of its own on disk.
    var isProcessed: Bool { !options.processing.isIdentity }

    /// The request as sent, if its server has a say in whether the response is cached, unless that is to be ignored.
    var cacheableTransfer: TransferRequest? {
        guard let transfer, transfer.method == .get, transfer.body == nil else { return nil }
        return transfer
    }

    /// Whether the response is cached as its server says.
    var followsServer: Bool { options.cache.freshness != .ignoringServer && cacheableTransfer != nil }

    /// Whether the options say whose the original is, so that what came for a credential or another request that a hook
    /// added may be kept under its key.
    var namesAudience: Bool { options.namesAudience(of: key.original) }

    /// Returns whether a failure is that of another request, or another credential, than the load shows, so that it says
    /// nothing about the images that caches have under its key.
    func isForOthers(_ error: ImageError) -> Bool { error.isForHiddenRequest && !namesAudience }

    /// What the standard leaves open, with the request's own rule of freshness.
    var cacheRules: HTTPCacheRules {
        var rules = HTTPCacheRules.images
        rules.hasUnknownFields = hasModifiers
        switch options.cache.freshness {
        case .server: break
        case .ignoringServer: rules.ignoresServer = true
        case .expiration(.date(let date)): rules.lifetimeOverride = .until(date)
        case .expiration(let expiration):
            rules.lifetimeOverride = .seconds(expiration.interval(since: target.disk.now()))
        }
        return rules
    }

    /// The same request, whose original comes from its source.
    var withoutReadingDisk: ResolvedRequest {
        replacing(work: OriginalWorkKey(source, options, original: key.original, readsDisk: false), options: options)
    }

    /// The same request with another policy for failures.
    func with(_ recovery: RecoveryPolicy) -> ResolvedRequest {
        var options = options
        options.recovery = recovery
        let work = OriginalWorkKey(source, options, original: key.original, readsDisk: options.cache.reads == .all)
        return replacing(work: work, options: options)
    }

    private func replacing(work: OriginalWorkKey, options: ImageOptions) -> ResolvedRequest {
        ResolvedRequest(
            source: source,
            options: options,
            key: key,
            permits: permits,
            target: target,
            originalCaches: originalCaches,
            transfer: transfer,
            hasModifiers: hasModifiers,
            work: work
        )
    }

    /// Returns whether a request with this rule of freshness has to ask the server before it uses an image.
    func mustAsk(about validity: OriginalValidity?) -> Bool {
        validity?.isOver(at: target.disk.now(), options.cache.freshness) ?? false
    }

    /// The error for what is in no cache, where nothing else may be asked.
    var notCached: ImageError { ImageError(stage: .cache, reason: .notCached, source: "\(source)") }
}
