internal import FoundationEssentials
internal import HTTPTypes
internal import HalcyonHTTP
internal import HalcyonSystem

/// A request of a load, after the first steps of interceptors.
struct PendingRequest: Sendable {
    /// With completed options.
    let request: ImageRequest
    /// The time at which it was made, as a ``WorkNumber``: images removed since are not stored by it, however long
    /// interceptors take.
    let begun: UInt64
    /// The interceptors whose second steps the load comes to, the first outermost.
    let interceptors: [Hook<any LoadIntercepting>]
    /// The steps in which it was made.
    let enclosing: [Interception.Step]
    /// The request with its identities; `nil` if they are not derived yet, or the state of a file, or the key of
    /// credentials, has to be read first.
    let resolved: ResolvedRequest?

    init(
        _ request: ImageRequest,
        begun: UInt64 = WorkNumber.next(),
        interceptors: [Hook<any LoadIntercepting>] = [],
        enclosing: [Interception.Step] = Interception.current,
        resolved: ResolvedRequest? = nil
    ) {
        self.request = request
        self.begun = begun
        self.interceptors = interceptors
        self.enclosing = enclosing
        self.resolved = resolved
    }

    var source: Source { request.source }
    var options: ImageOptions { request.options }
}

/// Derives the identities of requests.
struct RequestResolver: Sendable {
    /// The pipeline's own cache.
    let cache: ImageCache
    /// The pipeline's downloader, whose policy at the moment adds to all requests.
    let downloader: ImageDownloader
    let files: FileFetcher
    /// The kinds of sources that are loaded.
    let allowedSources: SourceKinds
    /// The pipeline's part in the steps of loads.
    let interception: ObjectIdentifier

    /// Begins a load as far as that is possible without waiting.
    ///
    /// - Parameters:
    ///   - earlier: The time at which it was asked for, if it is a part of another load. Default: now.
    ///   - enclosing: The steps in which it was asked for. Default: those of the calling task.
    func begin(
        _ request: ImageRequest,
        begun earlier: UInt64? = nil,
        within enclosing: [Interception.Step] = Interception.current
    ) -> PendingRequest {
        named(PendingRequest(request, begun: earlier ?? WorkNumber.next(), enclosing: enclosing))
    }

    /// Begins the load of a call as far as that is possible without waiting. That of an intercepted one is begun when it
    /// has left the chain.
    func begin(_ call: PendingRequest) -> PendingRequest { call.interceptors.isEmpty ? named(call) : call }

    /// Returns whether the identities of a request wait for the disk, which the caller of a load does not.
    private func waitsForDisk(_ request: ImageRequest) -> Bool {
        let downloader = request.options.network.downloader ?? downloader
        let policy = downloader.setup.configuration.policy
        return OriginalKey.waitsForDisk(of: request.source, options: request.options, over: policy)
    }

    /// Returns a call with the identities of its request, if they are known without waiting.
    func named(_ call: PendingRequest) -> PendingRequest {
        let request = call.request
        let downloader = request.options.network.downloader ?? downloader
        while true {
            let setup = downloader.setup
            guard !waitsForDisk(request) else { return call }
            let resolved = resolved(call, setup)
            // A downloader that the options name is read in several places: all of them have seen one configuration.
            guard downloader.setup === setup else { continue }
            return PendingRequest(
                request,
                begun: call.begun,
                interceptors: call.interceptors,
                enclosing: call.enclosing,
                resolved: resolved
            )
        }
    }

    private func resolved(_ call: PendingRequest, _ setup: DownloadSetup) -> ResolvedRequest? {
        let (source, downloads) = (call.source, setup.configuration.policy)
        if let key = ImageKey(source, options: call.options, over: downloads) { return resolved(call, as: key, setup) }
        guard source.isUsedOnce else { return nil }
        // It is stored in no cache, and shares no more than transfers. A source that replaces it, if it fails, is cached as
        // the options say.
        var once = call.request
        once.options.cache.storesInMemory = false
        once.options.cache.storesOnDisk = false
        if case .data = source.location { once.options.cache.reads = .none }
        let audience = OriginalKey.audience(of: source, options: call.options, over: downloads)
        let original = OriginalKey(text: "once:\(UUID().uuidString)", scope: audience)
        let key = ImageKey(original: original, options: source.loadOptions(from: call.options.forWork()))
        return resolved(PendingRequest(once, begun: call.begun, enclosing: call.enclosing), as: key, setup)
    }

    /// Returns the request with its identities.
    ///
    /// - Throws: ``ImageError`` for contradictory options, for a source that names nothing or is not allowed, and for a file
    ///   that cannot be read; `CancellationError`.
    func resolve(_ request: PendingRequest, context: WorkContext) async throws -> ResolvedRequest {
        let setup = (request.options.network.downloader ?? downloader).setup
        try check(request, setup)
        if request.options.network.mayChangeIdentity { reportHooks(of: request, setup, context: context) }
        if let resolved = request.resolved { return resolved }
        return try await resolveUnnamed(request, setup, context: context)
    }

    @inline(never)
    private func check(_ request: PendingRequest, _ setup: DownloadSetup) throws {
        if let kind = request.source.kind, !allowedSources.contains(kind) {
            throw ImageError(stage: .source, reason: .sourceNotAllowed(kind), source: "\(request.source)")
        }
        let downloads = setup.configuration.policy
        if let contradiction = OptionContradiction(request.options, for: request.source, over: downloads) {
            throw ImageError(stage: .source, reason: .contradictoryOptions(contradiction), source: "\(request.source)")
        }
    }

    /// Reports hooks that keep the image out of caches, once for each of their types.
    @inline(never)
    private func reportHooks(of request: PendingRequest, _ setup: DownloadSetup, context: WorkContext) {
        guard case .network = request.source.location else { return }
        let network = request.options.network
        for hooks in network.hooksWithoutIdentity(over: setup.configuration.policy) {
            let type = type(of: hooks as Any)
            guard downloader.reportedHooks.withLock({ $0.insert(ObjectIdentifier(type)).inserted }) else { continue }
            context.note(.hooksWithoutIdentity("\(type)"))
        }
    }

    /// Returns a request whose source has no name yet with its identities.
    ///
    /// Not inlined: most requests need no frame for it.
    @inline(never)
    private func resolveUnnamed(
        _ request: PendingRequest,
        _ setup: DownloadSetup,
        context: WorkContext
    ) async throws -> ResolvedRequest {
        let source = request.source
        if let path = source.filePath {
            let identity = try await files.identity(of: path, context: context)
            return resolved(request, as: ImageKey(source, in: identity, options: request.options), setup)
        }
        if waitsForDisk(request.request) {
            try await files.run(priority: context.priority) { _ = CredentialDigester.installation }
        }
        // Another load may have read the key of credentials since the request was made.
        if let resolved = named(request).resolved { return resolved }
        let name = "\(source)"
        throw ImageError(stage: .source, reason: .invalidURL(name), source: name)
    }

    /// Returns a request with the identities of an image, whose key is known.
    func resolved(_ call: PendingRequest, as key: ImageKey, _ setup: DownloadSetup? = nil) -> ResolvedRequest {
        let (source, setup) = (call.source, setup ?? downloader.setup)
        let options = source.loadOptions(from: call.options.forWork())
        let steps = ProviderSteps(source, within: call.enclosing, of: interception)
        // Of a request without a target size, the options of which the sizes are derived are not made.
        let hasSizes = call.options.targetSize != nil
        let policy = options.cache
        let target = policy.targetCache ?? cache
        let originals = policy.cacheOfOriginal(isProcessed: !options.processing.isIdentity) ?? cache
        let other = policy.originalCache ?? target
        let caches = other === target ? [target] : [target, other]
        let kind: ContentRegistration.Kind = policy.isForcedRefresh ? .refresh : .load
        let additions = setup.configuration.policy
        return ResolvedRequest(
            source: source,
            options: options,
            key: key,
            registrations: ContentRegistrations(for: key, with: caches, kind, called: call.begun),
            target: target,
            originals: originals,
            caches: caches,
            sizes: hasSizes
                ? ImageSizes(original: key.original, options: source.loadOptions(from: call.options)) : nil,
            transfer: source.transfer(options, over: additions),
            hasUnknownFields: [options.network.hooks, additions.hooks].contains { hooks in
                hooks.map { $0.cacheIdentity != .unchanged } ?? false
            },
            steps: steps,
            work: OriginalWorkKey(
                source,
                options,
                original: key.original,
                steps: steps,
                generation: setup.generation,
                readsDisk: options.readsOriginalOnDisk
            )
        )
    }
}

extension Source {
    /// Returns the request as sent, apart from changes by hooks; `nil` if the source is no server.
    func transfer(_ options: ImageOptions, over downloads: NetworkPolicy) -> TransferRequest? {
        guard case .network(let transfer) = location else { return nil }
        var request = options.network.applied(to: transfer, over: options.network.additions(or: downloads))
        if downloads.transportScope != nil { request.takesStoredCookies = true }
        return request
    }

    /// A Boolean value that indicates whether the source is a server.
    var isFromServer: Bool { if case .network = location { true } else { false } }

    /// Returns whether both have their bytes from the same place, so that their loads may share the work for them: the cache
    /// key and the urgency are no part of what is asked for.
    func hasTransfer(of other: Source) -> Bool {
        guard case .network(var left) = location, case .network(let right) = other.location else {
            return location == other.location
        }
        left.priority = right.priority
        return left == right
    }

    /// A Boolean value that indicates whether a source without a key is used only once: bytes at hand, and responses
    /// that are for one request alone.
    fileprivate var isUsedOnce: Bool {
        switch location {
        case .data, .network: true
        case .file, .thumbnail, .videoFile, .provider, .inline, .invalid: false
        }
    }
}
