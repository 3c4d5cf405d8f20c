import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The encoded original of a response")
struct OriginalDataTests {
    private let test = TestPipeline()
    private let url = Sample.url()
    private let data = Sample.png(64, 48)
    private let crop = ImageOption.processor(.crop(to: .pixels(8, 6)))

    init() {
        test.transport.serve(url, data)
    }

    private func load(_ options: [ImageOption] = []) async throws -> ImageResponse {
        let options = [.includesOriginalData] + options
        let response = try await test.pipeline.response(for: url, options: options)
        await test.settle()
        return response
    }

    @Test("is there from network, memory and disk, where the options ask for it")
    func everyPath() async throws {
        for source in [ImageResponse.Source.network, .memory, .disk] {
            if source == .disk { test.pipeline.cache.removeAllFromMemory() }
            let response = try await load()
            #expect(response.source == source && response.data == data)
            let task = test.pipeline.task(for: url, options: [.includesOriginalData])
            #expect(try await task.response.data == data)
        }
        #expect(test.transport.startedCount == 1)
    }

    @Test("is not there where nothing asks for it", arguments: [true, false])
    func notAsked(isProcessed: Bool) async throws {
        let options: [ImageOption] = isProcessed ? [crop, .waitForCache] : [.waitForCache]
        for source in [ImageResponse.Source.network, .memory, .disk] {
            if source == .disk { test.pipeline.cache.removeAllFromMemory() }
            let response = try await test.pipeline.response(for: url, options: options)
            #expect(response.source == source && response.data == nil && response.byteCount == data.count)
        }
    }

    @Test("is not waited for where an image in memory is returned at once")
    func withoutWaiting() async throws {
        _ = try await load()
        let options: [ImageOption] = [.includesOriginalData]
        for response in [
            test.pipeline.responseFromMemory(for: url, options: options),
            test.pipeline.responseFromMemory(for: ImageRequest(url, options: options)),
        ] {
            #expect(response?.source == .memory && response?.data == nil)
        }
        #expect(test.pipeline.task(for: url, options: options).finishedResponse == nil)
    }

    @Test("of a result of processors is there if it is stored")
    func processed() async throws {
        #expect(try await load([crop, .cacheOriginalImage]).data == data)
        #expect(try await load([crop]).data == data)
        test.pipeline.cache.removeAllFromMemory()
        let found = try await load([crop])
        #expect(found.source == .disk && found.data == data)
        #expect(test.transport.startedCount == 1)
    }

    @Test(
        "is that of the image, which is made anew where another process has replaced the original",
        arguments: [true, false]
    )
    func replacedElsewhere(isProcessed: Bool) async throws {
        let options: [ImageOption] =
            isProcessed ? [.processor(.crop(to: .pixels(8, 6), anchor: .topLeft)), .cacheOriginalImage] : []
        let other = TestPipeline(folder: test.folder)
        #expect(try await load(options).data == data)
        let replacement = Sample.png(seed: 7)
        other.transport.serve(url, replacement)
        _ = try await other.pipeline.response(for: url, options: [.forceRefresh, .waitForCache])
        await other.pipeline.cache.flush()
        let response = try await load(options)
        #expect(response.data == replacement)
        #expect(response.image.bitmap.pixel(0, 0)[0] == 7)
        #expect(try await test.pipeline.image(from: url, options: options).bitmap.pixel(0, 0)[0] == 7)
        #expect(test.transport.startedCount == 1)
    }

    @Test("is not given with an image that the program stored, which may be of another original")
    func imageOfProgram() async throws {
        _ = try await load()
        let image = try ImageCodecs.standard.decode(Sample.png(seed: 7))
        try await test.pipeline.cache.store(image, for: ImageRequest(url, options: [.cacheMemoryOnly]))
        let hit = try await load()
        #expect(hit.source == .memory && hit.data == nil)
        #expect(hit.image.bitmap.pixel(0, 0)[0] == 7)
    }

    @Test("is not loaded anew where no cache has it")
    func notStored() async throws {
        #expect(try await load([crop]).data == data)
        let hit = try await load([crop])
        #expect(hit.source == .memory && hit.data == nil)
        test.pipeline.cache.removeAllFromMemory()
        let found = try await load([crop])
        #expect(found.source == .disk && found.data == nil)
        #expect(test.transport.startedCount == 1)
    }

    @Test("is not read from a disk that must not be read")
    func withoutDisk() async throws {
        _ = try await load()
        let hit = try await load([.fromMemoryCacheOrRefresh])
        #expect(hit.source == .memory && hit.data == nil)
    }

    @Test("is that of the request's scope")
    func scopes() async throws {
        let scopes = ["one", "two"].map { ImageOption.cacheScope($0) }
        for (seed, scope) in scopes.enumerated() {
            test.transport.serve(url, Sample.png(seed: seed))
            _ = try await load([scope])
        }
        for (seed, scope) in scopes.enumerated() {
            let hit = try await load([scope])
            #expect(hit.source == .memory && hit.data == Sample.png(seed: seed))
        }
        // A third has its image in memory alone.
        let image = try await test.pipeline.image(from: url, options: [scopes[0]])
        let third: [ImageOption] = [.cacheScope("three"), .cacheMemoryOnly]
        try await test.pipeline.cache.store(image, for: ImageRequest(url, options: third))
        let hit = try await load([.cacheScope("three")])
        #expect(hit.source == .memory && hit.data == nil)
    }

    @Test("is the representation that the request's headers select")
    func varying() async throws {
        test.transport.setAnswer { request in
            let isWebP = request.headers[.accept] == "image/webp"
            return .init(
                headers: [.cacheControl: "max-age=600", .vary: "Accept"],
                body: Sample.png(seed: isWebP ? 1 : 2)
            )
        }
        test.transport.setRoute(url, nil)
        for (accept, seed) in [("image/webp", 1), ("image/png", 2)] {
            let accepts = ImageOption.headers([.accept: accept])
            #expect(try await load([accepts]).data == Sample.png(seed: seed))
            let hit = try await load([accepts])
            #expect(hit.source == .memory && hit.data == Sample.png(seed: seed))
        }
        #expect(test.transport.startedCount == 2)
    }

    @Test("is shared by equal loads, and each load gets what it asks for")
    func sharing() async throws {
        test.transport.setRoute(url, nil)
        let options: [[ImageOption]] = [[], [.includesOriginalData], [.includesOriginalData]]
        let tasks = options.map { test.pipeline.task(for: url, options: $0) }
        let transfer = await test.transport.nextTransfer()
        await eventually { [test] in test.pipeline.stages.images.waiterCount == 3 }
        #expect(test.pipeline.stages.images.count == 2)
        transfer.answer(.init(body: data))
        #expect(try await tasks[0].response.data == nil)
        #expect(try await tasks[1].response.data == data)
        #expect(try await tasks[2].response.data == data)
        #expect(test.transport.startedCount == 1 && test.counters.decodes == 1)
    }

    @Test("of a file is read from the file")
    func file() async throws {
        let path = TestPipeline.temporaryPath() + ".png"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try data.write(to: URL(filePath: path), options: .atomic)
        let request = ImageRequest(.file(path), options: [.includesOriginalData])
        for source in [ImageResponse.Source.file, .memory] {
            let response = try await test.pipeline.response(for: request)
            #expect(response.source == source && response.data == data)
        }
    }

    @Test("of a provider is read from disk, without asking the provider again")
    func provider() async throws {
        let provider = CountingProvider(body: data)
        let request = ImageRequest(.provider(provider), options: [.includesOriginalData])
        for source in [ImageResponse.Source.data, .memory] {
            let response = try await test.pipeline.response(for: request)
            #expect(response.source == source && response.data == data)
            await test.settle()
        }
        try await test.pipeline.cache.remove(for: request, from: .disk)
        let hit = try await test.pipeline.response(for: request)
        #expect(hit.source == .memory && hit.data == nil)
        #expect(provider.calls.value == 1)
    }

    private struct CountingProvider: ImageDataProvider {
        let body: Data
        let calls = CallCounter()

        var cacheKey: String { "provider" }

        func data() async throws -> Data {
            calls.add()
            return body
        }
    }
}
