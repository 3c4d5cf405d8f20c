internal import Halcyon
internal import HalcyonObservability
internal import HalcyonStore
internal import Metrics
internal import ServerURLs

extension ServerSettings {
    /// Returns a pipeline for URLs of other people: web servers at package addresses and those that are allowed,
    /// files below the local root, and the limits of a request.
    func makePipeline(metrics: any MetricsFactory, tracer: TraceContextTracer) throws -> ImagePipeline {
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
        var disk = cacheFolder.map { DiskCache.Configuration(folder: $0) } ?? DiskCache.Configuration(name: "server")
        disk.sizeLimit = cacheBytes
        let cache = ImageCache(disk: disk, memoryCostLimit: memoryBytes, tiers: try makeTiers())
        var configuration = ImagePipeline.Configuration(downloader: downloader, cache: cache, codecs: .server)
        configuration.allowedSources = sources.localRoot == nil ? .web : [.web, .files]
        configuration.observers = [MetricsObserver(factory: metrics), TracingObserver(tracer: tracer)]
        return ImagePipeline(configuration: configuration)
    }

    /// Returns the tiers below the disk. A shared engine is added here, and nowhere else.
    private func makeTiers() throws -> [any CacheTier] {
        guard engine == nil else {
            throw SettingsError("This build has no tier for a shared engine; leave “engine” out.")
        }
        return []
    }

    /// The limits of decoding.
    var decodeLimits: DecodeLimits {
        DecodeLimits(pixelCount: limits.sourcePixels, frameCount: limits.frames)
    }
}
