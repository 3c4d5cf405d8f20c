import FoundationEssentials
import HTTPTypes
import Halcyon
import HalcyonTesting
import Hummingbird
import HummingbirdTesting
import Logging
import ServiceLifecycle
import Synchronization
import Testing

@testable import ThumbnailRoutes

@Suite("Thumbnail routes")
final class ThumbnailRoutesTests: Sendable {
    private let transport = ScriptedTransport()
    private let origin: URL
    private let photo: URL
    private let pipeline: ImagePipeline
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "thumbnail-routes-\(UInt64.random(in: 0 ... .max))").path

    init() throws {
        origin = try #require(URL(string: "https://origin.test"))
        photo = origin.appending(path: "photos/cat.png")
        let image = try Bitmap(size: PixelSize(64, 48))
        let bytes = try ImageCodecs.standard.encode(image, as: .png)
        transport.setRoute(photo, .init(headers: [.contentType: "image/png"], body: bytes))
        pipeline = ImagePipeline(
            configuration: ImagePipeline.Configuration(
                downloader: ImageDownloader(transport: transport),
                cache: ImageCache(disk: DiskCache.Configuration(folder: folder))
            )
        )
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func respond(
        to path: String,
        _ headers: HTTPFields = [:],
        _ check: @escaping @Sendable (TestResponse) throws -> Void
    ) async throws {
        let router = Router()
        ThumbnailRoutes(pipeline: pipeline, origin: origin, sizes: [PixelSize(20, 20)])
            .add(to: router)
        try await Application(router: router).test(.router) { client in
            try await client.execute(uri: path, method: .get, headers: headers, testCallback: check)
        }
    }

    @Test("give the image in the best format that the client accepts")
    func negotiated() async throws {
        try await respond(to: "/thumbnails/20x20/photos/cat.png", [.accept: "image/webp,*/*;q=0.8"]) { response in
            #expect(response.status == .ok)
            #expect(response.headers[.contentType] == "image/webp")
            #expect(response.headers[.vary] == "Accept")
            let image = try ImageCodecs.standard.decode(Data(buffer: response.body))
            #expect(image.bitmap.size == PixelSize(20, 15))
        }
        try await respond(to: "/thumbnails/20x20/photos/cat.png", [.accept: "image/png"]) { response in
            #expect(response.headers[.contentType] == "image/png")
        }
        #expect(transport.startedCount(photo) == 1)
    }

    @Test("answer a client that has the bytes with 304")
    func notModified() async throws {
        let tag = Mutex("")
        try await respond(to: "/thumbnails/20x20/photos/cat.png") { response in
            let value = try #require(response.headers[.eTag])
            tag.withLock { $0 = value }
        }
        try await respond(to: "/thumbnails/20x20/photos/cat.png", [.ifNoneMatch: tag.withLock { $0 }]) { response in
            #expect(response.status == .notModified)
            #expect(response.body.readableBytes == 0)
        }
    }

    @Test(
        "refuse what the server does not offer, and what the origin does not have",
        arguments: [
            ("/thumbnails/21x20/photos/cat.png", "*/*", HTTPResponse.Status.notFound),
            ("/thumbnails/20x20/photos/dog.png", "*/*", .notFound),
            ("/thumbnails/20x20/photos/cat.png", "text/html", .notAcceptable),
            ("/thumbnails/20x20/../cat.png", "*/*", .badRequest),
        ]
    )
    func refused(path: String, accept: String, status: HTTPResponse.Status) async throws {
        transport.setRoute(origin.appending(path: "photos/dog.png"), .init(status: 404))
        try await respond(to: path, [.accept: accept]) { response in
            #expect(response.status == status)
        }
    }

    @Test("stop with the service group, which writes to disk what waits for it")
    func shutdown() async throws {
        try await respond(to: "/thumbnails/20x20/photos/cat.png") { _ in }
        let group = ServiceGroup(services: [PipelineService(pipeline)], logger: Logger(label: "test"))
        await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            tasks.addTask { await group.triggerGracefulShutdown() }
        }
        await #expect(throws: ImageError.self) {
            _ = try await self.pipeline.data(for: ImageRequest(self.origin.appending(path: "other.png")))
        }
        #expect(try await pipeline.cache.diskStatistics().count > 0)
    }
}
