import FoundationEssentials
import HalcyonTesting

@testable import Halcyon

extension OptionTable {
    private static let first = LoadObserver { _ in }
    private static let second = LoadObserver { _ in }

    private static func hook(of observer: LoadObserver) -> Hook<any LoadObserving> {
        Hook(observer, identity: observer)
    }

    /// The fields of the delivery of responses, and those in no group.
    @Rows static var delivery: [Row] {
        Row(
            .callbackExecutor,
            \.delivery.callbackExecutor,
            .mainActor,
            (.callbackExecutor(.calling), .calling),
            (.callbackExecutor(.mainActor), .mainActor)
        )
        Row(.scale, \.delivery.scale, 1, (.scaleFactor(2), 2), (.scaleFactor(1.5), 1.5))
        hook(
            .imageModifier,
            \.delivery.modifier,
            { .imageModifier($0) },
            ImageModifier { $0 },
            ImageModifier { $0 }
        )
        Row(
            .includesOriginalData,
            \.delivery.includesOriginalData,
            false,
            (.includesOriginalData, true),
            (ImageOption(.includesOriginalData) { $0.delivery.includesOriginalData = false }, false)
        )
        Row(
            .observers,
            \.delivery.observerHooks,
            [],
            (.observers(first), [hook(of: first)]),
            (.observers(second), [hook(of: second)])
        )
        Row(
            .previews,
            \.previews,
            [],
            (.previews([.file("/a")]), [.file("/a")]),
            (.previews([.file("/b")]), [.file("/b")])
        )
        Row(
            .progressive,
            \.progressive,
            .none,
            (.progressive, .latest),
            (.progressive(.each(minimumInterval: .seconds(1))), ProgressivePolicy(.each, minimumInterval: .seconds(1)))
        )
        different(
            .workers,
            \.workers,
            { .workers($0) },
            PixelWorkers(threadCount: 1, byteBudget: 1),
            PixelWorkers(threadCount: 1, byteBudget: 1)
        )
        different(
            .downloader,
            \.network.downloader,
            { .downloader($0) },
            ImageDownloader(transport: ScriptedTransport()),
            ImageDownloader(transport: ScriptedTransport())
        )
    }

    /// The fields of decoding that say with what, and how large.
    @Rows static var reading: [Row] {
        Row(.typeHint, \.decode.typeHint, nil, (.typeHint(.svg), .svg), (.typeHint(.png), .png))
        Row(
            .largestByteCount,
            \.decode.largestByteCount,
            nil,
            (.scaleDownLargeImages(), 60 << 20),
            (.scaleDownLargeImages(limit: 1), 1)
        )
        Row(
            .largestSideLength,
            \.decode.largestSideLength,
            nil,
            (.largestSideLength(4_096), 4_096),
            (.largestSideLength(1), 1)
        )
        Row(
            .targetSize,
            \.targetSize,
            nil,
            (.targetSize(.pixels(width: 1)), .pixels(width: 1)),
            (.targetSize(.points(width: 1)), .points(width: 1))
        )
        Row(
            .precision,
            \.cache.precision,
            .exact,
            (.precision(.inexact), .inexact),
            (ImageOption(.precision) { $0.cache.precision = .exact }, .exact)
        )
        Row(
            .videoFrame,
            \.decode.videoFrame,
            VideoFrame(),
            (.videoFrame(at: .seconds(2)), VideoFrame(at: .seconds(2))),
            (.videoFrame(at: .first, tolerance: .exact), VideoFrame(at: .first, tolerance: .exact))
        )
        Row(
            .animation,
            \.decode.animation,
            .onDemand,
            (.animation(.preloaded), .preloaded),
            (.animation(.firstFrame), .firstFrame)
        )
        Row(
            .processesAllFrames,
            \.decode.processesAllFrames,
            false,
            (.processAllFrames, true),
            (ImageOption(.processesAllFrames) { $0.decode.processesAllFrames = false }, false)
        )
        different(
            .codecs,
            \.decode.codecs,
            { codecs in ImageOption(.codecs) { $0.decode.codecs = codecs } },
            CustomCodecs(.standard, cacheIdentity: "a"),
            CustomCodecs(.standard, cacheIdentity: "b")
        )
    }

    /// The row of an optional field whose two values differ.
    private static func different<Value: Equatable & Sendable>(
        _ field: ImageOptionField,
        _ path: any KeyPath<ImageOptions.Fields, Value?> & Sendable,
        _ option: (Value) -> ImageOption,
        _ first: Value,
        _ second: Value
    ) -> Row {
        Row(field, path, nil, (option(first), first), (option(second), second))
    }
}
