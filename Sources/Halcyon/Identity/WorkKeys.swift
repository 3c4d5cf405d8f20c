internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonHTTP

/// The identity of one transfer, or of one read of a file or a provider.
struct OriginalWorkKey: Hashable, Sendable {
    let original: OriginalKey
    let location: Source.Location
    let readsDisk: Bool
    let network: NetworkPolicy
    let freshness: FreshnessPolicy
    let staleIfError: HTTPCachePolicy.StaleIfError
    let revalidates: Bool
    let recovery: RecoveryPolicy
    /// A Boolean value that indicates whether a remembered failure is ignored.
    let ignoresFailures: Bool
    /// The caches that the bytes may come from, beside the pipeline's own cache.
    let caches: [ImageCache?]
    /// The identifier of this load alone, where only its own hooks know the user: it shares no more than transfers,
    /// which are distinguished by the requests that those hooks made.
    let load: UUID?

    init(_ source: Source, _ options: ImageOptions, original: OriginalKey, readsDisk: Bool) {
        self.original = original
        // Urgency is no part of what is sent.
        if case .network(var transfer) = source.location {
            transfer.priority = .normal
            location = .network(transfer)
        } else {
            location = source.location
        }
        self.readsDisk = readsDisk
        let policy = options.cache
        network = options.network
        freshness = policy.freshness
        staleIfError = policy.staleIfError
        revalidates = policy.revalidates
        recovery = options.recovery.ofOneSource
        ignoresFailures = policy.reads == .none
        caches = [options.processing.isIdentity ? nil : policy.originalCache, policy.targetCache]
        load = options.modifiesRequests && !options.namesAudience(of: original) ? UUID() : nil
    }
}

/// The identity of one decoding.
struct DecodedWorkKey: Hashable, Sendable {
    let original: OriginalWorkKey
    let decode: DecodePolicy
    let target: DecodeTarget
    /// The colours of the result: those of the file where the first processor runs before they are converted.
    let color: ColorHandling

    init(_ request: ResolvedRequest) {
        let (decode, processing) = (request.options.decode, request.options.processing)
        original = request.work
        self.decode = decode
        target = processing.decodeTarget
        color = processing.resizesFirst ? .asStored : decode.color
    }
}

/// The identity of one result of processors.
struct ProcessedWorkKey: Hashable, Sendable {
    let decoding: DecodedWorkKey
    let processing: ImageProcessorChain
}

/// The identity of the load of one processed image, the storing of it included.
struct ImageWorkKey: Hashable, Sendable {
    let image: ImageKey
    let original: OriginalWorkKey
    let limits: DecodePolicy
    let cache: CachePolicy
    let includesOriginalData: Bool

    init(_ request: ResolvedRequest) {
        image = request.key
        original = request.work
        limits = request.options.decode
        var cache = request.options.cache
        // A name of the file alone.
        cache.fileExtension = nil
        self.cache = cache
        includesOriginalData = request.options.delivery.includesOriginalData
    }
}
