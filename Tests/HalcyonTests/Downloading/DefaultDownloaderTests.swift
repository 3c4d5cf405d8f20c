import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The downloader of a pipeline that names none")
struct DefaultDownloaderTests {
    @Test("belongs to one pipeline, and loads over real connections")
    func standard() async throws {
        let body = Sample.png()
        let server = try OriginServer { _ in .init(headers: [.contentType: "image/png"], body: [UInt8](body)) }
        defer { server.stop() }
        let folders = (0..<2).map { _ in TestPipeline.temporaryPath() }
        defer { for folder in folders { try? FileManager.default.removeItem(atPath: folder) } }
        let pipelines = folders.map { folder in
            ImagePipeline(configuration: .init(cache: ImageCache(disk: .init(folder: folder), memoryPressure: nil)))
        }
        let downloaders = pipelines.map(\.configuration.downloader)
        #expect(downloaders[0] !== downloaders[1])
        for (pipeline, downloader) in zip(pipelines, downloaders) {
            #expect(downloader.configuration.name == "default")
            let response = try await pipeline.response(for: server.url("/image.png"))
            #expect(response.source == .network)
            let downloaded = try await downloader.download(from: server.url("/image.png"))
            #expect(firstDifference(downloaded.data, body) == nil)
        }
        #expect(server.requestCount("/image.png") == 4)
    }
}
