import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A file extension in the options")
struct FileExtensionTests {
    private let test = TestPipeline()
    private let url = Sample.url()
    private let crop = ImageOption.processor(.crop(to: PixelSize(9, 9)))

    init() {
        test.transport.serve(url, Sample.png())
    }

    private func location(_ options: ImageOption..., source: Source? = nil) async throws -> String? {
        let request = ImageRequest(source ?? .url(url), options: ImageOptions(options))
        return try await test.pipeline.cache.fileLocation(for: request)
    }

    @Test("ends the path of the original, and of what was made of it", arguments: [false, true])
    func path(isProcessed: Bool) async throws {
        let processing = isProcessed ? crop : .processor(.identity)
        let response = try await test.pipeline.response(for: url, options: [processing, .fileExtension("png")])
        await test.settle()
        // As always, a small body has no file of its own.
        #expect(try await location(processing) == nil)
        let path = try #require(try await location(processing, .fileExtension("png")))
        #expect(path.hasSuffix(".png"))
        let data = try #require(FileManager.default.contents(atPath: path))
        #expect(try ImageCodecs.standard.decode(data).bitmap.hasSamePixels(as: response.image.bitmap))
        // The entry is as it was.
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await test.pipeline.response(for: url, options: [processing]).source == .disk)
        #expect(try await location(processing, .fileExtension("image"))?.hasSuffix(".image") == true)
    }

    @Test("is no part of a key: loads with and without it are the same image, and share their work")
    func key() async throws {
        let url = Sample.url()
        let tasks = [test.pipeline.task(for: url), test.pipeline.task(for: url, options: [.fileExtension("png")])]
        let transfer = await test.transport.nextTransfer()
        await eventually { [test] in test.pipeline.stages.images.waiterCount == 2 }
        #expect(test.pipeline.stages.images.count == 1)
        transfer.answer(.init(body: Sample.png()))
        for task in tasks { _ = try await task.response }
        await test.settle()
        #expect(test.pipeline.responseFromMemory(for: url, options: [.fileExtension("jpg")]) != nil)
        #expect(try await test.pipeline.cache.diskStatistics().count == 1)
    }

    @Test("of an entry that is not there gives no path, and of one that was removed a path to nothing")
    func absent() async throws {
        #expect(try await location(.fileExtension("png")) == nil)
        _ = try await test.pipeline.response(for: url, options: [.waitForCache])
        let path = try #require(try await location(.fileExtension("png")))
        try await test.pipeline.cache.remove(for: ImageRequest(url))
        #expect(FileManager.default.contents(atPath: path) == nil)
        #expect(try await location(.fileExtension("png")) == nil)
    }

    @Test("serves a store by the program and a provider as well")
    func otherPaths() async throws {
        let other = Sample.url()
        try await test.pipeline.cache.store(Sample.png(seed: 3), for: ImageRequest(other))
        let path = try #require(try await location(.fileExtension("png"), source: .url(other)))
        #expect(firstDifference(FileManager.default.contents(atPath: path) ?? Data(), Sample.png(seed: 3)) == nil)
        let provider = Source.provider(CountingProvider())
        _ = try await test.pipeline.response(for: ImageRequest(provider, options: [.fileExtension("png")]))
        #expect(try await location(.fileExtension("png"), source: provider)?.hasSuffix(".png") == true)
    }
}
