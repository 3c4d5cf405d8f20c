import FoundationEssentials
import HTTPTypes
import HalcyonTesting

@testable import Halcyon

/// An option whose value is not the default, and what it changes in the model.
struct PairedOption: Sendable {
    /// The fields that it sets.
    let fields: [String]
    /// A word that distinguishes it from others of the same field.
    let word: String
    let option: ImageOption
    let change: @Sendable (inout PairModel) -> Void

    init(
        _ field: String,
        and others: [String] = [],
        word: String = "",
        _ option: ImageOption,
        change: @escaping @Sendable (inout PairModel) -> Void = { _ in }
    ) {
        fields = [field] + others
        self.word = word
        self.option = option
        self.change = change
    }

    var name: String { fields.joined(separator: ",") + word }

    /// Type-checks each element by itself.
    @resultBuilder
    enum List {
        static func buildExpression(_ option: PairedOption) -> PairedOption { option }
        static func buildBlock(_ options: PairedOption...) -> [PairedOption] { options }
    }

    /// The pairs that contradict each other, by their names.
    static let contradictions: [Set<String>: OptionContradiction] = [
        ["reads,storesInMemory,storesOnDisk", "networkIsAllowed"]: .noCacheAndOnlyFromCache,
        ["hooks without an identity", "networkIsAllowed"]: .unnamedHooksAndOnlyFromCache,
        ["method", "networkIsAllowed"]: .unnamedResponseAndOnlyFromCache,
        ["serializer of originals", "readsOriginal"]: .originalSerializerAndNoOriginal,
    ]

    /// The options that change which cache answers.
    @List static var caching: [PairedOption] {
        PairedOption("reads", word: " none", .forceRefresh) { $0.reads = .none }
        PairedOption("reads", word: " memory", .fromMemoryCacheOrRefresh) { $0.reads = .memory }
        PairedOption("reads", word: " disk", .fromDiskCacheOrRefresh) { $0.reads = .disk }
        PairedOption("reads", and: ["storesInMemory", "storesOnDisk"], .noCache) {
            ($0.reads, $0.storesInMemory, $0.storesOnDisk) = (.none, false, false)
        }
        PairedOption("freshness", word: " of ever", .expiration(.never))
        PairedOption("freshness", word: " ignored", .ignoringServer) { $0.ignoresServer = true }
        PairedOption("staleIfError", .staleIfError(.always))
        PairedOption("revalidates", .revalidate) { $0.asksServer = true }
        PairedOption("storesInMemory", ImageOption { $0.cache.storesInMemory = false }) {
            $0.storesInMemory = false
        }
        PairedOption("storesOnDisk", .cacheMemoryOnly) { $0.storesOnDisk = false }
        PairedOption("storesOriginal", .cacheOriginalImage)
        PairedOption("waitsForStore", .waitForCache)
        PairedOption("memoryExpiration", .memoryCacheExpiration(.days(1)))
        PairedOption("diskExpiration", .diskCacheExpiration(.days(1)))
        PairedOption("memoryExtension", .memoryCacheAccessExtending(.none))
        PairedOption("diskExtension", .diskCacheAccessExtending(.none))
        PairedOption("keyRule", .cacheKeyRule(.ignoringQuery))
        PairedOption("scope", .cacheScope("pairs"))
        PairedOption("serializer", word: " of PNG", .serializer(.format(.png, EncodeOptions())))
        PairedOption("serializer", word: " of originals", .serializer(.original))
        PairedOption("readsOriginal", .readsOriginal(false))
        PairedOption("diskDurability", .diskDurability(.normal))
    }

    /// The options that change the image, or how it is decoded and delivered.
    @List static var image: [PairedOption] {
        PairedOption("processing", .processor(.crop(to: .pixels(3, 3)))) { $0.size = PixelSize(3, 3) }
        PairedOption("frame", .frame(1)) { $0.frame = 1 }
        PairedOption("color", .color(.asStored))
        PairedOption("keepsSixteenBits", .keepSixteenBits)
        PairedOption("usesEmbeddedThumbnail", .useEmbeddedThumbnail)
        PairedOption("damage", .damage(.isRefused))
        PairedOption("decodeLimits", .decodeLimits(DecodeLimits(pixelCount: 1_000)))
        PairedOption("isolation", .isolation(.preferred))
        PairedOption("typeHint", .typeHint(.png))
        PairedOption("largestByteCount", .scaleDownLargeImages(limit: 400))
        PairedOption("largestSideLength", .largestSideLength(100))
        PairedOption("targetSize", .targetSize(.pixels(width: 4))) { model in
            // Less high than the processor crops to, unless the other option is a processor that crops to less.
            if model.size == PixelSize(4, 4) { model.size = PixelSize(4, 3) }
        }
        PairedOption("precision", .precision(.inexact))
        PairedOption("videoFrame", .videoFrame(at: .first))
        PairedOption("animation", .animation(.preloaded))
        PairedOption("processesAllFrames", .processAllFrames)
        PairedOption("observers", .observers(LoadObserver { _ in }))
        PairedOption("codecs", .codecs(.standard, cacheIdentity: "pairs"))
        PairedOption("callbackExecutor", .callbackExecutor(.calling))
        PairedOption("scale", .scaleFactor(2)) { $0.scale = 2 }
        PairedOption(
            "imageModifier",
            .imageModifier(
                ImageModifier { image in
                    var image = image
                    image.scale = 3
                    return image
                }
            )
        ) { $0.isScaledByModifier = true }
        PairedOption("includesOriginalData", .includesOriginalData)
        PairedOption("priority", .priority(.high))
        PairedOption("previews", .previews([PairFixture.alternative]))
        PairedOption("progressive", .progressive)
        PairedOption("workers", .workers(PixelWorkers(threadCount: 1)))
        PairedOption("interceptors", .interceptors(TestInterceptor { try await $0.proceed() }))
        PairedOption("loaders", .loaders(SourceLoader { _, _ in nil }))
        PairedOption("values", .value("pairs", for: NoteKey.self))
    }

    /// The options of transfers and failures.
    @List static var loading: [PairedOption] {
        PairedOption("networkIsAllowed", .onlyFromCache) { $0.isNetworkAllowed = false }
        PairedOption("timeouts", .timeouts(.download(.seconds(60))))
        PairedOption(
            "transferLimits",
            ImageOption { $0.network.limits = TransferLimits(bodyBytes: 1 << 20) }
        )
        PairedOption("headers", .headers([.accept: "image/png"]))
        PairedOption("method", .method(.post)) { $0.hasOtherMethod = true }
        PairedOption("acceptedStatusCodes", .acceptedStatusCodes(200..<201))
        PairedOption("acceptedContentTypes", .acceptedContentTypes(["image/*"]))
        PairedOption(
            "hooks",
            word: " with an identity",
            .hooks(TestHooks.body("pairs") { _, _ in PairFixture.modifiedBody })
        ) { ($0.isModified, $0.hasNamedHooks) = (true, true) }
        PairedOption(
            "hooks",
            word: " without an identity",
            .hooks(TestHooks.body { _, _ in PairFixture.modifiedBody })
        ) { ($0.isModified, $0.hasNamedHooks) = (true, false) }
        PairedOption("downloader", .downloader(PairFixture.downloader)) { $0.hasOwnDownloader = true }
        PairedOption("retry", .retry(BackoffStrategy.fixed(maxAttempts: 1)))
        PairedOption("alternatives", .alternativeSources([PairFixture.alternative])) { $0.hasAlternative = true }
        PairedOption("lowDataSource", .lowDataSource(PairFixture.alternative))
        PairedOption("allowsMetered", .allowsMetered(false))
    }

    /// The options that name another cache.
    static let caches: [PairedOption] = [
        PairedOption("targetCache", .targetCache(PairFixture.otherCache)),
        PairedOption("originalCache", .originalCache(PairFixture.otherCache)),
    ]

    static let all = caching + image + loading + caches
}
