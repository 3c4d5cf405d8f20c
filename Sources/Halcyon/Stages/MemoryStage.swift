internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonHTTP
internal import HalcyonStore

/// Finds images in memory, on the thread of the caller.
struct MemoryStage: Sendable {
    /// The pipeline's own cache.
    let cache: ImageCache
    /// The network policy that the pipeline's downloader adds to all requests.
    private let downloads: NetworkPolicy
    /// A Boolean value that indicates whether nothing that the downloader adds counts in keys.
    private let isDownloaderPlain: Bool

    init(cache: ImageCache, downloads: NetworkPolicy) {
        self.cache = cache
        self.downloads = downloads
        isDownloaderPlain = !downloads.mayChangeAudience
    }

    /// Returns the result if memory has it and the options allow its use.
    func result<Result: CachedResult>(for request: ResolvedRequest) -> Result? {
        cached(for: request).flatMap { Result($0) }
    }

    /// Returns the content of memory for a request, if the options allow its use.
    func cached(for request: ResolvedRequest) -> CachedImage? {
        cached(for: request.key, source: request.source, options: request.options)
    }

    /// Returns the encoded form of an image if memory has it and the options allow its use.
    func encoded(for source: Source, options: ImageOptions, as encoding: ImageEncoding) -> EncodedImage? {
        guard let original = OriginalKey(source, options: options, over: downloads) else { return nil }
        let key = ImageKey(original: original, options: source.loadOptions(from: options), encoding: encoding)
        return cached(for: key, source: source, options: options).flatMap { EncodedImage($0) }
    }

    /// Returns the image, as it is delivered, if memory has it and the options allow its use.
    ///
    /// - Parameter isWhole: A Boolean value that indicates whether an image is not returned that has to be read more
    ///   of.
    func response(for source: Source, options: ImageOptions, isWhole: Bool) -> ImageResponse? {
        if isWhole, options.delivery.includesOriginalData { return nil }
        guard let key = ImageKey(source, options: options, over: downloads) else { return nil }
        return response(for: key, source: source, options: options)
    }

    /// Returns the image of an original with this name, whose source is plain, as it is delivered, if memory has it and
    /// the options allow its use. Takes no request, because making one takes longer than the look-up.
    ///
    /// - Parameters:
    ///   - isWhole: A Boolean value that indicates whether an image is not returned that has to be read more of.
    ///   - source: Evaluated only where it is needed to decide whether the image may be used.
    @inline(__always)
    func response(
        named name: consuming String,
        options: ImageOptions,
        isWhole: Bool,
        source: @autoclosure () -> Source
    ) -> ImageResponse? {
        guard options.isOrdinary, isDownloaderPlain else {
            return response(ofUncommon: name, options: options, isWhole: isWhole, source: source())
        }
        // The options, which retain the variant, outlive the look-up.
        let cached = name.withUTF8 { name in
            let variant = options.processing.variant.map(Unmanaged.passUnretained)
            return ownImage(for: ImageKey(lent: name, variant: variant), extending: .originalLifetime)
        }
        guard let cached else {
            // No key contains a user name, so a name is searched for one only where nothing was found.
            return name.utf8.contains(UInt8(ascii: "@"))
                ? response(for: source(), options: options, isWhole: isWhole) : nil
        }
        guard cached.validity == nil || mayUse(cached, for: source(), options: options) else { return nil }
        guard var response = ImageResponse(cached) else { return nil }
        response.image.scale = options.delivery.scale
        return response
    }

    @inline(never)
    private func response(
        ofUncommon name: String,
        options: ImageOptions,
        isWhole: Bool,
        source: @autoclosure () -> Source
    ) -> ImageResponse? {
        if isWhole, options.delivery.includesOriginalData { return nil }
        guard ImageKey.isForAll(options.cache, options.network), isDownloaderPlain,
            !name.utf8.contains(UInt8(ascii: "@"))
        else { return response(for: source(), options: options, isWhole: isWhole) }
        let name = options.cache.keyRule?.key(for: name) ?? name
        let key = ImageKey(original: OriginalKey(text: name), options: options)
        return response(for: key, source: source(), options: options)
    }

    private func response(
        for key: ImageKey,
        source: @autoclosure () -> Source,
        options: ImageOptions
    ) -> ImageResponse? {
        cached(for: key, source: source(), options: options)
            .flatMap { ImageResponse($0)?.delivered(options.delivery) }
    }

    private func cached(
        for key: ImageKey,
        source: @autoclosure () -> Source,
        options: ImageOptions
    ) -> CachedImage? {
        let policy = options.cache
        guard policy.reads.includesMemory else { return nil }
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
        return cached
    }

    /// Returns an image in the memory of the pipeline's own cache.
    @inline(__always)
    private func ownImage(for key: ImageKey, extending: ExpirationExtension) -> CachedImage? {
        // Not retained, as the stage retains it: it is also referenced weakly, by its own sweep, and counting
        // references to such an object takes as long as the look-up.
        Unmanaged.passUnretained(cache.memory)._withUnsafeGuaranteedRef { $0.entry(for: key, extending: extending) }
    }

    /// Returns whether an image may be used without asking its server.
    @inline(never)
    private func mayUse(_ cached: CachedImage, for source: @autoclosure () -> Source, options: ImageOptions) -> Bool {
        let policy = options.cache
        switch policy.freshness {
        case .ignoringServer:
            return true
        case .server:
            // Most validities hold no more than a date.
            if cached.validity?.isOver(at: cache.disk.now(), .server) ?? false { return false }
        case .expiration(let expiration):
            if cached.isOver(expiration, at: cache.disk.now()), source().isFromServer { return false }
        }
        if policy.revalidates, source().isFromServer { return false }
        guard let validity = cached.validity, validity.isVarying else { return true }
        return source().transfer(options, over: downloads).map(validity.response.matches) ?? false
    }

    /// Stores a result in memory as the options and its server allow.
    ///
    /// - Parameter isExact: Whether it is what the original makes; see ``CachedImage/isExact``.
    func store(
        _ result: some CachedResult,
        isExact: Bool,
        for request: ResolvedRequest,
        claim: StoreClaim,
        _ validity: OriginalValidity?
    ) {
        let policy = request.options.cache
        guard policy.storesInMemory else { return }
        let cache = request.target
        // An image about which the server must be asked before its use is not kept.
        if request.mustAsk(about: validity) { return cache.forget(request.key, claim.ofAnswer) }
        // A request that ignores the server uses an image for as long as a cache has it.
        let isFollowed = policy.freshness != .ignoringServer
        let cached = CachedImage(
            result.content,
            byteCount: result.originalByteCount,
            validity: validity,
            dropsSilence: isFollowed,
            isExact: isExact
        )
        if request.encodedImage != nil { cache.mayHaveEncodedForms.store(true, ordering: .releasing) }
        cache.remember(
            cached,
            for: request.key,
            with: request.companion(validity),
            claim,
            expiration: policy.memoryExpiration,
            latest: isFollowed ? validity?.silentEnd : nil
        )
    }
}
