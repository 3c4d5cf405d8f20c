internal import FoundationEssentials
internal import HalcyonConcurrency
internal import HalcyonHTTP

/// A request as it was made: what was removed since is not stored by it.
struct PendingRequest: Sendable {
    let request: ImageRequest
    /// When it was made, by its ``WorkNumber``.
    let begun: UInt64
    /// `nil` if a file has to be looked at first.
    let resolved: ResolvedRequest?

    var source: Source { request.source }
    var options: ImageOptions { request.options }
}

/// Derives the identities of requests.
struct RequestResolver: Sendable {
    /// The pipeline's own cache.
    let cache: ImageCache
    /// What the downloader adds to all requests.
    let downloads: NetworkPolicy
    let files: FileFetcher

    /// Begins a load, as far as that takes no waiting.
    ///
    /// - Parameter begun: When it was asked for, if that was earlier. Default: now.
    func begin(_ request: ImageRequest, begun: UInt64 = WorkNumber.next()) -> PendingRequest {
        let (source, options) = (request.source, request.options)
        if let key = ImageKey(source, options: options, over: downloads) {
            let resolved = resolved(source, options: options, key: key, begun: begun)
            return PendingRequest(request: request, begun: begun, resolved: resolved)
        }
        guard source.isUsedOnce else {
            return PendingRequest(request: request, begun: begun, resolved: nil)
        }
        // No cache gets it, and it shares no more than transfers.
        var once = options
        once.cache.storesInMemory = false
        once.cache.storesOnDisk = false
        if case .data = source.location { once.cache.reads = .none }
        let audience = OriginalKey.audience(of: source, options: options, over: downloads)
        let original = OriginalKey(text: "once:\(UUID().uuidString)", scope: audience)
        let key = ImageKey(original: original, options: once)
        let resolved = resolved(source, options: once, key: key, begun: begun)
        // What takes its place, if it fails, is cached as the options say.
        return PendingRequest(request: request, begun: begun, resolved: resolved)
    }

    /// The request with its identities.
    ///
    /// - Throws: ``ImageError`` for a source that names nothing, and for a file that cannot be read; `CancellationError`.
    func resolve(_ request: PendingRequest, context: WorkContext) async throws -> ResolvedRequest {
        if let resolved = request.resolved { return resolved }
        switch request.source.location {
        case .file(let path):
            let identity = try await files.identity(of: path, context: context)
            let name = identity.key(of: path)
            let original = OriginalKey(text: name, scope: request.options.cache.scope.name)
            let key = ImageKey(original: original, options: request.options)
            return resolved(request.source, options: request.options, key: key, begun: request.begun)
        case .invalid(let url):
            throw ImageError(stage: .source, reason: .invalidURL(url), source: url)
        case .network, .data, .provider:
            let name = "\(request.source)"
            throw ImageError(stage: .source, reason: .invalidURL(name), source: name)
        }
    }

    private func resolved(
        _ source: Source,
        options: ImageOptions,
        key: ImageKey,
        begun: UInt64
    ) -> ResolvedRequest {
        let policy = options.cache
        let target = policy.targetCache ?? cache
        var originals = [target]
        if !options.processing.isIdentity, let original = policy.originalCache, original != target {
            originals = [original, target]
        }
        // Who asks no cache wants what the source has now.
        let kind: StorePermit.Kind = policy.reads == .none ? .refresh : .load
        return ResolvedRequest(
            source: source,
            options: options,
            key: key,
            permits: StorePermits(for: key, in: originals, kind, begun: begun),
            target: target,
            originalCaches: originals,
            transfer: source.transfer(options, over: downloads),
            hasModifiers: options.network.requestModifier != nil || downloads.requestModifier != nil,
            work: OriginalWorkKey(source, options, original: key.original, readsDisk: policy.reads == .all)
        )
    }
}

extension Source {
    /// The request as sent, apart from what modifiers make of it; `nil` if the source is no server.
    func transfer(_ options: ImageOptions, over downloads: NetworkPolicy) -> TransferRequest? {
        guard case .network(let transfer) = location else { return nil }
        return options.network.applied(to: transfer, over: downloads)
    }

    /// Whether it comes from a server.
    var isFromServer: Bool { if case .network = location { true } else { false } }

    /// Whether what has no key is not asked for a second time: bytes at hand, and answers that are for one request alone.
    fileprivate var isUsedOnce: Bool {
        switch location {
        case .data, .network: true
        case .file, .provider, .invalid: false
        }
    }
}
