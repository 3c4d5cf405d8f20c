internal import Halcyon
internal import HalcyonHTTP

extension Player {
    /// Sets the options of a call that few programs use.
    func apply(_ settings: Settings, of call: Call, to options: inout ImageOptions) {
        applyNaming(settings, of: call, to: &options)
        applyKeeping(settings, to: &options)
        applyDelivery(settings, to: &options)
        applyTransfers(settings, of: call, to: &options)
        if let preview = settings.preview { options.previews = [source(ofOther: preview, of: call)] }
        if let alternative = settings.alternative {
            options.recovery.alternatives = [source(ofOther: alternative, of: call)]
        }
        if let lowData = settings.lowData { options.recovery.lowDataSource = source(ofOther: lowData, of: call) }
        if settings.retries { options.recovery.retry = RetryOnce() }
        if settings.refusesMetered { options.recovery.allowsMetered = false }
    }

    /// Sets what is part of names, and of the scope.
    private func applyNaming(_ settings: Settings, of call: Call, to options: inout ImageOptions) {
        switch settings.serializer {
        case nil: break
        case .png: options.cache.serializer = ImageSerializer.format(.png, EncodeOptions())
        case .original: options.cache.serializer = ImageSerializer.original
        case .program: options.cache.serializer = SearchSerializer()
        }
        if settings.hasCodecs { options.decode.codecs = CustomCodecs(.standard, cacheIdentity: "search") }
        if settings.hasTypeHint { options.decode.typeHint = .png }
        // More than any image takes.
        if settings.isBounded { options.decode.largestByteCount = 1 << 20 }
        switch settings.reading {
        case nil: break
        case .colorsAsStored: options.decode.color = .asStored
        case .sixteenBits: options.decode.keepsSixteenBits = true
        case .embeddedThumbnail: options.decode.usesEmbeddedThumbnail = true
        case .videoFrame: options.decode.videoFrame = VideoFrame(at: .seconds(1))
        case .firstFrame: options.decode.animation = .firstFrame
        case .allFrames: options.decode.processesAllFrames = true
        case .wholeImages: options.decode.damage = .isRefused
        case .isolated: options.decode.isolation = .required(.process)
        case .preloaded: options.decode.animation = .preloaded
        case .allFramesPreloaded:
            options.decode.animation = .preloaded
            options.decode.processesAllFrames = true
        }
        if settings.signature != nil { options.cache.keyRule = Self.keyRule }
        if settings.hasNamedScope { options.cache.scope = .named("user-\(call.identity.user)") }
    }

    /// Sets where and for how long images are kept.
    private func applyKeeping(_ settings: Settings, to options: inout ImageOptions) {
        switch settings.caches {
        case nil: break
        case .other: options.cache.targetCache = caches.other
        case .separate:
            options.cache.targetCache = caches.results
            options.cache.originalCache = caches.originals
        }
        switch settings.durability {
        case nil: break
        case .some(.none): options.cache.diskDurability = DiskCache.Durability.none
        case .some(.normal): options.cache.diskDurability = .normal
        case .some(.full): options.cache.diskDurability = .full
        }
        switch settings.lifetime {
        case nil: break
        case .memoryNever: options.cache.memoryExpiration = .never
        case .diskNever: options.cache.diskExpiration = .never
        case .memoryStays: options.cache.memoryExtension = .none
        case .diskStays: options.cache.diskExtension = .none
        }
        switch settings.staleIfError {
        case nil: break
        case .always: options.cache.staleIfError = .always
        case .never: options.cache.staleIfError = .never
        }
        if settings.isInexact { options.cache.precision = .inexact }
    }

    /// Sets how images are given to the caller.
    private func applyDelivery(_ settings: Settings, to options: inout ImageOptions) {
        options.delivery.scale = settings.pixelsPerPoint
        if settings.hasModifier { options.delivery.imageModifier = ScalingModifier() }
        options.delivery.includesOriginalData = settings.includesData
        if settings.executor == .calling { options.delivery.callbackExecutor = .calling }
        if settings.isObserved { options.delivery.observers = [callObserver] }
        if settings.hasWorkers { options.workers = workers }
    }

    private func applyTransfers(_ settings: Settings, of call: Call, to options: inout ImageOptions) {
        if settings.hasDownloader { options.network.downloader = otherDownloader }
        switch settings.bound {
        case nil: break
        case .pixels: options.decode.limits = DecodeLimits(pixelCount: 1 << 20)
        case .time: options.network.timeouts = .download(.seconds(3_600))
        case .bytes: options.network.limits = TransferLimits(bodyBytes: 1 << 20)
        }
        switch settings.hook {
        case nil: break
        case .hooks: options.network.hooks = PassingHooks(cacheIdentity: .unchanged)
        case .unnamedHooks: options.network.hooks = PassingHooks(cacheIdentity: nil)
        case .statusCodes: options.network.acceptedStatusCodes = 200..<300
        case .contentTypes: options.network.acceptedContentTypes = ["*/*"]
        case .interceptor: options.interceptors = [Self.interceptor]
        case .loader: options.loaders = [Self.loader]
        case .value: options[SearchKey.self] = "search"
        case .progressive: options.progressive = .each
        }
    }

    /// The rule that leaves signatures out of names.
    private static let keyRule = CacheKeyRule.custom("search") { address in
        String(address.prefix { $0 != "?" })
    }

    private static let interceptor = PassingInterceptor()
    // Equal to its copies only: loads share work with those that have the same.
    private static let loader = SourceLoader { _, _ in nil }
}

/// Changes nothing.
private struct PassingInterceptor: LoadIntercepting {}

/// Tries a source that has failed once more, at once.
struct RetryOnce: RetryStrategy {
    func decide(_ attempt: RetryContext) async -> RetryDecision {
        attempt.attemptCount < 2 ? .retry(after: .zero) : .stop
    }
}

/// Hooks that let everything pass.
private struct PassingHooks: DownloadHooks {
    let cacheIdentity: DownloadIdentity?
}
