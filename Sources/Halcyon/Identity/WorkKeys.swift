internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonHTTP

/// The identity of one transfer, or of one read of a file or a provider.
///
/// Its parts are shared by all copies, and hashed once: the keys of four tables contain it.
struct OriginalWorkKey: Hashable, Sendable {
    /// A Boolean value that indicates whether the bytes may come from the disk.
    let readsDisk: Bool
    /// The number of tiers, from the first on, of which none is asked, as the last of them has damaged bytes.
    let skippedTiers: Int
    /// The ``DownloadSetup/generation`` of the downloader: work that began under another configuration is not shared.
    let generation: UInt64
    private let parts: HashedWorkKey<Parts>

    private struct Parts: Hashable, Sendable {
        let original: OriginalKey
        let location: Source.Location
        /// The steps of the source's provider. Work in fewer steps may wait for this work, and this never for such work,
        /// also where two providers each load what the other one loads.
        let steps: ProviderSteps?
        let network: NetworkPolicy
        let freshness: FreshnessPolicy
        let staleIfError: StaleIfError
        let revalidates: Bool
        let recovery: RecoveryPolicy
        /// A Boolean value that indicates whether a remembered failure is ignored.
        let ignoresFailures: Bool
        /// The cache that the bytes may come from; `nil` for the pipeline's own.
        let cache: ImageCache?

        /// Hashes what distinguishes most keys. All of it takes five times as long for each load.
        func hash(into hasher: inout Hasher) {
            hasher.combine(original)
        }
    }

    /// The scope of the original.
    var scope: String? { parts.key.original.scope }

    init(
        _ source: Source,
        _ options: ImageOptions,
        original: OriginalKey,
        steps: ProviderSteps?,
        generation: UInt64,
        readsDisk: Bool,
        skippedTiers: Int = 0
    ) {
        let policy = options.cache
        self.readsDisk = readsDisk
        self.skippedTiers = skippedTiers
        self.generation = generation
        parts = HashedWorkKey(
            Parts(
                original: original,
                location: source.location.read(frame: options.decode.frame),
                steps: steps,
                network: options.network,
                freshness: policy.freshness,
                staleIfError: policy.staleIfError,
                revalidates: policy.revalidates,
                recovery: options.recovery.ofOneSource,
                ignoresFailures: policy.isForcedRefresh,
                cache: policy.cacheOfOriginal(isProcessed: !options.processing.isIdentity)
            )
        )
    }
}

extension Source.Location {
    /// Returns the location that the bytes of a frame are read from: without the urgency of a request, which is no part
    /// of what is sent, and in the spelling that is the same for all that mean the same. Another frame than the first is read
    /// from the file itself, and not from its thumbnail.
    fileprivate func read(frame: Int) -> Source.Location {
        switch self {
        case .network(let request):
            var transfer = request.normalized
            if transfer.priority != .normal { transfer.priority = .normal }
            return .network(transfer)
        case .thumbnail(let thumbnail) where frame != 0:
            return .file(path: thumbnail.path)
        default:
            return self
        }
    }
}

/// The identity of one decoding.
struct DecodedWorkKey: Hashable, Sendable {
    let original: OriginalWorkKey
    let decode: DecodePolicy
    let target: DecodeTarget
    /// The colours of the result: those of the file where the first processor runs before they are converted.
    let color: ColorHandling
    /// Whether a worker scales the image to the target, too.
    let scalesToTarget: Bool

    init(_ request: ResolvedRequest) {
        let (decode, processing) = (request.options.decode, request.options.processing)
        original = request.work
        self.decode = decode.ofOneFrame
        target = processing.decodeTarget
        color = decode.decodedColor(for: processing)
        scalesToTarget = decode.isolation != .none && processing.scalesToTarget
    }

    /// Hashes what distinguishes the decodings of one original.
    func hash(into hasher: inout Hasher) {
        hasher.combine(original)
        hasher.combine(decode.frame)
        hasher.combine(target)
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
        cache = request.options.cache
        includesOriginalData = request.options.delivery.includesOriginalData
    }

    /// Hashes the keys alone, whose hashes are known: loads of one image rarely differ in their policies.
    func hash(into hasher: inout Hasher) {
        hasher.combine(image)
        hasher.combine(original)
    }
}

/// A key of ``WorkCoalescer`` whose hash is worked out once, before the lock of the table is taken.
///
/// A key is hashed and compared some ten times while its work is joined, ended and left, and keys of loads are large:
/// URL, headers, options. Hashed under the lock each time, five thousand different loads at once held each other up.
final class HashedWorkKey<Key: Hashable & Sendable>: Hashable, Sendable {
    let key: Key
    private let hash: Int

    init(_ key: Key) {
        self.key = key
        hash = key.hashValue
    }

    static func == (left: HashedWorkKey, right: HashedWorkKey) -> Bool {
        left === right || (left.hash == right.hash && left.key == right.key)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }
}
