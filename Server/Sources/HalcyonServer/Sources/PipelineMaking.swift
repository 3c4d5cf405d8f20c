internal import FoundationEssentials
internal import Glibc
internal import Halcyon
internal import HalcyonFleet
internal import HalcyonObservability
internal import HalcyonStore
internal import Metrics
internal import ServerURLs

extension ServerSettings {
    /// Returns a pipeline for URLs of other people: web servers at package addresses and those that are allowed,
    /// files below the local root, and the limits of a request.
    ///
    /// - Parameter onFault: Called with failures of the caches, each kind once. Default: none.
    /// - Throws: ``SettingsError``.
    func makePipeline(
        metrics: any MetricsFactory,
        tracer: TraceContextTracer,
        onFault: (@Sendable (ImageError) -> Void)? = nil
    ) throws -> ImagePipeline {
        var transport = CurlTransport.Configuration(userAgent: "halcyon-server")
        transport.addresses = .publicOnly(allowing: sources.allowedAddresses)
        transport.maximumConcurrentTransfers = 256
        // Many images of one origin are what such a server is asked for.
        transport.maximumTransfersPerHost = 64
        var policy = NetworkPolicy()
        policy.limits = TransferLimits(bodyBytes: limits.sourceBytes)
        policy.timeouts = .download(.seconds(min(15, limits.seconds)))
        policy.hooks = OriginHooks(rules: sources)
        let downloader = ImageDownloader(
            transport: CurlTransport(configuration: transport),
            configuration: ImageDownloader.Configuration(name: "origin", policy: policy)
        )
        try checkCacheFolder()
        var disk = cacheFolder.map { DiskCache.Configuration(folder: $0) } ?? DiskCache.Configuration(name: "server")
        disk.sizeLimit = cacheBytes
        let shared = try makeSharedTier()
        let cache = ImageCache(
            disk: disk,
            memoryCostLimit: memoryBytes,
            tiers: shared.map { [$0] } ?? [],
            isShared: true,
            onFault: onFault
        )
        shared?.follow(cache)
        var configuration = ImagePipeline.Configuration(downloader: downloader, cache: cache, codecs: .server)
        configuration.allowedSources = sources.localRoot == nil ? .web : [.web, .files]
        configuration.defaultOptions.decode.isolation = isolation
        configuration.sharing = shared.map { FleetLeases(of: $0) }
        configuration.observers = [MetricsObserver(factory: metrics), TracingObserver(tracer: tracer)]
        return ImagePipeline(configuration: configuration)
    }

    /// Makes the folder of the cache where there is none, for its owner alone.
    private func checkCacheFolder() throws {
        guard let cacheFolder else { return }
        try? FileManager.default.createDirectory(
            atPath: cacheFolder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        guard access(cacheFolder + "/.", W_OK | X_OK) == 0 else {
            throw SettingsError("“cache-folder” is no folder that can be made and written to: \(cacheFolder)")
        }
    }

    /// Returns the tier that servers share; `nil` without an engine.
    ///
    /// Servers with the same oldest key of URLs share it, unless a key of the engine is set: a key that is added in front on one
    /// after the other changes nothing.
    private func makeSharedTier() throws -> SharedTier? {
        guard let engine else { return nil }
        let text = engineKey?.text ?? urls.keys.signature(of: "the secret of a shared engine", byOldest: true) ?? ""
        guard let secret = FleetSecret(text.utf8) else {
            throw SettingsError(
                "“engine” needs a key of URLs or “engine-key-file” of 16 characters or more, the same on all servers."
            )
        }
        secret.useForCredentials()
        return SharedTier(FleetEngine(engine), secret: secret)
    }

    /// The limits of decoding.
    var decodeLimits: DecodeLimits {
        DecodeLimits(pixelCount: limits.sourcePixels, frameCount: limits.frames)
    }
}
