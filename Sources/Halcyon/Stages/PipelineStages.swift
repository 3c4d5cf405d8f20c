internal import HalcyonCodecs
internal import HalcyonHTTP
internal import HalcyonSystem

/// The parts that a ``Load`` works with.
///
/// Each stage is given the ones below it, and has one entry point; no stage refers to those above it.
final class PipelineStages: Sendable {
    /// Derives keys.
    let resolver: RequestResolver
    /// The loads of images under way.
    let images = WorkCoalescer<ImageWorkKey, ImageResponse>(.image)
    /// The loads of encoded images under way.
    let encodings = WorkCoalescer<ImageWorkKey, EncodedImage>(.encoding)
    /// Images in memory, without waiting.
    let memory: MemoryStage
    /// Processors, with one piece of work for each chain.
    let processing: ProcessingStage
    /// Decoding of encoded bytes to pixels.
    let decoding: DecodingStage
    /// Originals on disk, as the server allows, then their source.
    let original: OriginalStage
    /// Previews of bytes as they arrive.
    let progressive: ProgressiveStage
    /// The codecs for requests that name none.
    let codecs: ImageCodecs
    /// The threads that decode, process and encode for requests that name none.
    let workers: PixelWorkers
    let recovery: Recovery
    /// Counts what the stages do, and tells observers of it.
    let activities: LoadActivities
    /// Completes a request before it is loaded.
    let interception: Interception
    /// Shares work with other processes; `nil`: each makes its own.
    let sharing: (any WorkSharing)?

    init(_ configuration: ImagePipeline.Configuration) {
        let (cache, downloader) = (configuration.cache, configuration.downloader)
        // A removal before the first load covers what earlier processes have left.
        if let store = downloader.setup.configuration.partialBodies { cache.add(store) }
        codecs = configuration.codecs
        activities = LoadActivities(observers: configuration.observers)
        interception = Interception(configuration)
        sharing = configuration.sharing
        let files = FileFetcher(thumbnails: configuration.thumbnailFolder.map(ThumbnailFolder.init))
        workers =
            configuration.workers
            ?? PixelWorkers(threadCount: configuration.workerCount, byteBudget: configuration.decodeBudget)
        recovery = Recovery(configuration.recovery, downloader: downloader)
        let network = NetworkFetcher(downloader: downloader, recovery: recovery)
        let refresher = OriginalRefresher(network: network, workers: workers, codecs: codecs)
        original = OriginalStage(network: network, files: files, refresher: refresher)
        let decoders = ProgressiveDecoders()
        decoding = DecodingStage(
            codecs: codecs,
            workers: workers,
            recovery: recovery,
            original: original,
            progressive: decoders
        )
        memory = MemoryStage(cache: cache, downloader: downloader)
        processing = ProcessingStage(workers: workers, decoding: decoding, memory: memory)
        resolver = RequestResolver(
            cache: cache,
            downloader: downloader,
            files: files,
            allowedSources: configuration.allowedSources,
            interception: ObjectIdentifier(interception)
        )
        progressive = ProgressiveStage(
            codecs: codecs,
            workers: workers,
            clock: configuration.recovery.clock,
            decoders: decoders
        )
    }
}

extension PipelineStages {
    /// The parts that find what one cache has.
    convenience init(of cache: ImageCache, codecs: ImageCodecs) {
        self.init(
            ImagePipeline.Configuration(
                downloader: .ofNothing,
                cache: cache,
                codecs: codecs,
                workerCount: 1,
                decodeBudget: 1,
                workers: .shared,
                thumbnailFolder: nil
            )
        )
    }
}

extension ImageDownloader {
    /// A downloader without a network.
    fileprivate static let ofNothing = ImageDownloader(transport: NoTransport())
}

/// A transport without a network.
private struct NoTransport: HTTPTransport {
    private struct Ended: Transfer {
        func cancel() {}
        func setPriority(_ priority: LoadPriority) {}
        func resume() {}
    }

    var cacheScope: String? { nil }

    func start(_ request: TransferRequest, receiver: any TransferReceiver) -> any Transfer {
        receiver.didComplete(.failure(.cancelled))
        return Ended()
    }
}
