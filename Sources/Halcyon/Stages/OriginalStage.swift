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
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
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
    ///
    /// - Parameter first: The original, if it is there already. Default: it is loaded.
    /// - Throws: The error of `make`; ``ImageError``, `CancellationError`.
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
                    request = request.withoutReadingDisk
                    continue
                }
                if await !request.originals.tiers.remove(found.place) {
                    request = request.readingBelow(found.place.tier)
                }
                looks -= 1
            }
        }
    }

    /// Returns an original as far as its bytes are on this machine: on disk, as its scope and its server allow, in the file
    /// that it is, or in memory; `nil` otherwise. Asks neither a server nor a provider.
    ///
    /// - Throws: `CancellationError`.
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

    /// Returns an original through the HTTP cache: from disk while it is fresh, else from the server, unless that
    /// responds that it has not changed.
    private func cachedOriginal(
        _ transfer: TransferRequest,
        for request: ResolvedRequest,
        context: WorkContext
    ) async throws -> Original {
        let start = ContinuousClock.now
        let readsDisk = request.work.readsDisk
        let fetcher = network.fetcher(for: request, since: request.joining.since, context: context)
        let storage = OriginalStorage(for: request, transfer, fetcher, reads: readsDisk, priority: context.priority)
        let transaction = HTTPCacheTransaction(
            request: transfer,
            policy: request.cachePolicy,
            storage: storage,
            rules: request.cacheRules,
            now: request.target.disk.now,
            fetch: { transfer in
                // Not an answer of the server, so that it changes nothing that is stored.
                guard request.reach == .anywhere else { return .refused(request.notCached, status: nil) }
                return try await fetcher.fetch(transfer)
            }
        )
        let result = try await transaction.run()
        try Task.checkCancellation()
        return try original(
            of: result,
            to: transfer,
            for: request,
            storage,
            fetcher,
            start: start,
            context: context
        )
    }

    /// Returns the original that a response of the HTTP cache has.
    ///
    /// Not inlined: the frame of the call that waits for the response had 9 kB with the variables of this one.
    @inline(never)
    private func original(
        of result: HTTPCacheTransaction<ImageError>.Answer,
        to transfer: TransferRequest,
        for request: ResolvedRequest,
        _ storage: OriginalStorage,
        _ fetcher: OriginalFetcher,
        start: ContinuousClock.Instant,
        context: WorkContext
    ) throws -> Original {
        let answer = result.response
        let isInTheBackground = answer.source == .staleWhileRevalidating
        guard answer.source != .unavailable, request.reach == .anywhere || !isInTheBackground else {
            throw request.notCached
        }
        // This load succeeds without the server, but the time for which the server refuses requests holds for the next.
        if let failure = result.failure, failure.isRefusal { network.recovery.remember(failure, of: request) }
        let isFetched = answer.source == .network
        // An empty entry on disk is damage like any other, and is replaced.
        guard !answer.data.isEmpty || !isFetched else {
            var error = request.emptyBody(of: answer.response)
            error.isOutdated = fetcher.isOutdated
            throw error
        }
        if isInTheBackground { refresher.refresh(request, transfer, context.activities) }
        var timings = ImageTimings()
        timings.load = fetcher.time
        if request.work.readsDisk {
            let time = ContinuousClock.now - start - (fetcher.time ?? .zero)
            timings.disk = time
            let byteCount = isFetched ? 0 : answer.data.count
            context.note(.lookedUpDisk(.original, isFound: !isFetched, byteCount: byteCount, duration: time))
        }
        let caching = caching(of: answer, storage, fetcher, for: request)
        // Later requests may have other values in the fields that it varies by.
        guard request.reach == .anywhere || caching.effect != .remove else { throw request.notCached }
        let isConfirmed = answer.source == .validated && !fetcher.isOutdated && !storage.isOvertaken
        return Original(
            data: answer.data,
            source: isFetched ? .network : .disk,
            timings: timings,
            metrics: answer.metrics,
            head: answer.response,
            caching: caching,
            transfer: isFetched || isConfirmed ? fetcher.transfer : nil,
            isOutdated: isFetched && fetcher.isOutdated
        )
    }

    /// Returns the effect of a response on the caches.
    private func caching(
        of answer: HTTPCacheResponse,
        _ storage: OriginalStorage,
        _ fetcher: OriginalFetcher,
        for request: ResolvedRequest
    ) -> OriginalCaching {
        let isFetched = answer.source == .network
        if fetcher.isOutdated, isFetched || answer.source == .validated {
            return OriginalCaching(.leave, foundAs: isFetched ? nil : storage.found)
        }
        let caching = OriginalCaching(answer, storage: storage)
        if request.hasUnknownFields, request.followsServer, caching.validity?.isVarying == true {
            // The values that later requests will have in the fields that the response varies by are unknown.
            return OriginalCaching(.remove, foundAs: caching.source)
        }
        return caching
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
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    private func fetch(_ request: ResolvedRequest, context: WorkContext) async throws -> FetchedOriginal {
        switch request.source.location {
        case .network:
            return try await network.fetch(request, context: context)
        case .file(let path):
            return try await files.whole(path.text, for: request, context: context)
        case .data(let data):
            return FetchedOriginal(data: data, source: .data)
        case .provider(let provider):
            return try await ProviderFetcher(provider: provider, files: files).fetch(request, context: context)
        case .inline(let image):
            return FetchedOriginal(data: image.data, source: .data)
        // A thumbnail shows the first frame.
        case .thumbnail(let thumbnail) where request.options.decode.frame != 0:
            return try await files.whole(thumbnail.path.text, for: request, context: context)
        case .thumbnail(let thumbnail):
            return try await files.thumbnail(thumbnail, for: request, context: context)
        case .videoFile(let path):
            return try await files.video(path.text, for: request, context: context)
        case .invalid(let url):
            throw ImageError(stage: .source, reason: .invalidURL(url.text), source: url.text)
        }
    }

    /// Returns an original from disk, or one that came with the program; `nil` if there is none.
    ///
    /// - Parameter expired: Called with entries whose time is over. Default: they count as none.
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
    fileprivate func found(_ entry: TierEntry, at place: CacheTiers.Place) -> OriginalCaching? {
        let (content, cache) = (ContentClaim.Found(entry), originals)
        let head = head(metadata: entry.metadata, storedAt: entry.storedAt ?? cache.disk.now())
        let representation = head?.contentRepresentation ?? ""
        guard cache.isCurrent(content.digest, of: representation, at: place) else { return nil }
        return OriginalCaching(foundAs: OriginalStorage.Entry(place: place, content: content), head: head)
    }

    /// Returns the head of an entry; `nil` for a source without a server that decides. One without a head is taken for a
    /// response received at that time from a server that said nothing about it.
    fileprivate func head(metadata: Data = Data(), storedAt date: Date) -> StoredResponse? {
        cacheableTransfer.map { transfer in
            StoredResponse(metadata: metadata, isShared: target.isShared)
                ?? StoredResponse(url: transfer.url, responseTime: date)
        }
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
