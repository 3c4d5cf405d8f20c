internal import FoundationEssentials
internal import Halcyon
internal import HalcyonSystem
internal import HalcyonTesting

extension Player {
    /// Makes a pipeline, with caches in the folders of the one before it.
    func start() {
        let pressure = MemoryPressureMonitor(sources: MemoryPressureSources(stallFiles: [], eventsFile: nil))
        let caches = CacheSet(of: program) { name in
            var disk = DiskCache.Configuration(folder: folder + "/" + name)
            disk.fileSystem = fileSystem
            disk.clock = clock.clock
            disk.sizeLimit = 64 << 20
            return ImageCache(disk: disk, memoryCostLimit: 64 << 20, memoryPressure: pressure)
        }
        let headers: [ImageOption]? = SearchOrigin.configuredField.map { [.headers([$0: "1"])] }
        var configuration = ImagePipeline.Configuration(
            downloader: downloader(),
            cache: caches.main,
            defaultOptions: headers ?? [],
            workerCount: 4,
            decodeBudget: program.decodeBudget ?? 64 << 20,
            recovery: RecoveryConfiguration(network: network)
        )
        if program.isUntrusted == true { configuration.allowedSources = .web }
        let observer = program.isObserved ? LoadRecorder(model: model) : nil
        if let observer { configuration.observers = [observer] }
        let pipeline = ImagePipeline(configuration: configuration)
        configuration.downloader = self.downloader()
        configuration.observers = []
        let otherPipeline = ImagePipeline(configuration: configuration)
        state.withLock { state in
            state.pipeline = pipeline
            state.otherPipeline = otherPipeline
            state.caches = caches
            state.observer = observer
            state.otherDownloader = downloader()
            state.pressure = pressure
        }
    }

    /// Replaces the configuration of the pipeline's downloader, and its transport.
    func configure() {
        let number = state.withLock { state in
            state.configuration += 1
            return state.configuration
        }
        pipeline.configuration.downloader.updateConfiguration(
            configuration(number),
            transport: OriginTransport(origin: origin, model: model, number: number)
        )
    }

    private func downloader() -> ImageDownloader {
        ImageDownloader(
            transport: OriginTransport(origin: origin, model: model, number: 0),
            configuration: configuration(0)
        )
    }

    private func configuration(_ number: Int) -> ImageDownloader.Configuration {
        var configuration = ImageDownloader.Configuration()
        configuration.memoryThreshold = 10_000
        configuration.temporaryFolder = TemporaryFolder.path
        if let name = OriginTransport.field { configuration.policy.headers[name] = "\(number)" }
        return configuration
    }
}
