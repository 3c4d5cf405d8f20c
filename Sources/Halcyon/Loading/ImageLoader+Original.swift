internal import FoundationEssentials
internal import HalcyonConcurrency
internal import HalcyonHTTP

extension ImageLoader {
    /// The encoded bytes: from disk, or from where the source says.
    func original(
        for request: LoadRequest,
        key: ImageKey,
        work: OriginalWorkKey,
        context: WorkContext
    ) async throws -> Original {
        try await originals.value(for: work, since: request.sharesSince, context: context) { [self] context in
            let permits = StorePermits(for: key, in: originalCaches(request.options))
            if let transfer = followsServer(request) {
                // What may be used although its server fails is used before the server is tried again.
                return try await recovery.loadThroughCache(request) {
                    try await originalFollowingServer(
                        transfer,
                        for: request,
                        key: key,
                        readsDisk: work.readsDisk,
                        permits: permits,
                        context: context
                    )
                }
            }
            let start = ContinuousClock.now
            var timings = ImageTimings()
            if work.readsDisk, request.source.isCachedOnDisk {
                let found = try await originalFromDisk(key, request: request, context: context)
                timings.disk = ContinuousClock.now - start
                if let found {
                    return Original(
                        data: found.data,
                        origin: .disk,
                        timings: timings,
                        metrics: nil,
                        caching: found.caching,
                        permits: permits,
                        age: found.age
                    )
                }
            }
            let loadStart = ContinuousClock.now
            let requestTime = cache.disk.now()
            let loaded = try await recovery.load(request) { try await load(request, context: context) }
            timings.load = ContinuousClock.now - loadStart
            let head = ignoredHead(loaded, request: request, requestTime: requestTime)
            var caching = OriginalCaching(storingAs: key.originalDiskKey, head: head)
            if loaded.isForHiddenRequest, !request.options.namesAudience(of: key.original) { caching = .none }
            return Original(
                data: loaded.data,
                origin: loaded.origin,
                timings: timings,
                metrics: loaded.metrics,
                caching: caching,
                permits: permits,
                age: loaded.age
            )
        }
    }

    /// An original on disk, whatever its server says.
    private func originalFromDisk(
        _ key: ImageKey,
        request: LoadRequest,
        context: WorkContext
    ) async throws -> (data: Data, caching: OriginalCaching, age: ContentAge)? {
        let policy = request.options.cache
        let diskKey = key.originalDiskKey
        for cache in originalCaches(request.options) {
            try await cache.disk.settle(diskKey, priority: context.priority)
            let age = cache.order.age(of: .original, named: diskKey)
            let entry = try await cache.disk.entry(
                for: diskKey,
                extending: policy.diskExtension,
                priority: context.priority
            )
            if let entry {
                let place = OriginalStorage.Place(disk: cache.disk, diskKey: diskKey, version: entry.version)
                let url = followingServer(request)?.url
                let head = url.flatMap { StoredResponse(of: entry, url: $0) }
                return (entry.body, OriginalCaching(foundAs: place, head: head), age)
            }
            if let data = try await cache.bundledOriginal(key, priority: context.priority) {
                return (data, OriginalCaching(), age)
            }
        }
        return nil
    }

    /// What is kept of a head that does not count for this request, but for others of the same image.
    private func ignoredHead(_ loaded: Loaded, request: LoadRequest, requestTime: Date) -> StoredResponse? {
        guard let response = loaded.response, let transfer = followingServer(request) else { return nil }
        let now = cache.disk.now()
        let head = StoredResponse(request: transfer, response: response, requestTime: requestTime, responseTime: now)
        guard let head, !head.isVarying || !hasModifiers(request.options) else {
            // The server does not let it be kept, so those that heed it have to ask.
            return StoredResponse(toBeValidated: response, requestTime: requestTime, responseTime: now)
        }
        return head
    }

    private struct Loaded {
        let data: Data
        let origin: ImageResponse.Origin
        var response: TransferResponse?
        var metrics: TransferMetrics?
        var isForHiddenRequest = false
        var age = ContentAge.new
    }

    private func load(_ request: LoadRequest, context: WorkContext) async throws -> Loaded {
        switch request.source.location {
        case .network(let transfer):
            guard request.options.network.isAllowed else {
                throw ImageError(stage: .cache, reason: .notCached, source: "\(request.source)")
            }
            let download = try await downloader.download(
                transfer,
                policy: request.options.network,
                audience: request.audience,
                since: request.sharesSince,
                context: context
            )
            let body = download.body
            guard !body.data.isEmpty else {
                throw ImageError(stage: .load, reason: .emptyBody, source: "\(request.source)")
            }
            return Loaded(
                data: body.data,
                origin: .network,
                response: body.response,
                metrics: body.metrics,
                isForHiddenRequest: body.isForHiddenRequest,
                age: .transferred(began: download.number)
            )
        case .file(let path):
            let limit = (request.options.network.limits ?? .standard).bodyBytes
            return Loaded(data: try await file(path, limit: limit, context: context), origin: .file)
        case .data(let data):
            return Loaded(data: data, origin: .data)
        case .provider(let provider):
            return Loaded(data: try await data(of: provider), origin: .data)
        case .invalid(let url):
            throw ImageError(stage: .source, reason: .invalidURL(url), source: url)
        }
    }

    func fileIdentity(of path: String, context: WorkContext) async throws -> FileReader.Identity {
        do {
            return try await fileReaders.run(priority: context.priority) { _ in try FileReader.identity(of: path) }
        } catch let error as FileReader.Failure {
            throw ImageError(stage: .load, reason: .file(path: path, reason: error.reason), source: path)
        }
    }

    private func file(_ path: String, limit: Int, context: WorkContext) async throws -> Data {
        do {
            return try await fileReaders.run(priority: context.priority) { flag in
                try FileReader.read(path, limit: limit, cancellation: flag)
            }
        } catch let error as FileReader.Failure {
            throw ImageError(stage: .load, reason: .file(path: path, reason: error.reason), source: path)
        }
    }

    private func data(of provider: AnyImageDataProvider) async throws -> Data {
        do {
            let data = try await provider.base.data()
            // A provider that ignores cancellation must not bring a late success.
            try Task.checkCancellation()
            return data
        } catch let error as CancellationError {
            throw error
        } catch {
            try Task.checkCancellation()
            throw ImageError(stage: .load, reason: .provider("\(error)"), source: provider.description)
        }
    }
}
