internal import FoundationEssentials
internal import HalcyonConcurrency
internal import HalcyonHTTP

/// A request with the time at which it was made: images removed since are not stored by it.
struct PendingRequest: Sendable {
    let request: ImageRequest
    /// The time at which it was made, as a ``WorkNumber``.
    let begun: UInt64
    /// The request with its identities; `nil` if the state of a file has to be read first.
    let resolved: ResolvedRequest?
    /// Records of removals for names that are not known yet; empty if all names are known.
    var openLoads: [OpenLoad] = []

    var source: Source { request.source }
    var options: ImageOptions { request.options }
}

/// Derives the identities of requests.
struct RequestResolver: Sendable {
    /// The pipeline's own cache.
    let cache: ImageCache
    /// The network policy that the pipeline's downloader adds to all requests.
    let downloads: NetworkPolicy
    let files: FileFetcher

    /// Begins a load as far as that is possible without waiting.
    ///
    /// - Parameter begun: The time at which it was asked for, if it is a part of another load, which is kept until this
    ///   one ends. Default: now.
    func begin(_ request: ImageRequest, begun earlier: UInt64? = nil) -> PendingRequest {
        if let earlier { return pending(request, begun: earlier) }
        // Before the load is given its number, so that nothing is removed between the two.
        let hasOpenNames = request.source.filePath != nil || request.options.recovery.hasOtherSources
        let openLoads = hasOpenNames ? originalCaches(request.options).map { $0.order.beginOpenLoad() } : []
        var pending = self.pending(request, begun: WorkNumber.next())
        pending.openLoads = openLoads
        return pending
    }

    private func pending(_ request: ImageRequest, begun: UInt64) -> PendingRequest {
        let source = request.source
        let options = source.loadOptions(from: request.options.forWork())
        if let key = ImageKey(source, options: request.options, over: downloads) {
            let resolved = resolved(source, options: options, key: key, begun: begun)
            return PendingRequest(request: request, begun: begun, resolved: resolved)
        }
        guard source.isUsedOnce else {
            return PendingRequest(request: request, begun: begun, resolved: nil)
        }
        // It is stored in no cache, and shares no more than transfers.
        var once = options
        once.cache.storesInMemory = false
        once.cache.storesOnDisk = false
        if case .data = source.location { once.cache.reads = .none }
        let audience = OriginalKey.audience(of: source, options: options, over: downloads)
        let original = OriginalKey(text: "once:\(UUID().uuidString)", scope: audience)
        let key = ImageKey(original: original, options: once)
        let resolved = resolved(source, options: once, key: key, begun: begun)
        // A source that replaces it, if it fails, is cached as the options say.
        return PendingRequest(request: request, begun: begun, resolved: resolved)
    }

    /// Returns the request with its identities.
    ///
    /// - Throws: ``ImageError`` for contradictory options, for a source that names nothing, and for a file that cannot
    ///   be read; `CancellationError`.
    func resolve(_ request: PendingRequest, context: WorkContext) async throws -> ResolvedRequest {
        if let contradiction = OptionContradiction(request.options, for: request.source, over: downloads) {
            throw ImageError(stage: .source, reason: .contradictoryOptions(contradiction), source: "\(request.source)")
        }
        if let resolved = request.resolved { return resolved }
        let source = request.source
        if let path = source.filePath {
            let identity = try await files.identity(of: path, context: context)
            let key = ImageKey(source, in: identity, options: request.options)
            let options = source.loadOptions(from: request.options.forWork())
            return resolved(source, options: options, key: key, begun: request.begun)
        }
        switch source.location {
        case .invalid(let url):
            throw ImageError(stage: .source, reason: .invalidURL(url), source: url)
        case .network, .file, .thumbnail, .data, .provider, .placeholder:
            let name = "\(source)"
            throw ImageError(stage: .source, reason: .invalidURL(name), source: name)
        }
    }

    /// Returns the caches that may have the original, in the order in which they are searched.
    private func originalCaches(_ options: ImageOptions) -> [ImageCache] {
        let target = options.cache.targetCache ?? cache
        guard !options.processing.isIdentity, let original = options.cache.originalCache, original != target else {
            return [target]
        }
        return [original, target]
    }

    private func resolved(
        _ source: Source,
        options: ImageOptions,
        key: ImageKey,
        begun: UInt64
    ) -> ResolvedRequest {
        let policy = options.cache
        let originals = originalCaches(options)
        // A request that reads no cache asks for the present state of the source.
        let kind: StorePermit.Kind = policy.reads == .none ? .refresh : .load
        let additions = options.network.additions(or: downloads)
        return ResolvedRequest(
            source: source,
            options: options,
            key: key,
            permits: StorePermits(for: key, in: originals, kind, begun: begun),
            target: policy.targetCache ?? cache,
            originalCaches: originals,
            transfer: source.transfer(options, over: downloads),
            hasModifiers: options.network.requestModifier != nil || additions.requestModifier != nil,
            work: OriginalWorkKey(source, options, original: key.original, readsDisk: options.readsOriginalOnDisk)
        )
    }
}

extension Source {
    /// Returns the request as sent, apart from changes by modifiers; `nil` if the source is no server.
    func transfer(_ options: ImageOptions, over downloads: NetworkPolicy) -> TransferRequest? {
        guard case .network(let transfer) = location else { return nil }
        return options.network.applied(to: transfer, over: options.network.additions(or: downloads))
    }

    /// A Boolean value that indicates whether the source is a server.
    var isFromServer: Bool { if case .network = location { true } else { false } }

    /// A Boolean value that indicates whether a source without a key is used only once: bytes at hand, and responses
    /// that are for one request alone.
    fileprivate var isUsedOnce: Bool {
        switch location {
        case .data, .network: true
        case .file, .thumbnail, .provider, .placeholder, .invalid: false
        }
    }
}
