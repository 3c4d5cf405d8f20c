import HalcyonTesting

@testable import Halcyon

extension OptionPathTable {
    /// The fields of decoding. Each makes another image of the same bytes.
    @Rows static var decoding: [Row] {
        Row("frame", PathSetup(content: .animated)) { _ in [.frame(1)] }
            .shows(on: LoadPath.decoding + [.lookUp]) { $0.isAnotherImage }
            .cannotMatter(on: [.prefetch], .storesOriginalsOnly)
        Row("color", PathSetup(content: .displayP3)) { _ in [.color(.asStored)] }
            .shows(on: LoadPath.decoding.filter { $0 != .encoded } + [.lookUp]) { $0.isAnotherImage }
            .isTested(
                on: [.encoded],
                "EncodedExactnessTests.swift",
                "are in sRGB, whatever colours the pixels of a load have"
            )
            .cannotMatter(on: [.prefetch], .storesOriginalsOnly)
        Row("keepsSixteenBits", PathSetup(content: .sixteenBits)) { _ in [.keepSixteenBits] }
            .shows(on: LoadPath.decoding) {
                $0.without.answer.image?.depth == .eight && $0.with.answer.image?.depth == .sixteen
            }
            .shows(on: [.lookUp]) { $0.fails }
            .cannotMatter(on: [.prefetch], .storesOriginalsOnly)
        Row("usesEmbeddedThumbnail") { _ in [.useEmbeddedThumbnail] }
            .shows(on: LoadPath.decoding + [.lookUp]) { $0.isAnotherImage }
            .cannotMatter(on: [.prefetch], .storesOriginalsOnly)
        Row("damage", PathSetup(content: .cutShort)) { _ in [.damage(.isRefused)] }
            .shows(on: LoadPath.decoding + [.lookUp]) { $0.fails }
            .cannotMatter(on: [.prefetch], .storesOriginalsOnly)
        Row("decodeLimits") { _ in [.decodeLimits(DecodeLimits(pixelCount: 10))] }
            .shows(on: LoadPath.cold.filter { $0 != .prefetch } + [.storedOriginal, .blockingLookUp]) { $0.fails }
            .cannotMatter(on: [.prefetch], .storesOriginalsOnly)
            .cannotMatter(on: [.memory, .lookUp], .answeredBefore)
            .cannotMatter(on: [.storedResult], .trustsOwnResults)
        // No other process has the decoder of these tests.
        Row("isolation") { _ in [.isolation(.required(.process))] }
            .shows(on: LoadPath.cold + [.storedOriginal, .blockingLookUp]) { $0.fails }
            .cannotMatter(on: [.memory, .lookUp], .answeredBefore)
            .cannotMatter(on: [.storedResult], .trustsOwnResults)
        Row("typeHint", PathSetup(content: .unmarked)) { _ in [.typeHint(PathDecoder.gray)] }
            .shows(on: LoadPath.cold) { $0.without.answer.error != nil && $0.with.answer.error == nil }
            .isTested(
                on: LoadPath.cached,
                "DecodePolicyTests.swift",
                "a hint makes an image of bytes that tell no format, from network, disk and a provider"
            )
        Row("largestByteCount") { _ in [.scaleDownLargeImages(limit: 4_096)] }
            .shows(on: LoadPath.decoding + [.lookUp]) { $0.isAnotherImage }
            .cannotMatter(on: [.prefetch], .storesOriginalsOnly)
        Row("largestSideLength") { _ in [.largestSideLength(10)] }
            .shows(on: LoadPath.decoding + [.lookUp]) { $0.isAnotherImage }
            .cannotMatter(on: [.prefetch], .storesOriginalsOnly)
        Row("targetSize") { _ in [.targetSize(.pixels(width: 10))] }
            .shows(on: LoadPath.decoding + [.lookUp]) { $0.isAnotherImage }
            .cannotMatter(on: [.prefetch], .storesOriginalsOnly)
        Row("precision") { _ in [.precision(.inexact)] }
            .isTested(
                on: [.memory, .lookUp],
                "SizePrecisionTests.swift",
                "answers an inexact request if it is larger, as it is, and never an exact one"
            )
            .isTested(on: [.file, .provider], "SizePrecisionTests.swift", "of a file and of a provider answers a load")
            .isTested(
                on: [.encoded],
                "SizePrecisionTests.swift",
                "is not what an encoded image, or another exact load, is made of"
            )
            .cannotMatter(
                on: [.storedResult, .storedOriginal, .network, .joined, .blockingLookUp, .prefetch],
                .nothingIsInMemory
            )
        Row("videoFrame") { _ in [.videoFrame(at: .first)] }
            .isTested(
                on: [.network, .file, .provider],
                "VideoSourceTests.swift",
                "is named by an option for any source"
            )
            .isTested(on: [.encoded], "VideoSourceTests.swift", "is encoded for a server as any image is")
            .isTested(
                on: [.memory, .lookUp, .storedResult],
                "VideoSourceTests.swift",
                "is the one asked for, in memory and on disk; each is another image"
            )
            .cannotMatter(on: [.storedOriginal, .blockingLookUp], .asFromDisk)
            .cannotMatter(on: [.joined], .asFromNetwork)
            .cannotMatter(on: [.prefetch], .storesOriginalsOnly)
        Row("animation", PathSetup(content: .animated)) { _ in [.animation(.firstFrame)] }
            .shows(on: [.memory, .network, .provider, .file, .joined, .blockingLookUp]) {
                $0.without.answer.image?.isAnimated == true && $0.with.answer.image?.isAnimated == false
            }
            .shows(on: [.lookUp]) { $0.fails }
            .isTested(
                on: [.storedResult, .storedOriginal],
                "AnimatedLoadTests.swift",
                "is a still image where the first frame alone is asked for, processed or not"
            )
            .cannotMatter(on: [.encoded], .nothingIsDelivered)
            .cannotMatter(on: [.prefetch], .storesOriginalsOnly)
        Row("processesAllFrames", PathSetup(content: .animated, isProcessed: true)) { _ in [.processAllFrames] }
            .shows(on: LoadPath.decoding.filter { $0 != .encoded }) {
                $0.without.answer.image?.isAnimated == false && $0.with.answer.image?.isAnimated == true
            }
            .shows(on: [.lookUp]) { $0.fails }
            .cannotMatter(on: [.encoded], .nothingIsDelivered)
            .cannotMatter(on: [.prefetch], .storesOriginalsOnly)
        Row("codecs") { _ in
            let codecs = ImageCodecs.standard.registering(decoder: SeededDecoder(seed: 60))
            return [.codecs(codecs, cacheIdentity: "seeded")]
        }
        .shows(on: LoadPath.decoding + [.lookUp]) { $0.isAnotherImage }
        .cannotMatter(on: [.prefetch], .storesOriginalsOnly)
    }
}
