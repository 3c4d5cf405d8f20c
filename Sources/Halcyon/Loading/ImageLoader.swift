internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonConcurrency
internal import HalcyonHTTP
internal import HalcyonStore

/// The stages of a load, each shared by everyone who needs the same: memory, disk, original, decoding, processing.
///
/// A request goes down the stages and a result comes back; no stage knows those above it.
final class ImageLoader: Sendable {
    let cache: ImageCache
    let downloader: ImageDownloader
    let codecs: ImageCodecs
    /// Decode, process and encode.
    let workers: PixelWorkers
    /// Reads local files.
    let fileReaders = WorkQueue(name: "halcyon.files", width: 2)
    let recovery: Recovery
    /// Whether nothing that the downloader adds to all requests counts in their keys. Asked for at each look into memory.
    private let isDownloaderPlain: Bool

    let images = WorkCoalescer<ImageWorkKey, ImageResponse>()
    let processings = WorkCoalescer<ProcessedWorkKey, DecodedOriginal>()
    let decodings = WorkCoalescer<DecodedWorkKey, DecodedOriginal>()
    let originals = WorkCoalescer<OriginalWorkKey, Original>()
    /// Originals that are asked for anew while a stale one is used.
    let refreshes = KeyedTasks()

    init(configuration: ImagePipeline.Configuration) {
        cache = configuration.cache
        downloader = configuration.downloader
        codecs = configuration.codecs
        workers = PixelWorkers(count: configuration.workerCount, budget: configuration.decodeBudget)
        recovery = Recovery(configuration.recovery)
        isDownloaderPlain = !downloader.configuration.policy.mayChangeAudience
    }

    /// A request with what the downloader adds to all counted in its key.
    func request(_ source: Source, options: ImageOptions) -> LoadRequest {
        LoadRequest(source: source, options: options, over: downloader.configuration.policy)
    }

    /// The image if memory has it and the options let it answer.
    func responseFromMemory(for request: LoadRequest) -> ImageResponse? {
        guard request.options.cache.reads != .none, let key = request.key,
            let cached = cachedImage(for: key, options: request.options)
        else { return nil }
        return response(cached, for: request.source, options: request.options)
    }

    /// The same for a source whose name alone is not its key.
    func responseFromMemory(for source: Source, options: ImageOptions) -> ImageResponse? {
        responseFromMemory(for: request(source, options: options))
    }

    /// The image of an original with this name, whose source is plain, if memory has it and the options let it answer.
    /// Takes no request, because making one takes longer than the look-up.
    ///
    /// - Parameter source: Made only where it is needed to tell whether the image may be used.
    @inline(__always)
    func responseFromMemory(
        named name: consuming String,
        options: ImageOptions,
        source: @autoclosure () -> Source
    ) -> ImageResponse? {
        guard options.isOrdinary, isDownloaderPlain else {
            return responseFromMemory(ofUncommon: name, options: options, source: source())
        }
        // The options, which keep the variant, outlive the look-up.
        let cached = name.withUTF8 { name in
            let variant = options.processing.variant.map(Unmanaged.passUnretained)
            return ownMemoryImage(for: ImageKey(lent: name, variant: variant), extending: .originalLifetime)
        }
        guard let cached else {
            // No key has a user name in it, so it is looked for only where nothing was found.
            return name.utf8.contains(UInt8(ascii: "@")) ? responseFromMemory(for: source(), options: options) : nil
        }
        guard cached.validity == nil || mayUse(cached, for: source(), options: options) else { return nil }
        return ImageResponse(image: cached.image, origin: .memory, byteCount: cached.byteCount)
    }

    @inline(never)
    private func responseFromMemory(
        ofUncommon name: String,
        options: ImageOptions,
        source: @autoclosure () -> Source
    ) -> ImageResponse? {
        guard options.cache.reads != .none else { return nil }
        guard ImageKey.isForAll(options.cache, options.network), isDownloaderPlain,
            !name.utf8.contains(UInt8(ascii: "@"))
        else { return responseFromMemory(for: source(), options: options) }
        let name = options.cache.keyRule?.key(for: name) ?? name
        guard let key = ImageKey(original: OriginalKey(text: name), options: options),
            let cached = cachedImage(for: key, options: options)
        else { return nil }
        return response(cached, for: source(), options: options)
    }

    private func cachedImage(for key: ImageKey, options: ImageOptions) -> CachedImage? {
        let policy = options.cache
        if let target = policy.targetCache { return target.memory.value(for: key, extending: policy.memoryExtension) }
        return ownMemoryImage(for: key, extending: policy.memoryExtension)
    }

    /// An image in the memory of the pipeline's own cache.
    @inline(__always)
    private func ownMemoryImage(for key: ImageKey, extending: ExpirationExtension) -> CachedImage? {
        // Not retained, as the loader keeps it: it is also referred to weakly, by its own sweep, and counting references
        // to such an object takes as long as the look-up.
        Unmanaged.passUnretained(cache.memory)._withUnsafeGuaranteedRef { $0.value(for: key, extending: extending) }
    }

    /// The response with an image from memory, unless its server has to be asked first.
    private func response(
        _ cached: CachedImage,
        for source: @autoclosure () -> Source,
        options: ImageOptions
    ) -> ImageResponse? {
        if cached.validity != nil || options.cache.mayAskAnyway,
            !mayUse(cached, for: source(), options: options)
        {
            return nil
        }
        return ImageResponse(image: cached.image, origin: .memory, byteCount: cached.byteCount)
    }

    @inline(never)
    private func mayUse(
        _ cached: CachedImage,
        for source: @autoclosure () -> Source,
        options: ImageOptions
    ) -> Bool {
        switch options.cache.freshness {
        case .ignoringServer:
            return true
        case .server:
            // Most have no more than a date.
            if cached.validity?.isOver(at: cache.disk.now(), .server) ?? false { return false }
        case .expiration(let expiration):
            if cached.isOver(expiration, at: cache.disk.now()), sentRequest(source(), options: options) != nil {
                return false
            }
        }
        if options.cache.revalidates, sentRequest(source(), options: options) != nil { return false }
        guard let validity = cached.validity, validity.isVarying else { return true }
        return sentRequest(source(), options: options).map(validity.response.matches) ?? false
    }

    /// The cache of the image.
    func target(_ policy: CachePolicy) -> ImageCache { policy.targetCache ?? cache }

    /// Where the original may be, in the order of looking.
    func originalCaches(_ options: ImageOptions) -> [ImageCache] {
        let target = target(options.cache)
        guard !options.processing.isIdentity, let original = options.cache.originalCache, original != target else {
            return [target]
        }
        return [original, target]
    }

    /// The request with permits to store what it brings, which hold from now on. Called when a load is asked for, so that
    /// nothing of it is kept that is removed from then on.
    func begun(_ request: LoadRequest) -> LoadRequest {
        guard request.permits == nil, let key = request.key else { return request }
        var request = request
        // Who asks no cache wants what the source has now.
        let kind: StorePermit.Kind = request.options.cache.reads == .none ? .refresh : .load
        request.permits = StorePermits(for: key, in: originalCaches(request.options), kind, begun: request.begun)
        return request
    }

    /// Loads. Memory has been asked already, unless the request's key was not known.
    func response(for request: LoadRequest, context: WorkContext) async throws -> ImageResponse {
        let start = ContinuousClock.now
        var request = request
        if request.key == nil {
            request = try await identified(request, context: context)
            if let response = responseFromMemory(for: request) { return response.finished(since: start) }
        }
        guard let key = request.key else {
            throw ImageError(stage: .source, reason: .invalidURL("\(request.source)"), source: "\(request.source)")
        }
        let identified = begun(request)
        let options = request.options
        let original = OriginalWorkKey(request, original: key.original, readsDisk: options.cache.reads == .all)
        let work = ImageWorkKey(image: key, original: original, limits: options.decode, cache: options.cache)
        let response = try await images.value(for: work, since: identified.sharesSince, context: context) {
            [self] context in
            try await image(for: identified, key: key, original: original, context: context)
        }
        return response.finished(since: start)
    }

    /// The encoded bytes of the original, without decoding them. They are not stored: nobody knows that they are an image.
    func original(for request: LoadRequest, context: WorkContext) async throws -> Original {
        var request = request
        if request.key == nil {
            request = try await identified(request, context: context)
        }
        guard let key = request.key else {
            throw ImageError(stage: .source, reason: .invalidURL("\(request.source)"), source: "\(request.source)")
        }
        request = begun(request)
        let readsDisk = request.options.cache.reads == .all
        let work = OriginalWorkKey(request, original: key.original, readsDisk: readsDisk)
        return try await original(for: request, key: key, work: work, context: context)
    }

    /// The request with a key for a source whose name alone does not identify the image.
    private func identified(
        _ request: LoadRequest,
        context: WorkContext
    ) async throws -> LoadRequest {
        switch request.source.location {
        case .file(let path):
            let identity = try await fileIdentity(of: path, context: context)
            var encoder = CacheKeyEncoder()
            encoder.encode(path)
            encoder.encode(identity.byteCount)
            encoder.encode(identity.modifiedSeconds)
            encoder.encode(identity.modifiedNanoseconds)
            encoder.encode(Int(truncatingIfNeeded: identity.node))
            let name = "file:" + encoder.bytes.map { String($0, radix: 16) }.joined(separator: ".")
            let key = OriginalKey(text: name, scope: request.options.cache.scope.name)
            var identified = LoadRequest(source: request.source, options: request.options, originalKey: key)
            identified.begun = request.begun
            return identified
        case .data:
            var request = request.usedOnce(over: downloader.configuration.policy)
            request.options.cache.reads = .none
            return request
        case .network where request.key == nil:
            // It is a POST, or the like. A transfer is shared with one that is equal in all.
            return request.usedOnce(over: downloader.configuration.policy)
        case .invalid(let url):
            throw ImageError(stage: .source, reason: .invalidURL(url), source: url)
        case .network, .provider:
            return request
        }
    }
}

/// The pixels of an original, or what processors have made of them so far.
struct DecodedOriginal: Sendable {
    let image: DecodedImage
    /// The part of a budget that the pixels take until they are handed out. Nothing that holds it waits for that budget.
    let lease: BudgetLease
    let original: Original
    let decodeTime: Duration
    /// `nil` where no processor has run.
    var processTime: Duration?
}

/// Encoded bytes and where they came from.
struct Original: Sendable {
    let data: Data
    let origin: ImageResponse.Origin
    let timings: ImageTimings
    let metrics: TransferMetrics?
    let caching: OriginalCaching
    /// To store it and what is made of it, since it was asked for.
    let permits: StorePermits
    /// How old it is.
    let age: ContentAge

    /// The right of a load to store what it makes of this.
    func claim(of load: StorePermits?) -> StoreClaim {
        StoreClaim(load: load, original: permits, age: age)
    }
}

extension ImageResponse {
    /// The response with its total time.
    fileprivate func finished(since start: ContinuousClock.Instant) -> ImageResponse {
        var response = self
        response.timings.total = ContinuousClock.now - start
        return response
    }
}
