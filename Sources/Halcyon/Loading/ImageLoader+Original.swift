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
            let permits = permits(for: key, options: request.options)
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
                var found: Data?
                var age = ContentAge.new
                for cache in originalCaches(request.options) where found == nil {
                    age = cache.order.age(of: .original, named: key.originalDiskKey)
                    found = try await cache.original(key, policy: request.options.cache, priority: context.priority)
                }
                timings.disk = ContinuousClock.now - start
                if let found {
                    let caching = OriginalCaching(foundAs: key.originalDiskKey)
                    return Original(
                        data: found,
                        origin: .disk,
                        timings: timings,
                        metrics: nil,
                        caching: caching,
                        permits: permits,
                        age: age
                    )
                }
            }
            let loadStart = ContinuousClock.now
            let loaded = try await recovery.load(request) { try await load(request, context: context) }
            timings.load = ContinuousClock.now - loadStart
            var caching = OriginalCaching(storingAs: key.originalDiskKey)
            if loaded.isForHiddenCredential, !mayKeepHidden(key, request.options) { caching = .none }
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

    /// Whether what came for a credential that the key does not know, because a hook of the options added it, may be kept.
    func mayKeepHidden(_ key: ImageKey, _ options: ImageOptions) -> Bool {
        options.cache.scope == .sharedAcrossCredentials || key.original.hasNamedScope
    }

    private struct Loaded {
        let data: Data
        let origin: ImageResponse.Origin
        var metrics: TransferMetrics?
        var isForHiddenCredential = false
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
                metrics: body.metrics,
                isForHiddenCredential: body.isForHiddenCredential,
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
