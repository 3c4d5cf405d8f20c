import FoundationEssentials
import HalcyonTesting

@testable import Halcyon

/// What a load gave, sent and left behind.
struct PathOutcome: Sendable {
    /// A few pixels of an image, with its size and depth.
    struct Picture: Sendable, Equatable {
        let size: PixelSize
        let depth: SampleDepth
        let scale: Double
        let pixels: [[UInt8]]
        let isAnimated: Bool

        init(_ image: DecodedImage) {
            let bitmap = image.bitmap
            size = bitmap.size
            depth = bitmap.depth
            scale = image.scale
            isAnimated = image.animation != nil
            let (right, bottom) = (bitmap.width - 1, bitmap.height - 1)
            pixels =
                bitmap.depth == .eight
                ? [(0, 0), (right, bottom), (right / 2, bottom / 2)].map { bitmap.pixel($0, $1) } : []
        }
    }

    /// What the caller got, and what it took: the same for every option that does not matter on a way.
    struct Answer: Sendable, Equatable {
        /// The code of the error.
        var error: String?
        var image: Picture?
        var source: ImageResponse.Source?
        var hasData = false
        /// The number of requests that were sent; `nil` where another load is under way, whose transfer may be shared.
        var transfers: Int? = 0
        /// The number of requests prefetched and skipped.
        var prefetched: [Int] = []
    }

    var answer = Answer()
    /// The number of requests that were sent, by all loads.
    var transfers = 0
    /// The last request.
    var sent: TransferRequest?
    var sentPriority: LoadPriority?
    /// The number of requests of the option's own downloader.
    var otherTransfers = 0
    /// The number of calls of the option's own hook.
    var hookCalls = 0
    /// A Boolean value that indicates whether it waited for the store.
    var hasWaited = false
    /// The numbers of entries in memory, on disk, and in both of another cache.
    var (memoryCount, diskCount, otherCount) = (0, 0, 0)
    /// A Boolean value that indicates whether memory has the image, at once and minutes later.
    var (isInMemory, isInMemoryLater) = (false, false)
    /// The number of entries on disk days later.
    var diskCountLater = 0
    /// Where a load without the option finds the image.
    var plain: ImageCache.Tiers = []
    /// Where a load with the option finds the image at an address with another query.
    var sibling: ImageCache.Tiers = []
}

/// What a scene begins with.
struct PathSetup: Sendable, Hashable {
    enum Content: Sendable {
        case plain, animated, displayP3, sixteenBits, unmarked, cutShort

        var data: Data {
            switch self {
            case .plain: Sample.png()
            case .cutShort: Sample.pngCutShort()
            case .displayP3: ColorSample.displayP3()
            case .sixteenBits: Sample.encoded(ColorSample.sixteenBits(), .png)
            case .unmarked: Data(repeating: 7, count: 400)
            case .animated:
                (try? PNGEncoder().encode(
                    [1, 2].map { AnimationFrame(bitmap: Sample.bitmap(seed: $0 * 50), duration: 100) },
                    loopCount: 0,
                    options: EncodeOptions()
                )) ?? Data()
            }
        }
    }

    var content = Content.plain
    /// A Boolean value that indicates whether all loads crop the image.
    var isProcessed = false
    /// A Boolean value that indicates whether all loads keep the original.
    var keepsOriginal = false
    /// A Boolean value that indicates whether the source fails once the caches have been filled.
    var fails = false
    /// A Boolean value that indicates whether the network is metered once the caches have been filled.
    var isMetered = false
}

/// Reads PNG, shows another image as that which the file embeds, and takes what is marked as nothing for grey squares.
struct PathDecoder: ImageDecoder {
    static let gray = ImageFormat(rawValue: "gray")

    let format: ImageFormat

    func recognizes(_ prefix: Data) -> Bool { format == .png && PNGDecoder().recognizes(prefix) }

    func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        if format == .png { return try PNGDecoder().info(of: data, limits: limits) }
        return ImageInfo(format: format, size: PixelSize(20, 20))
    }

    func decode(_ data: Data, options: DecodeOptions, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        let info = try info(of: data, limits: options.limits)
        if format == .png, !options.usesEmbeddedThumbnail {
            return try PNGDecoder().decode(data, options: options, isCancelled: isCancelled)
        }
        return DecodedImage(bitmap: Sample.bitmap(info.size.width, info.size.height, seed: 99), info: info)
    }
}

/// Tries a failed load once more, and counts.
struct CountingRetry: RetryStrategy {
    let calls: CallCounter

    func decide(_ attempt: RetryContext) async -> RetryDecision {
        calls.add()
        return attempt.attemptCount < 2 ? .retry(after: .zero) : .stop
    }

    static func == (left: CountingRetry, right: CountingRetry) -> Bool { left.calls === right.calls }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(calls)) }
}
