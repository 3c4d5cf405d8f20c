internal import HalcyonHTTP

/// A request with every identity derived from it, for the stages of a load.
///
/// A class, so that the stages, their closures and their suspended calls share one: as a value it had a kilobyte and
/// thirty references, and copying it took a tenth of the time of a load.
final class ResolvedRequest: Sendable {
    let source: Source
    /// The options of the work; see ``ImageOptions/forWork()``.
    let options: ImageOptions
    /// The key of the image in the caches.
    let key: ImageKey
    /// The request of the image whose encoded form the result is; `nil` if the result is an image.
    let encodedImage: ResolvedRequest?
    /// The distance from which the result may come.
    let reach: Reach
    /// The registrations of the load with its caches.
    let registrations: ContentRegistrations
    /// The cache of the image, whose clock counts.
    let target: ImageCache
    /// The cache of the original: that of the image, unless the options name another one.
    let originals: ImageCache
    /// The caches in which content of the original is adopted: that of the image, and the one that the options name for
    /// originals, which may have it for processed images.
    let caches: [ImageCache]
    /// The sizes of the image, if it has a target size; `nil` otherwise, and for an encoded form.
    let sizes: ImageSizes?
    /// The request as sent, apart from changes by hooks; `nil` if the source is no server.
    let transfer: TransferRequest?
    /// A Boolean value that indicates whether hooks decide what is sent, and may decide otherwise the next time, so that the
    /// fields that a response varies by are not known before.
    let hasUnknownFields: Bool
    /// The steps of the source's provider; `nil` for other sources, and for a provider whose bytes are in memory.
    let steps: ProviderSteps?
    /// The identity of getting the original.
    let work: OriginalWorkKey

    /// The distance from which a result may come. A load that may not go everywhere shares no work with others.
    enum Reach: Sendable {
        case anywhere
        /// Caches, where their servers would not be asked, and bytes that are on this machine.
        case thisMachine
        /// The entries of one cache, whatever their servers say; results of processors are not made of originals.
        case thisCache
    }

    init(
        source: Source,
        options: ImageOptions,
        key: ImageKey,
        encodedImage: ResolvedRequest? = nil,
        reach: Reach = .anywhere,
        registrations: ContentRegistrations,
        target: ImageCache,
        originals: ImageCache,
        caches: [ImageCache],
        sizes: ImageSizes?,
        transfer: TransferRequest?,
        hasUnknownFields: Bool,
        steps: ProviderSteps?,
        work: OriginalWorkKey
    ) {
        self.source = source
        self.options = options
        self.key = key
        self.encodedImage = encodedImage
        self.reach = reach
        self.registrations = registrations
        self.target = target
        self.originals = originals
        self.caches = caches
        self.sizes = sizes
        self.transfer = transfer
        self.hasUnknownFields = hasUnknownFields
        self.steps = steps
        self.work = work
    }

    /// The work that the load may join.
    var joining: JoinRule { registrations.joining }

    /// A Boolean value that indicates whether the result is made by processors or an encoder, and so has a place of its
    /// own on disk.
    var isProcessed: Bool { encodedImage != nil || !options.processing.isIdentity }

    /// A Boolean value that indicates whether bytes of the original are a part of the result, or of what is stored with it.
    var needsOriginal: Bool {
        let policy = options.cache
        return options.delivery.includesOriginalData
            || policy.storesOnDisk && (policy.keepsOriginal || !(policy.serializer is ImageSerializer))
    }

    /// Returns the request for an encoded form of the image.
    func encoded(as encoding: ImageEncoding) -> ResolvedRequest {
        let encodedKey = ImageKey(original: key.original, options: options, encoding: encoding)
        return replacing(work: work, options: options, key: encodedKey, encodedImage: self)
    }

    /// The request as sent, if it is a GET without a body: its server decides whether the response is cached, unless
    /// the options ignore the server.
    var cacheableTransfer: TransferRequest? { transfer.flatMap { $0.isCacheable ? $0 : nil } }

    /// Returns the same request, which goes no further than this for its result, and tries once.
    func within(_ reach: Reach) -> ResolvedRequest {
        guard reach != .anywhere else { return self }
        var options = options
        options.recovery = RecoveryPolicy()
        return replacing(work: work, options: options, reach: reach)
    }

    /// Returns the same request with another policy for failures.
    func with(_ recovery: RecoveryPolicy) -> ResolvedRequest {
        changing(readsDisk: options.readsOriginalOnDisk) { $0.recovery = recovery }
    }

    /// Returns the same request with other options for its work.
    ///
    /// - Parameters:
    ///   - readsDisk: Whether its original may come from the disk. Default: as before.
    ///   - skippedTiers: The number of tiers, from the first on, that are not asked. Default: as before.
    ///   - change: Default: none.
    func changing(
        readsDisk: Bool? = nil,
        skippedTiers: Int? = nil,
        _ change: (inout ImageOptions) -> Void = { _ in }
    ) -> ResolvedRequest {
        var options = options
        change(&options)
        let work = OriginalWorkKey(
            source,
            options,
            original: key.original,
            steps: steps,
            generation: work.generation,
            readsDisk: readsDisk ?? work.readsDisk,
            skippedTiers: skippedTiers ?? work.skippedTiers
        )
        return replacing(work: work, options: options)
    }

    /// The load as a downloader has to know it; `nil` if the source is no server.
    var downloadingLoad: DownloadingLoad? {
        guard case .network(let transfer) = source.location else { return nil }
        let isStored = options.cache.storesInMemory || options.cache.storesOnDisk
        return DownloadingLoad(
            number: registrations.number,
            audience: key.original.namedAudience,
            generation: work.generation,
            source: transfer,
            original: isStored ? key.originalDiskKey : nil
        )
    }

    func replacing(
        work: OriginalWorkKey,
        options: ImageOptions,
        key: ImageKey? = nil,
        encodedImage: ResolvedRequest? = nil,
        reach: Reach? = nil
    ) -> ResolvedRequest {
        ResolvedRequest(
            source: source,
            options: options,
            key: key ?? self.key,
            encodedImage: encodedImage ?? self.encodedImage,
            reach: reach ?? self.reach,
            registrations: registrations,
            target: target,
            originals: originals,
            caches: caches,
            sizes: encodedImage == nil ? sizes : nil,
            transfer: transfer,
            hasUnknownFields: hasUnknownFields,
            steps: steps,
            work: work
        )
    }
}
