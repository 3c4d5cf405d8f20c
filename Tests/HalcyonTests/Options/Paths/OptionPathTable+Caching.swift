import HalcyonTesting

@testable import Halcyon

extension OptionPathTable {
    /// The fields that say which caches answer, and for how long.
    @Rows static var cacheReading: [Row] {
        Row("reads") { _ in [.forceRefresh] }
            .shows(on: LoadPath.cached) { $0.asksAgain }
            .shows(on: [.joined]) { $0.with.transfers == 2 && $0.without.transfers == 1 }
            .cannotMatter(on: [.network, .provider, .file, .encoded, .prefetch], .nothingIsCached)
        Row("freshness") { _ in [.expiration(.seconds(60))] }
            .shows(on: LoadPath.cached) { $0.asksAgain }
            .cannotMatter(on: LoadPath.sending, .nothingIsCached)
            .cannotMatter(on: [.provider, .file], .noServerDecides)
        Row("staleIfError") { _ in [.staleIfError(.never)] }
            .isTested(
                on: [.storedResult],
                "StaleResultTests.swift",
                "is shown instead of a server's failure for as long as stale-if-error says, or always on request"
            )
            .isTested(
                on: [.storedOriginal],
                "ServerCachingTests.swift",
                "is shown instead of a server's failure for as long as stale-if-error says, or always on request"
            )
            .isTested(
                on: [.encoded],
                "EncodedServerCachingTests.swift",
                "is used stale instead of a failure, unless the options or the server forbid it"
            )
            .cannotMatter(on: [.memory, .lookUp, .blockingLookUp], .nothingIsSent)
            .cannotMatter(on: [.network, .joined, .prefetch], .nothingIsCached)
            .cannotMatter(on: [.provider, .file], .noServerDecides)
        Row("revalidates") { _ in [.revalidate] }
            .shows(on: LoadPath.cached) { $0.asksAgain }
            .cannotMatter(on: LoadPath.sending, .nothingIsCached)
            .cannotMatter(on: [.provider, .file], .noServerDecides)
        Row("readsOriginal", PathSetup(isProcessed: true)) { _ in [.readsOriginal(false)] }
            .shows(on: [.storedOriginal, .blockingLookUp]) { $0.asksAgain }
            .cannotMatter(on: [.memory, .storedResult, .lookUp], .answeredBefore)
            .cannotMatter(on: LoadPath.cold, .nothingIsCached)
        Row("memoryExtension") { _ in [.memoryCacheAccessExtending(.none)] }
            .shows(on: [.memory, .lookUp]) { $0.without.isInMemoryLater && !$0.with.isInMemoryLater }
            .cannotMatter(on: LoadPath.cold + [.storedResult, .storedOriginal, .blockingLookUp], .memoryIsNotRead)
        Row("diskExtension") { _ in [.diskCacheAccessExtending(.none)] }
            .shows(on: [.storedResult, .storedOriginal, .blockingLookUp]) {
                $0.with.diskCountLater == $0.without.diskCountLater - 1
            }
            .cannotMatter(on: [.memory, .lookUp], .diskIsNotRead)
            .cannotMatter(on: LoadPath.cold, .nothingIsCached)
    }

    /// The fields that say what is stored, where, and for how long.
    @Rows static var cacheWriting: [Row] {
        Row("storesInMemory") { _ in [ImageOption { $0.cache.storesInMemory = false }] }
            .shows(on: [.storedResult, .storedOriginal, .network, .provider, .file, .blockingLookUp, .encoded]) {
                $0.without.isInMemory && !$0.with.isInMemory
            }
            .cannotMatter(on: [.memory, .lookUp], .storedBefore)
            .cannotMatter(on: [.joined], .storedByOther)
            .cannotMatter(on: [.prefetch], .notKeptInMemory)
        Row("storesOnDisk") { _ in [.cacheMemoryOnly] }
            .shows(on: [.storedOriginal, .network, .provider, .encoded, .prefetch]) {
                $0.with.diskCount == $0.without.diskCount - 1
            }
            .cannotMatter(on: [.memory, .storedResult, .lookUp, .blockingLookUp], .storedBefore)
            .cannotMatter(on: [.joined], .storedByOther)
            .cannotMatter(on: [.file], .notKeptOnDisk)
        Row("storesOriginal", PathSetup(isProcessed: true)) { _ in [.cacheOriginalImage] }
            .shows(on: [.network, .provider, .joined, .encoded]) { $0.with.diskCount == $0.without.diskCount + 1 }
            .cannotMatter(on: LoadPath.cached, .storedBefore)
            .cannotMatter(on: [.file], .notKeptOnDisk)
            .cannotMatter(on: [.prefetch], .storesOriginalsOnly)
        Row("waitsForStore") { _ in [.waitForCache] }
            .shows(on: [.storedOriginal, .network, .provider, .joined, .encoded]) {
                $0.with.hasWaited && !$0.without.hasWaited
            }
            .cannotMatter(on: [.memory, .storedResult, .lookUp, .blockingLookUp], .storedBefore)
            .cannotMatter(on: [.file], .notKeptOnDisk)
            .cannotMatter(on: [.prefetch], .waitsAnyway)
        Row("memoryExpiration") { _ in [.memoryCacheExpiration(.seconds(100))] }
            .shows(on: [.storedResult, .storedOriginal, .network, .provider, .file, .blockingLookUp, .encoded]) {
                $0.without.isInMemoryLater && $0.with.isInMemory && !$0.with.isInMemoryLater
            }
            .cannotMatter(on: [.memory, .lookUp], .storedBefore)
            .cannotMatter(on: [.joined], .storedByOther)
            .cannotMatter(on: [.prefetch], .notKeptInMemory)
        Row("diskExpiration") { _ in [.diskCacheExpiration(.days(1))] }
            .shows(on: [.storedOriginal, .network, .provider, .encoded, .prefetch]) {
                $0.with.diskCount == $0.without.diskCount && $0.with.diskCountLater == $0.without.diskCountLater - 1
            }
            .cannotMatter(on: [.memory, .storedResult, .lookUp, .blockingLookUp], .storedBefore)
            .cannotMatter(on: [.joined], .storedByOther)
            .cannotMatter(on: [.file], .notKeptOnDisk)
        Row("diskDurability") { _ in [.diskDurability(.normal)] }
            .isTested(on: [.network], "DiskDurabilityTests.swift", "holds for a load, the original included")
            .isTested(
                on: [.provider, .prefetch],
                "DiskDurabilityTests.swift",
                "holds for a provider, and for a prefetch to disk"
            )
            .cannotMatter(on: [.storedOriginal, .encoded], .asFromNetwork)
            .cannotMatter(on: [.memory, .storedResult, .lookUp, .blockingLookUp], .storedBefore)
            .cannotMatter(on: [.joined], .storedByOther)
            .cannotMatter(on: [.file], .notKeptOnDisk)
    }

    /// The fields that say under which name an image is kept, and in which cache.
    @Rows static var keys: [Row] {
        Row("targetCache") { [.targetCache($0.other)] }
            .shows(on: LoadPath.cached) { $0.asksAgain }
            .shows(on: LoadPath.cold) { $0.with.otherCount > $0.without.otherCount }
        Row("originalCache", PathSetup(isProcessed: true, keepsOriginal: true)) { [.originalCache($0.other)] }
            .shows(on: [.network, .provider, .joined, .encoded, .prefetch]) {
                $0.with.otherCount == 1 && $0.without.otherCount == 0
            }
            .shows(on: [.storedOriginal, .blockingLookUp]) { $0.asksAgain }
            .cannotMatter(on: [.memory, .storedResult, .lookUp], .answeredBefore)
            .cannotMatter(on: [.file], .notKeptOnDisk)
        Row("keyRule") { _ in [.cacheKeyRule(.ignoringQuery)] }
            .shows(on: LoadPath.cached) { $0.asksAgain }
            .shows(on: LoadPath.sending) { $0.without.sibling.isEmpty && !$0.with.sibling.isEmpty }
            .cannotMatter(on: [.provider, .file], .noAddress)
        Row("scope") { _ in [.cacheScope("a")] }
            .shows(on: LoadPath.cached) { $0.asksAgain }
            .shows(on: [.network, .provider, .file, .encoded, .prefetch]) {
                !$0.without.plain.isEmpty && $0.with.plain.isEmpty
            }
            .shows(on: [.joined]) { $0.without.memoryCount == 1 && $0.with.memoryCount == 2 }
        Row("serializer", PathSetup(isProcessed: true)) { _ in [.serializer(.format(.png, EncodeOptions()))] }
            .shows(on: [.memory, .storedResult, .lookUp]) { $0.asksAgain }
            .shows(on: [.storedOriginal, .blockingLookUp, .network, .provider, .file]) {
                !$0.without.plain.isEmpty && $0.with.plain.isEmpty
            }
            .shows(on: [.joined]) { $0.without.memoryCount == 1 && $0.with.memoryCount == 2 }
            .cannotMatter(on: [.encoded], .encodesByItself)
            .cannotMatter(on: [.prefetch], .storesOriginalsOnly)
        Row("processing") { _ in [.processor(.crop(to: .pixels(5, 5), anchor: .topLeft))] }
            .shows(on: LoadPath.decoding) { $0.with.answer.image?.size == PixelSize(5, 5) }
            .shows(on: [.lookUp]) { $0.fails }
            .cannotMatter(on: [.prefetch], .storesOriginalsOnly)
    }
}
