internal import HalcyonConcurrency

/// The stages of a load, in their order: memory, processed images on disk, originals on disk, their sources; then decoding,
/// processing and storing.
///
/// Each stage is given the ones below it, and has one entry point. A request goes down the stages and a result comes
/// back; no stage refers to those above it.
final class PipelineStages: Sendable {
    /// Derives keys.
    let resolver: RequestResolver
    /// Loads previews beside the image.
    let previews: PreviewStage
    /// Tries the source, then the alternatives.
    let fallback: SourceFallback
    /// Memory, then processed images on disk, then ``processing``, then storing.
    let image: ImageStage
    /// Encoded images: memory, then disk, then images as above, then encoding and storing.
    let encoding: EncodingStage
    /// Images in memory, without waiting.
    let memory: MemoryStage
    /// Processors, with one piece of work for each chain.
    let processing: ProcessingStage
    /// Decoding of encoded bytes to pixels.
    let decoding: DecodingStage
    /// Originals on disk, as the server allows, then their source.
    let original: OriginalStage
    /// Storing of originals on disk, without decoding.
    let prefetching: PrefetchingStage
    /// The threads that decode, process and encode for requests that name none.
    let workers: PixelWorkers
    let recovery: Recovery
    /// Counts what the stages do, and tells observers of it.
    let activities: LoadActivities
    /// What makes of a request the one that is loaded.
    let interception: Interception

    init(_ configuration: ImagePipeline.Configuration) {
        let (cache, codecs, downloader) = (configuration.cache, configuration.codecs, configuration.downloader)
        activities = LoadActivities(observers: configuration.observers)
        interception = Interception(configuration)
        let files = FileFetcher(
            thumbnails: configuration.thumbnailFolder.map(ThumbnailFolder.init),
            pacing: configuration.filePacing
        )
        workers =
            configuration.workers
            ?? PixelWorkers(threadCount: configuration.workerCount, byteBudget: configuration.decodeBudget)
        recovery = Recovery(configuration.recovery, downloader: downloader)
        let network = NetworkFetcher(downloader: downloader, recovery: recovery)
        let refresher = OriginalRefresher(network: network, workers: workers, codecs: codecs)
        original = OriginalStage(network: network, files: files, refresher: refresher)
        let progressive = ProgressiveDecoders()
        decoding = DecodingStage(
            codecs: codecs,
            workers: workers,
            recovery: recovery,
            original: original,
            progressive: progressive
        )
        processing = ProcessingStage(workers: workers, decoding: decoding)
        memory = MemoryStage(cache: cache, downloader: downloader)
        let results = ResultStorage(DecodedForm(codecs: codecs, workers: workers))
        image = ImageStage(memory: memory, results: results, processing: processing, original: original)
        encoding = EncodingStage(
            memory: memory,
            images: results,
            processing: processing,
            codecs: codecs,
            workers: workers
        )
        resolver = RequestResolver(
            cache: cache,
            downloader: downloader,
            files: files,
            allowedSources: configuration.allowedSources,
            interception: ObjectIdentifier(interception)
        )
        fallback = SourceFallback(resolver: resolver, image: image, encoding: encoding, original: original)
        previews = PreviewStage(
            memory: memory,
            resolver: resolver,
            fallback: fallback,
            activities: activities,
            progressive: ProgressiveStage(
                codecs: codecs,
                workers: workers,
                clock: configuration.recovery.clock,
                decoders: progressive
            )
        )
        prefetching = PrefetchingStage(
            memory: memory,
            fallback: fallback,
            results: results,
            original: original,
            codecs: codecs,
            workers: workers,
            recovery: recovery
        )
    }
}
