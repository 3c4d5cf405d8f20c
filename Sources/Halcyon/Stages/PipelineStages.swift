internal import HalcyonCodecs
internal import HalcyonHTTP
internal import HalcyonSystem

/// The parts that a ``Load`` works with.
///
/// A stage is given what it needs of the others; ``pixels(for:context:)`` has their order.
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
        decoding = DecodingStage(codecs: codecs, workers: workers, recovery: recovery, progressive: decoders)
        memory = MemoryStage(cache: cache, downloader: downloader)
        processing = ProcessingStage(workers: workers)
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
    /// Returns the processed image: original, decoded, processed. Loads share each of these as far as they have it in
    /// common.
    func pixels(for request: ResolvedRequest, context: WorkContext) async throws -> LoadedPixels {
        guard !request.options.processing.isIdentity else { return try await decoded(for: request, context: context) }
        // Not shared with requests that may not read memory.
        if let pixels = memory.unprocessed(for: request).flatMap({ LoadedPixels($0) }) {
            return try await processing.run(on: pixels, for: request, context: context)
        }
        let key = ProcessedWorkKey(decoding: DecodedWorkKey(request), processing: request.options.processing)
        return try await processing.work.value(for: key, of: request, context: context) { [self] context in
            let pixels = try await decoded(for: request, context: context)
            return try await processing.run(on: pixels, for: request, context: context)
        }
    }

    /// Returns the pixels of a request's original.
    func decoded(
        for request: ResolvedRequest,
        beginningWith first: Original? = nil,
        context: WorkContext
    ) async throws -> LoadedPixels {
        let key = DecodedWorkKey(request)
        return try await decoding.work.value(for: key, of: request, context: context) { [self] context in
            try await original.healing(request, from: first, context: context) { original in
                try await decoding.decode(original, for: request, key, context: context)
            }
        }
    }

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
