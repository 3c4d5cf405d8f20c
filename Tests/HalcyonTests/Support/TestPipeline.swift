import FoundationEssentials
import Glibc
import HTTPTypes
import HalcyonSystem
import HalcyonTesting

@testable import Halcyon

/// A pipeline over a scripted transport, with a cache folder of its own that goes with it.
final class TestPipeline: Sendable {
    let transport = ScriptedTransport()
    let counters = CodecCounters()
    let folder: String
    let faults = Lock<[ImageError]>([])
    let pipeline: ImagePipeline

    init(
        folder: String? = nil,
        memoryCostLimit: Int = 64 << 20,
        workerCount: Int = 2,
        codecs: ImageCodecs? = nil,
        decodeBudget: Int = 256 << 20,
        fileSystem: (any FileSystem)? = nil,
        tiers: [any CacheTier] = [],
        clock: StoreClock = .system,
        recovery: RecoveryConfiguration = RecoveryConfiguration(),
        defaultOptions: [ImageOption] = [],
        downloads: NetworkPolicy = NetworkPolicy(),
        workers: PixelWorkers? = nil,
        thumbnailFolder: String? = nil,
        observers: [any LoadObserving] = [],
        interceptors: [any LoadIntercepting] = [],
        loaders: [any SourceLoading] = [],
        allowedSources: SourceKinds = .all,
        partialBodies: PartialBodyStore? = nil
    ) {
        let path = folder ?? Self.temporaryPath()
        self.folder = path
        var disk = DiskCache.Configuration(folder: path)
        if let fileSystem { disk.fileSystem = fileSystem }
        disk.clock = clock
        disk.sweepInterval = nil
        // Without the pressure of this machine: what is in memory is what the test says.
        let cache = ImageCache(
            disk: disk,
            memoryCostLimit: memoryCostLimit,
            tiers: tiers,
            memoryPressure: nil
        ) { [faults] fault in
            faults.withLock { $0.append(fault) }
        }
        var downloading = ImageDownloader.Configuration(policy: downloads)
        downloading.partialBodies = partialBodies
        var configuration = ImagePipeline.Configuration(
            downloader: ImageDownloader(transport: transport, configuration: downloading),
            cache: cache,
            codecs: codecs ?? counters.codecs,
            defaultOptions: defaultOptions,
            workerCount: workerCount,
            decodeBudget: decodeBudget,
            recovery: recovery,
            workers: workers,
            thumbnailFolder: thumbnailFolder
        )
        configuration.observers = observers
        configuration.interceptors = interceptors
        configuration.loaders = loaders
        configuration.allowedSources = allowedSources
        pipeline = ImagePipeline(configuration: configuration)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// A path in the temporary folder that nothing is at.
    static func temporaryPath() -> String {
        "\(NSTemporaryPath.folder)/halcyon-test-\(UUID().uuidString)"
    }

    /// Waits until nothing is under way any more.
    func settle() async {
        await eventually { [pipeline] in
            let stages = pipeline.stages
            return stages.encodings.count + stages.images.count + stages.processing.work.count
                + stages.decoding.work.count
                + stages.original.work.count == 0
        }
        await pipeline.cache.flush()
    }
}

enum NSTemporaryPath {
    static let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
}

/// Counts what is decoded.
final class CodecCounters: Sendable {
    private let decodeCount = Lock(0)

    var decodes: Int { decodeCount.withLock { $0 } }

    var codecs: ImageCodecs {
        let counted = ImageCodecs.standard.decoders.map { CountingDecoder(base: $0, count: decodeCount) }
        return ImageCodecs(decoders: counted, encoders: ImageCodecs.standard.encoders)
    }

    private struct CountingDecoder: ImageDecoder {
        let base: any ImageDecoder
        let count: Lock<Int>

        var format: ImageFormat { base.format }

        func recognizes(_ prefix: Data) -> Bool { base.recognizes(prefix) }

        func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
            try base.info(of: data, limits: limits)
        }

        func decode(
            _ data: Data,
            options: DecodeOptions,
            isCancelled: @Sendable () -> Bool
        ) throws -> DecodedImage {
            count.withLock { $0 += 1 }
            return try base.decode(data, options: options, isCancelled: isCancelled)
        }
    }
}

/// Gives other tasks their turn until a condition holds that they are bound to bring about.
func eventually(_ condition: @Sendable () -> Bool) async {
    while !condition() {
        await Task.yield()
    }
}

/// Images to load.
enum Sample {
    /// A colourful image without transparency.
    static func bitmap(_ width: Int = 64, _ height: Int = 48, seed: Int = 0) -> Bitmap {
        // Sizes of tests are valid.
        guard var bitmap = try? Bitmap(size: PixelSize(width, height), isOpaque: true) else { fatalError("size") }
        let bytesPerRow = bitmap.bytesPerRow
        bitmap.withUnsafeMutableBytes { bytes in
            for y in 0..<height {
                for x in 0..<width {
                    let offset = y * bytesPerRow + x * 4
                    bytes[offset] = UInt8(truncatingIfNeeded: x * 3 + seed)
                    bytes[offset + 1] = UInt8(truncatingIfNeeded: y * 5 + seed)
                    bytes[offset + 2] = UInt8(truncatingIfNeeded: (x + y) * 2)
                    bytes[offset + 3] = 255
                }
            }
        }
        return bitmap
    }

    /// An image that no encoder makes small.
    static func noise(_ width: Int, _ height: Int) -> Bitmap {
        var bitmap = bitmap(width, height)
        var state: UInt32 = 1
        bitmap.withUnsafeMutableBytes { bytes in
            for offset in bytes.indices where offset % 4 != 3 {
                state = state &* 1_664_525 &+ 1_013_904_223
                bytes[offset] = UInt8(truncatingIfNeeded: state >> 24)
            }
        }
        return bitmap
    }

    static func png(_ width: Int = 64, _ height: Int = 48, seed: Int = 0) -> Data {
        encoded(bitmap(width, height, seed: seed), .png)
    }

    /// A PNG of 64 × 48 pixels that ends in the middle of them.
    static func pngCutShort() -> Data {
        let data = encoded(noise(64, 48), .png)
        return data.prefix(data.count / 2)
    }

    /// A PNG that ends at the sixth byte of the compressed pixels, so that its header can be read, and no row.
    static func pngWithoutPixels() -> Data {
        let data = png()
        guard let start = data.firstRange(of: Data("IDAT".utf8)) else { fatalError("IDAT") }
        return data.prefix(upTo: start.upperBound + 6)
    }

    static func jpeg(_ width: Int = 64, _ height: Int = 48) -> Data {
        encoded(bitmap(width, height), .jpeg)
    }

    static func encoded(_ bitmap: Bitmap, _ format: ImageFormat) -> Data {
        guard let data = try? ImageCodecs.standard.encode(bitmap, as: format) else { fatalError("encoder") }
        return data
    }

    /// A URL that belongs to one test alone.
    static func url(_ name: String = "picture.png") -> URL {
        guard let url = URL(string: "https://images.example/\(UUID().uuidString)/\(name)") else { fatalError("url") }
        return url
    }
}

extension ScriptedTransport {
    /// Answers a URL with a body from now on.
    func serve(_ url: URL, _ body: Data, status: Int = 200) {
        setRoute(url, Route(status: status, body: body))
    }
}

extension Bitmap {
    /// The samples of one pixel.
    func pixel(_ x: Int, _ y: Int) -> [UInt8] {
        withUnsafeBytes { Array($0[(y * bytesPerRow + x * 4)..<(y * bytesPerRow + x * 4 + 4)]) }
    }

    /// Whether both show the same.
    func hasSamePixels(as other: Bitmap) -> Bool {
        size == other.size && straightRGBA() == other.straightRGBA()
    }
}

extension ImageTask {
    /// The response if the task has succeeded already.
    var finishedResponse: ImageResponse? { if case .finished(let response) = state { response } else { nil } }
}
