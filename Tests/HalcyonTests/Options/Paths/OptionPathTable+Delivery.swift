import HalcyonTesting

@testable import Halcyon

extension OptionPathTable {
    /// The ways that hand out an image.
    private static let delivering = LoadPath.allCases.filter { $0 != .encoded && $0 != .prefetch }

    /// The fields of the delivery of responses.
    @Rows static var delivery: [Row] {
        Row("callbackExecutor") { _ in [.callbackExecutor(.calling)] }
            .isTested(
                on: [.memory],
                "CallbackTests.swift",
                "for an image in memory come before the call returns on the main actor, and later if that is asked for"
            )
            .isTested(on: [.network], "CallbackTests.swift", "are made on the queue of the options, or of the call")
            .cannotMatter(on: [.storedResult, .storedOriginal, .provider, .file, .joined], .asFromNetwork)
            .cannotMatter(on: [.lookUp, .blockingLookUp, .encoded, .prefetch], .noCallback)
        Row("scale") { _ in [.scaleFactor(2)] }
            .shows(on: delivering) {
                $0.with.answer.image?.scale == 2 && $0.with.answer.source == $0.without.answer.source
            }
            .cannotMatter(on: [.encoded, .prefetch], .nothingIsDelivered)
        Row("imageModifier") { _ in
            let modifier = ImageModifier { image in
                var image = image
                image.scale = 3
                return image
            }
            return [.imageModifier(modifier)]
        }
        .shows(on: delivering) { $0.with.answer.image?.scale == 3 && $0.with.answer.source == $0.without.answer.source }
        .cannotMatter(on: [.encoded, .prefetch], .nothingIsDelivered)
        Row("includesOriginalData") { _ in [.includesOriginalData] }
            .shows(on: [.memory, .storedOriginal, .network, .provider, .file, .joined, .blockingLookUp]) {
                $0.with.answer.hasData && !$0.without.answer.hasData
            }
            .cannotMatter(on: [.storedResult], .noOriginal)
            .cannotMatter(on: [.lookUp], .answeredAtOnce)
            .cannotMatter(on: [.encoded, .prefetch], .nothingIsDelivered)
        Row("observers") { _ in [.observers(LoadObserver { _ in })] }
            .isTested(
                on: [.memory, .lookUp, .network],
                "LoadObservingTests.swift",
                "of one request see its loads alone, also from memory"
            )
            .isTested(
                on: [.storedResult, .storedOriginal],
                "LoadObservingTests.swift",
                "see a hit in memory, in the disk's results, and in its originals"
            )
            .isTested(
                on: [.joined],
                "LoadObservingTests.swift",
                "see of shared work that it was joined, and which load has begun it"
            )
            .isTested(
                on: [.encoded, .prefetch],
                "LoadObservingTests.swift",
                "see encoded images, prefetched ones, and files"
            )
            .cannotMatter(on: [.provider, .file], .asFromNetwork)
            .cannotMatter(on: [.blockingLookUp], .asFromDisk)
        Row("previews") { _ in [.previews([PathScene.replacement])] }
            .isTested(
                on: [.network],
                "PreviewTests.swift",
                "come in rising quality while the image is loaded, and end with it"
            )
            .isTested(
                on: [.storedResult, .storedOriginal],
                "PreviewTests.swift",
                "are not asked of a server for an image on disk"
            )
            .cannotMatter(on: [.memory], .answeredBefore)
            .cannotMatter(on: [.provider, .file, .joined], .asFromNetwork)
            .cannotMatter(on: [.lookUp, .blockingLookUp, .encoded, .prefetch], .noTask)
    }

    /// The field of previews that are made of the image's own bytes.
    @Rows static var progress: [Row] {
        Row("progressive") { _ in [.progressive] }
            .isTested(
                on: [.network],
                "ProgressivePreviewTests.swift",
                "come in order while bytes arrive, and end with the image"
            )
            .isTested(
                on: [.joined],
                "ProgressivePreviewTests.swift",
                "are made once for equal loads, and a load that joins late gets the latest"
            )
            .cannotMatter(on: [.memory], .answeredBefore)
            .cannotMatter(on: [.storedResult, .storedOriginal, .provider, .file], .nothingIsSent)
            .cannotMatter(on: [.lookUp, .blockingLookUp, .encoded, .prefetch], .noTask)
    }

    /// The fields that say how urgent the work is, and who does it.
    @Rows static var work: [Row] {
        Row("priority") { _ in [.priority(.high)] }
            .shows(on: [.network, .encoded]) { $0.with.sentPriority == .high && $0.without.sentPriority == .normal }
            .isTested(
                on: [.joined],
                "PriorityTests.swift",
                "of shared work are the highest of its waiters, at any moment"
            )
            .cannotMatter(on: [.memory, .lookUp, .blockingLookUp], .answeredAtOnce)
            .cannotMatter(on: [.storedResult, .storedOriginal, .provider, .file], .asFromNetwork)
            .cannotMatter(on: [.prefetch], .prefetcherDecides)
        Row("workers") { _ in [.workers(PixelWorkers(threadCount: 1))] }
            .isTested(
                on: [.network, .encoded],
                "RequestWorkersTests.swift",
                "decode, process and encode the image of a request that names them"
            )
            .isTested(
                on: [.joined],
                "RequestWorkersTests.swift",
                "keep no work apart: that of the first request serves others"
            )
            .cannotMatter(on: [.storedResult, .storedOriginal, .provider, .file, .prefetch], .asFromNetwork)
            .cannotMatter(on: [.blockingLookUp], .asFromDisk)
            .cannotMatter(on: [.memory, .lookUp], .answeredBefore)
    }
}
