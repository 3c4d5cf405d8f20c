internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonHTTP
internal import HalcyonStore
internal import HalcyonSystem

/// Finds images in memory, on the thread of the caller.
///
/// A class: a struct was copied at each look-up.
final class MemoryStage: Sendable {
    /// The pipeline's own cache.
    private let cache: ImageCache
    private let downloader: ImageDownloader

    init(cache: ImageCache, downloader: ImageDownloader) {
        self.cache = cache
        self.downloader = downloader
    }

    /// The network policy that the pipeline's downloader adds to all requests at the moment.
    private var downloads: NetworkPolicy { downloader.configuration.policy }

    /// A Boolean value that indicates whether nothing that the downloader adds counts in keys. Not retained, as the stage
    /// retains it.
    @inline(__always)
    private var isDownloaderPlain: Bool {
        !Unmanaged.passUnretained(downloader)._withUnsafeGuaranteedRef { $0.mayChangeAudience }
    }

    /// Returns the result if memory has it and the options allow its use.
    func result<Result: CachedResult>(for request: ResolvedRequest) -> Result? {
        cached(for: request, sizes: request.sizes).flatMap { Result($0) }
    }

    /// Returns the content of memory for a request, if the options allow its use.
    ///
    /// - Parameter sizes: The sizes that may answer. Default: that of the request alone.
    func cached(for request: ResolvedRequest, sizes: ImageSizes? = nil) -> CachedImage? {
        guard request.reach == .thisCache else {
            return cached(for: request.key, sizes, source: request.source, options: request.options)
        }
        let policy = request.options.cache
        guard policy.reads.includesMemory else { return nil }
        return request.target.imageInMemory(for: request.key, sizes, extending: policy.memoryExtension)
    }

    /// Returns the unprocessed image in memory on which the processors of a request may run in place of its original, which
    /// is then neither looked for nor decoded; `nil` if there is none.
    ///
    /// The result is the same: the original would be decoded whole, with the same options. It would not be where the first
    /// processor needs fewer pixels, so that the decoder may reduce the image, or where colours are converted after that
    /// processor. What needs the bytes of the original, such as the frames of an animation, is made of those, and so is
    /// what has its original in a cache of its own.
    func unprocessed(for request: ResolvedRequest) -> CachedImage? {
        let (options, processing) = (request.options, request.options.processing)
        let keepsColors = options.decode.color == .asStored
        guard request.reach != .thisCache, request.originals === request.target, options.cache.readsOriginal,
            !request.needsOriginal, processing.decodeTarget == .full, keepsColors || !processing.resizesFirst
        else { return nil }
        let key = request.key.replacingVariant(by: .of(decode: options.decode, processing: .identity))
        guard let cached = cached(for: key, nil, source: request.source, options: options), cached.isExact,
            cached.digest != nil, let image = cached.image, !image.info.isAnimated, !image.isPartial,
            keepsColors || image.colorProfile == nil
        else { return nil }
        return cached
    }

    /// Returns whether memory has the image of a request that is found there by its name alone, which takes less time
    /// than to derive its identities; `false` for all others.
    func contains(_ request: ImageRequest) -> Bool {
        let (source, options) = (request.source, request.options)
        guard options.isOrdinary, source.isPlain, let name = source.originalName else { return false }
        return response(named: name, options: options, source: source) != nil
    }

    /// Returns the key of a source's original; `nil` if it has none, or waits for the disk. Nothing was stored under such a key
    /// then.
    ///
    /// - Parameter state: That of a file without a key of its own; `nil` for other sources. Default: `nil`.
    private func originalKey(
        of source: Source,
        in state: FileReader.Identity? = nil,
        _ options: ImageOptions
    ) -> OriginalKey? {
        if let state {
            let scope = OriginalKey.scope(ofValuesIn: options, options.cache.scope.name)
            return OriginalKey(text: source.originalName(in: state), scope: scope)
        }
        let downloads = downloads
        guard !OriginalKey.waitsForDisk(of: source, options: options, over: downloads) else { return nil }
        return OriginalKey(source, options: options, over: downloads)
    }

    /// Returns the encoded form of an image if memory has it and the options allow its use.
    func encoded(for source: Source, options: ImageOptions, as encoding: ImageEncoding) -> EncodedImage? {
        guard let original = originalKey(of: source, options) else { return nil }
        let load = source.loadOptions(from: options)
        let key = ImageKey(original: original, options: load, encoding: encoding)
        return cached(for: key, nil, source: source, options: options).flatMap { EncodedImage($0) }
    }

    /// Returns the image, as it is delivered, but without its original's bytes, if memory has it and the options allow its
    /// use.
    ///
    /// - Parameter state: That of a file without a key of its own; `nil` for other sources. Default: `nil`.
    @inline(__always)
    func response(for source: Source, in state: FileReader.Identity? = nil, options: ImageOptions) -> ImageResponse? {
        // A key rule is for addresses alone.
        if source.isPlain, options.cache.keyRule == nil || source.isNamedByAddress, let name = source.spelledName {
            return response(named: name, options: options, source: source)
        }
        return responseByKey(for: source, in: state, options: options)
    }

    @inline(never)
    private func responseByKey(
        for source: Source,
        in state: FileReader.Identity? = nil,
        options: ImageOptions
    ) -> ImageResponse? {
        guard let original = originalKey(of: source, in: state, options) else { return nil }
        return response(for: original, source: source, options: source.loadOptions(from: options))
    }

    /// Returns an image as memory has it at a smaller size than was asked for, if the options allow another size and its
    /// use: the largest, still, and as it is delivered. It is to be shown until the one that was asked for is there.
    ///
    /// - Parameter state: That of a file without a key of its own; `nil` for other sources.
    func smallerImage(of source: Source, in state: FileReader.Identity?, options: ImageOptions) -> DecodedImage? {
        let policy = options.cache
        guard options.isInexact, policy.reads.includesMemory,
            let original = originalKey(of: source, in: state, options),
            let sizes = ImageSizes(original: original, options: source.loadOptions(from: options))
        else { return nil }
        guard let cached = (policy.targetCache ?? cache).largestImage(of: sizes),
            isUsable(cached, for: source, options: options)
        else { return nil }
        return ImageResponse(cached.still)?.delivered(options.delivery).image
    }

    /// Returns the image of an original with this name, whose source is plain, as it is delivered, if memory has it and
    /// the options allow its use. Takes no request, because making one takes longer than the look-up.
    ///
    /// - Parameter source: Evaluated only where it is needed to decide whether the image may be used.
    @inline(__always)
    func response(
        named name: consuming String,
        options: ImageOptions,
        source: @autoclosure () -> Source
    ) -> ImageResponse? {
        guard options.isOrdinary, isDownloaderPlain else {
            return response(ofUncommon: name, options: options, source: source())
        }
        // The options, which retain the variant, outlive the look-up.
        let cached = name.withUTF8 { name in
            let variant = options.loadProcessing.variant.map(Unmanaged.passUnretained)
            return ownImage(for: ImageKey(lent: name, variant: variant), extending: .originalLifetime)
        }
        guard let cached else {
            // Keys have one spelling and no user name, so the name is looked at only where nothing was found.
            return name.mayHaveOtherKey ? responseByKey(for: source(), options: options) : nil
        }
        guard cached.validity == nil || mayUse(cached, for: source(), options: options),
            var response = ImageResponse(cached)
        else { return nil }
        response.image.scale = options.delivery.scale
        return response
    }

    @inline(never)
    private func response(
        ofUncommon name: String,
        options: ImageOptions,
        source: @autoclosure () -> Source
    ) -> ImageResponse? {
        guard ImageKey.isForAll(options.cache, options.network), options.values.identity == nil, isDownloaderPlain,
            !name.mayHaveOtherKey
        else { return responseByKey(for: source(), options: options) }
        let name = options.cache.keyRule?.key(for: name) ?? name
        return response(for: OriginalKey(text: name), source: source(), options: options)
    }

    private func response(
        for original: OriginalKey,
        source: @autoclosure () -> Source,
        options: ImageOptions
    ) -> ImageResponse? {
        let key = ImageKey(original: original, options: options)
        let sizes = options.isInexact ? ImageSizes(original: original, options: options) : nil
        let cached = cached(for: key, sizes, source: source(), options: options)
        return cached.flatMap { ImageResponse($0)?.delivered(options.delivery) }
    }

    /// - Parameter sizes: The sizes that may answer; `nil` for that of the key alone.
    private func cached(
        for key: ImageKey,
        _ sizes: ImageSizes?,
        source: @autoclosure () -> Source,
        options: ImageOptions
    ) -> CachedImage? {
        let policy = options.cache
        guard policy.reads.includesMemory else { return nil }
        let cached =
            if sizes == nil, policy.targetCache == nil {
                ownImage(for: key, extending: policy.memoryExtension)
            } else {
                (policy.targetCache ?? cache).imageInMemory(for: key, sizes, extending: policy.memoryExtension)
            }
        guard let cached, isUsable(cached, for: source(), options: options) else { return nil }
        return cached
    }

    /// Returns an image in the memory of the pipeline's own cache.
    @inline(__always)
    private func ownImage(for key: ImageKey, extending: ExpirationExtension) -> CachedImage? {
        // Not retained, as the stage retains it: it is also referenced weakly, by its own sweep, and counting
        // references to such an object takes as long as the look-up.
        Unmanaged.passUnretained(cache.memory)._withUnsafeGuaranteedRef { $0.entry(for: key, extending: extending) }
    }

    /// Returns whether an image may be used without asking its server. For most it is known without the source.
    private func isUsable(_ cached: CachedImage, for source: @autoclosure () -> Source, options: ImageOptions) -> Bool {
        cached.validity == nil && !options.cache.mayAskAnyway || mayUse(cached, for: source(), options: options)
    }

    /// Returns whether an image may be used without asking its server.
    @inline(never)
    private func mayUse(_ cached: CachedImage, for source: @autoclosure () -> Source, options: ImageOptions) -> Bool {
        let policy = options.cache
        if policy.freshness == .ignoringServer { return true }
        let isOver = policy.freshness.isOver(
            cached.validity,
            receivedAt: source().isFromServer ? cached.receivedDate : nil,
            at: cache.disk.now()
        )
        if isOver { return false }
        if policy.revalidates, source().isFromServer { return false }
        guard let validity = cached.validity, validity.isVarying else { return true }
        return source().transfer(options, over: downloads).map(validity.response.matches) ?? false
    }

    /// Stores a result in memory as the options and its server allow.
    ///
    /// - Parameters:
    ///   - isExact: Whether it is what the original makes; see ``CachedImage/isExact``.
    func store(
        _ result: some CachedResult,
        isExact: Bool,
        for request: ResolvedRequest,
        claim: ContentClaim,
        _ validity: OriginalValidity?
    ) {
        let policy = request.options.cache
        guard policy.storesInMemory else { return }
        let cache = request.target
        // An image about which the server must be asked before its use is not kept.
        if request.mustAsk(about: validity) { return cache.forget(request.key, claim) }
        if request.encodedImage != nil { cache.mayHaveEncodedForms.store(true, ordering: .releasing) }
        cache.remember(
            result.content,
            byteCount: result.originalByteCount,
            validity,
            isExact: isExact,
            for: request.key,
            claim,
            policy,
            sizes: request.sizes
        )
    }
}

extension Source {
    /// The name of the original, but the address of a download as it is spelled, with the user name that is a part of its
    /// key.
    fileprivate var spelledName: String? {
        if cacheKey == nil, case .network(let request) = location { request.url.absoluteString } else { originalName }
    }
}

extension String {
    /// A Boolean value that indicates whether a URL with this text may be named otherwise in keys.
    fileprivate var mayHaveOtherKey: Bool {
        if utf8Contains(UInt8(ascii: "@")) { return true }
        var text = self
        return text.withUTF8 { !URLSpelling($0).isNormalized }
    }
}
