import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A cache of images beside a cache of originals")
struct TwoCachesTests {
    @Test("ends every load that waits for both, however their stores overlap")
    func stress() async throws {
        let test = TestPipeline(workerCount: 4)
        let folders = (0..<2).map { _ in TestPipeline.temporaryPath() }
        defer { for folder in folders { try? FileManager.default.removeItem(atPath: folder) } }
        let caches = folders.map { ImageCache(disk: .init(folder: $0), memoryPressure: nil) }
        let options: [ImageOption] = [
            .targetCache(caches[0]), .originalCache(caches[1]), .cacheOriginalImage, .waitForCache,
            .processor(.crop(to: .pixels(9, 9))),
        ]
        let urls = (0..<200).map { Sample.url("\($0).png") }
        for url in urls { test.transport.serve(url, Sample.png()) }
        let tasks = urls.map { test.pipeline.task(for: $0, options: options) }
        for task in tasks { #expect(try await task.response.source == .network) }
        for (cache, isProcessed) in zip(caches, [true, false]) {
            let images = try await cache.storedImages()
            #expect(images.count == urls.count)
            #expect(images.allSatisfy { $0.isProcessed == isProcessed })
        }
    }
}
