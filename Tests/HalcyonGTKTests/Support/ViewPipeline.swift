import Foundation
import Halcyon
import HalcyonTesting

/// A pipeline over a transport that the test answers, with a cache folder that goes with it.
final class ViewPipeline: Sendable {
    let transport = ScriptedTransport()
    let pipeline: ImagePipeline
    let network = ManualNetwork()
    private let folder: String
    /// The pipeline whose folder it is; `nil` for one of its own.
    private let owner: ViewPipeline?

    /// - Parameter other: A pipeline whose cache folder it uses, as another process would. Default: `nil`.
    init(
        codecs: ImageCodecs = .standard,
        defaultOptions: [ImageOption] = [],
        failureMemory: FailureMemory? = nil,
        interceptors: [any LoadIntercepting] = [],
        over other: ViewPipeline? = nil
    ) {
        owner = other
        folder = other?.folder ?? NSTemporaryDirectory() + "halcyon-views-\(UUID().uuidString)"
        var disk = DiskCache.Configuration(folder: folder)
        disk.sweepInterval = nil
        var configuration = ImagePipeline.Configuration(
            downloader: ImageDownloader(transport: transport),
            cache: ImageCache(disk: disk, memoryPressure: nil),
            codecs: codecs,
            defaultOptions: defaultOptions,
            workerCount: 2,
            recovery: RecoveryConfiguration(network: network, failureMemory: failureMemory)
        )
        configuration.interceptors = interceptors
        pipeline = ImagePipeline(configuration: configuration)
    }

    deinit {
        if owner == nil { try? FileManager.default.removeItem(atPath: folder) }
    }

    /// A URL that belongs to one test alone, and is not answered.
    func url() -> URL {
        guard let url = URL(string: "https://views.example/\(UUID().uuidString).png") else { fatalError("url") }
        return url
    }

    /// A URL that is answered at once with an image of one colour.
    ///
    /// - Parameter cacheControl: The server's `Cache-Control`. Default: none.
    func url(
        _ color: TestColor,
        _ width: Int = 80,
        _ height: Int = 80,
        cacheControl: String? = nil
    ) throws -> URL {
        let url = url()
        var route = ScriptedTransport.Route(body: try color.png(width, height))
        route.headers[.cacheControl] = cacheControl
        transport.setRoute(url, route)
        return url
    }

    /// A URL that is answered at once with 404.
    func missing() -> URL {
        let url = url()
        transport.setRoute(url, ScriptedTransport.Route(status: 404))
        return url
    }

    /// Loads images into memory, at the size of a ``TestPicture``, and their originals onto disk.
    func preload(_ urls: URL..., options: [ImageOption] = .ofTestPicture) async throws {
        for url in urls { _ = try await pipeline.response(for: url, options: options + [.cacheOriginalImage]) }
        await pipeline.cache.flush()
    }
}

extension [ImageOption] {
    /// The options with which a ``TestPicture`` asks for an image.
    static var ofTestPicture: [ImageOption] { [.targetSize(.pixels(width: 100, height: 100)), .processAllFrames] }
}

extension ScriptedTransfer {
    /// Answers with an image of one colour.
    func answer(_ color: TestColor, _ width: Int = 80, _ height: Int = 80) throws {
        answer(ScriptedTransport.Route(body: try color.png(width, height)))
    }
}
