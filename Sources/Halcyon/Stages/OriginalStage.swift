internal import FoundationEssentials
internal import HalcyonHTTP
internal import HalcyonStore
internal import HalcyonSystem

/// Finds originals on disk, as their servers allow, or gets them from their sources.
final class OriginalStage: Sendable {
    private let network: NetworkFetcher
    private let files: FileFetcher
    let refresher: OriginalRefresher
    /// The searches for originals under way.
    let work = WorkCoalescer<OriginalWorkKey, Original>(.original)

    init(network: NetworkFetcher, files: FileFetcher, refresher: OriginalRefresher) {
        self.network = network
        self.files = files
        self.refresher = refresher
    }

    /// Returns the encoded bytes of a request's original; equal requests share them. They are not stored.
    func original(for request: ResolvedRequest, context: WorkContext) async throws -> Original {
        try await work.value(for: request.work, of: request, context: context) { [self] context in
            guard let transfer = request.cacheableTransfer, request.reach != .thisCache else {
                return try await plainOriginal(for: request, context: context)
            }
            // An original that may be used although its server fails is used before the server is tried again.
            return try await network.recovery.loadThroughCache(request, context) {
                try await cachedOriginal(transfer, for: request, context: context)
            }
        }
    }

    /// Returns what is made of a request's original. An entry that turns out to be damaged is removed, and the load
    /// continues as if it had never been there: with that of the next tier, also where its own declines to remove it, and
    /// after the last one with the source.
    func healing<Value: Sendable>(
        _ request: ResolvedRequest,
        from first: Original? = nil,
        context: WorkContext,
        _ make: (Original) async throws -> Value
    ) async throws -> Value {
        var request = request
        var looks = request.removesDamage ? request.originals.tiers.all.count : 0
        var first = first
        while true {
            let original: Original
            if let given = first.take() {
                original = given
            } else {
                original = try await self.original(for: request, context: context)
            }
            do {
                return try await make(original)
            } catch let error as ImageError
                where original.source == .disk && error.isDamage && request.work.readsDisk
            {
                guard looks > 0, let found = original.caching.source else {
                    request = request.changing(readsDisk: false)
                    continue
                }
                if await !request.originals.tiers.remove(found.place) {
                    request = request.changing(skippedTiers: found.place.tier + 1)
                }
                looks -= 1
            }
        }
    }

    /// Returns an original as far as its bytes are on this machine: on disk, as its scope and its server allow, in the file
    /// that it is, or in memory; `nil` otherwise. Asks neither a server nor a provider.
    func stored(for request: ResolvedRequest, context: WorkContext) async throws -> Original? {
        // That of a frame of a file is not read whole.
        guard request.source.hasEncodedBytes else { return nil }
        do {
            if case .provider = request.source.location, !request.source.hasLocalBytes {
                guard request.work.readsDisk else { return nil }
                return try await storedOriginal(for: request, context: context)
            }
            // A load that reads no cache may use the network whatever the options say of it.
            guard !request.options.cache.isForcedRefresh else { return nil }
            let original = try await original(for: request.withoutNetwork, context: context)
            // A file that has changed since is another original.
            if request.source.filePath != nil, original.caching.effect == .leave { return nil }
            return original
        } catch is ImageError {
            try Task.checkCancellation()
            return nil
        }
    }

    /// Returns an original through the HTTP cache.
    private func cachedOriginal(
        _ transfer: TransferRequest,
        for request: ResolvedRequest,
        context: WorkContext
    ) async throws -> Original {
        let since = request.joining.since
        let original = try await network.cached(transfer, for: request, since: since, context: context) {
            refresher.refresh(request, transfer, context.activities)
        }
        if let time = original.timings.disk {
            let isFound = original.source == .disk
            let byteCount = isFound ? original.data.count : 0
            context.note(.lookedUpDisk(.original, isFound: isFound, byteCount: byteCount, duration: time))
        }
        return original
    }

    /// Returns the original of a source whose caching no server decides.
    private func plainOriginal(
        for request: ResolvedRequest,
        context: WorkContext
    ) async throws -> Original {
        if request.reach == .thisCache, request.isProcessed { throw request.notCached }
        let start = ContinuousClock.now
        var timings = ImageTimings()
        var expired: ContentClaim.Found?
        if request.work.readsDisk, request.source.isCachedOnDisk || request.reach == .thisCache {
            let found = try await storedOriginal(for: request, context: context) { expired = expired ?? .init($0) }
            let time = ContinuousClock.now - start
            let byteCount = found?.data.count ?? 0
            context.note(.lookedUpDisk(.original, isFound: found != nil, byteCount: byteCount, duration: time))
            if let found { return found }
            timings.disk = time
        }
        switch request.reach {
        case .anywhere: break
        case .thisMachine where request.source.hasLocalBytes: break
        case .thisMachine, .thisCache: throw request.notCached
        }
        let loadStart = ContinuousClock.now
        let number = WorkNumber.next()
        // A transfer reports its beginning itself, to everyone who has joined it: a load that this one replaces must not be
        // cancelled before that, as the transfer would end with it and be sent anew.
        if !request.source.isFromServer { context.begin(.load) }
        let fetched = try await network.recovery.load(request, context) {
            try await fetch(request, context: context)
        }
        let time = ContinuousClock.now - loadStart
        timings.load = time
        if fetched.source != .network { context.note(.read(byteCount: fetched.data.count, duration: time)) }
        return Original(fetched, for: request, number: number, timings: timings, found: expired)
    }

    /// Gets an original from its source.
    private func fetch(_ request: ResolvedRequest, context: WorkContext) async throws -> FetchedOriginal {
        switch request.source.location {
        case .network:
            return try await network.uncached(request, context: context)
        case .file(let path):
            return try await files.bytes(of: path.text, or: nil, for: request, context: context)
        case .data(let data):
            return FetchedOriginal(data: data, source: .data)
        case .provider(let provider):
            return try await ProviderFetcher(provider: provider, files: files).fetch(request, context: context)
        case .inline(let image):
            return FetchedOriginal(data: image.data, source: .data)
        case .thumbnail(let thumbnail):
            // A thumbnail shows the first frame.
            let wanted = request.options.decode.frame == 0 ? thumbnail : nil
            return try await files.bytes(of: thumbnail.path.text, or: wanted, for: request, context: context)
        case .videoFile(let path):
            return try await files.video(path.text, for: request, context: context)
        case .invalid(let url):
            throw ImageError(stage: .source, reason: .invalidURL(url.text), source: url.text)
        }
    }

    /// Returns an original from disk, or one that came with the program; `nil` if there is none.
    private func storedOriginal(
        for request: ResolvedRequest,
        context: WorkContext,
        expired: (TierEntry) -> Void = { _ in }
    ) async throws -> Original? {
        let start = ContinuousClock.now
        return try await request.originals.tiers.first(
            for: CacheKey(name: request.key.originalDiskKey),
            skipping: request.work.skippedTiers,
            extending: request.options.cache.diskExtension,
            priority: context.priority,
            expired: expired
        ) { entry, place in
            guard let caching = request.found(entry, at: place) else { return nil }
            var timings = ImageTimings()
            timings.disk = ContinuousClock.now - start
            return Original(data: entry.body, source: .disk, timings: timings, metrics: nil, caching: caching)
        }
    }
}

extension ResolvedRequest {
    /// A Boolean value that indicates whether an entry that cannot be decoded is removed: damage in a later frame leaves
    /// the frames before it readable, and codecs of the request's own may be the only ones that cannot read it.
    fileprivate var removesDamage: Bool { options.decode.frame == 0 && options.decode.hasStandardReading }

    /// Returns the effect of an entry in a cache; `nil` if it is outdated.
    fileprivate func found(_ entry: TierEntry, at place: CacheTiers.Location) -> OriginalCaching? {
        let (content, cache) = (ContentClaim.Found(entry), originals)
        let head = transfer?.headWithoutStatements(receivedAt: entry.storedAt ?? cache.disk.now()).map { silent in
            StoredResponse(metadata: entry.metadata, isShared: target.isShared) ?? silent
        }
        let representation = head?.contentRepresentation ?? ""
        guard cache.isCurrent(content.digest, of: representation, at: place) else { return nil }
        return OriginalCaching(foundAs: OriginalStorage.Entry(place: place, content: content), head: head)
    }
}

extension ImageError {
    /// A Boolean value that indicates whether the server refused, or nothing was sent for a reason of this process. A
    /// connection that fails may succeed the next time.
    var isRefusal: Bool {
        switch reason {
        case .status, .meteredNetwork, .failedBefore, .serverUnavailable: true
        default: false
        }
    }
}
