internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonHTTP
internal import HalcyonStore

/// Finds images in memory, on the thread of the caller.
struct MemoryStage: Sendable {
    /// The pipeline's own cache.
    let cache: ImageCache
    /// What the downloader adds to all requests.
    private let downloads: NetworkPolicy
    /// Whether nothing that the downloader adds counts in keys.
    private let isDownloaderPlain: Bool

    init(cache: ImageCache, downloads: NetworkPolicy) {
        self.cache = cache
        self.downloads = downloads
        isDownloaderPlain = !downloads.mayChangeAudience
    }

    /// The image if memory has it and the options let it answer.
    func response(for request: ResolvedRequest) -> ImageResponse? {
        response(for: request.key, source: request.source, options: request.options)
    }

    /// The image if memory has it and the options let it answer.
    func response(for source: Source, options: ImageOptions) -> ImageResponse? {
        guard let key = ImageKey(source, options: options, over: downloads) else { return nil }
        return response(for: key, source: source, options: options)
    }

    /// The image of an original with this name, whose source is plain, if memory has it and the options let it answer.
    /// Takes no request, because making one takes longer than the look-up.
    ///
    /// - Parameter source: Made only where it is needed to tell whether the image may be used.
    @inline(__always)
    func response(
        named name: consuming String,
        options: ImageOptions,
        source: @autoclosure () -> Source
    ) -> ImageResponse? {
        guard options.isOrdinary, isDownloaderPlain else {
            return response(ofUncommon: name, options: options, source: source())
        }
        // The options, which keep the variant, outlive the look-up.
        let cached = name.withUTF8 { name in
            let variant = options.processing.variant.map(Unmanaged.passUnretained)
            return ownImage(for: ImageKey(lent: name, variant: variant), extending: .originalLifetime)
        }
        guard let cached else {
            // No key has a user name in it, so it is looked for only where nothing was found.
            return name.utf8.contains(UInt8(ascii: "@")) ? response(for: source(), options: options) : nil
        }
        guard cached.validity == nil || mayUse(cached, for: source(), options: options) else { return nil }
        return ImageResponse(image: cached.image, source: .memory, byteCount: cached.byteCount)
    }

    @inline(never)
    private func response(
        ofUncommon name: String,
        options: ImageOptions,
        source: @autoclosure () -> Source
    ) -> ImageResponse? {
        guard ImageKey.isForAll(options.cache, options.network), isDownloaderPlain,
            !name.utf8.contains(UInt8(ascii: "@"))
        else { return response(for: source(), options: options) }
        let name = options.cache.keyRule?.key(for: name) ?? name
        let key = ImageKey(original: OriginalKey(text: name), options: options)
        return response(for: key, source: source(), options: options)
    }

    private func response(
        for key: ImageKey,
        source: @autoclosure () -> Source,
        options: ImageOptions
    ) -> ImageResponse? {
        let policy = options.cache
        guard policy.reads != .none else { return nil }
        let cached =
            if let target = policy.targetCache {
                target.memory.entry(for: key, extending: policy.memoryExtension)
            } else {
                ownImage(for: key, extending: policy.memoryExtension)
            }
        guard let cached else { return nil }
        if cached.validity != nil || policy.mayAskAnyway, !mayUse(cached, for: source(), options: options) {
            return nil
        }
        return ImageResponse(image: cached.image, source: .memory, byteCount: cached.byteCount)
    }

    /// An image in the memory of the pipeline's own cache.
    @inline(__always)
    private func ownImage(for key: ImageKey, extending: ExpirationExtension) -> CachedImage? {
        // Not retained, as the stage keeps it: it is also referred to weakly, by its own sweep, and counting references to
        // such an object takes as long as the look-up.
        Unmanaged.passUnretained(cache.memory)._withUnsafeGuaranteedRef { $0.entry(for: key, extending: extending) }
    }

    /// Whether an image may be used without asking its server.
    @inline(never)
    private func mayUse(_ cached: CachedImage, for source: @autoclosure () -> Source, options: ImageOptions) -> Bool {
        let policy = options.cache
        switch policy.freshness {
        case .ignoringServer:
            return true
        case .server:
            // Most have no more than a date.
            if cached.validity?.isOver(at: cache.disk.now(), .server) ?? false { return false }
        case .expiration(let expiration):
            if cached.isOver(expiration, at: cache.disk.now()), source().isFromServer { return false }
        }
        if policy.revalidates, source().isFromServer { return false }
        guard let validity = cached.validity, validity.isVarying else { return true }
        return source().transfer(options, over: downloads).map(validity.response.matches) ?? false
    }

    /// Keeps a response as the options and its server want.
    func store(
        _ response: ImageResponse,
        for request: ResolvedRequest,
        claim: StoreClaim,
        _ validity: OriginalValidity?
    ) {
        let policy = request.options.cache
        guard policy.storesInMemory else { return }
        let cache = request.target
        // What must be asked for again has no place.
        if validity?.isOver(at: cache.disk.now(), policy.freshness) ?? false { return cache.forget(request.key, claim) }
        // Who ignores the server uses an image for as long as a cache has it.
        let isFollowed = policy.freshness != .ignoringServer
        let cached = CachedImage(
            image: response.image,
            byteCount: response.byteCount,
            validity: validity,
            dropsSilence: isFollowed
        )
        cache.remember(
            cached,
            for: request.key,
            original: request.isProcessed ? nil : StoreOrder.Place.ofOriginal(validity?.response),
            claim,
            expiration: policy.memoryExpiration,
            latest: isFollowed ? validity?.silentEnd : nil
        )
    }
}
