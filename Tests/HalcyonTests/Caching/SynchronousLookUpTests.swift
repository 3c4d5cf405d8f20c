import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A look-up that blocks its thread")
struct SynchronousLookUpTests {
    private let fixture = ServerCachingFixture()
    private let crop = ImageOption.processor(.crop(to: .pixels(9, 9)))

    private var pipeline: ImagePipeline { fixture.test.pipeline }

    private func lookUp(_ options: ImageOption...) async throws -> ImageResponse? {
        try await lookUp(ImageRequest(fixture.url, options: options))
    }

    private func lookUp(_ request: ImageRequest) async throws -> ImageResponse? {
        let pipeline = pipeline
        let response = try await onThread { pipeline.responseFromCache(for: request) }
        await fixture.test.settle()
        return response
    }

    @Test("whose time is over leaves nothing behind that a later one meets")
    func limited() async throws {
        fixture.serve(Sample.png(), [:])
        _ = try await fixture.load([])
        fixture.forgetMemory()
        let (pipeline, url) = (pipeline, fixture.url)
        for _ in 0..<20 {
            _ = try await onThread { pipeline.responseFromCache(for: ImageRequest(url), within: .zero) }
        }
        await fixture.test.settle()
        fixture.forgetMemory()
        let response = try await onThread { pipeline.responseFromCache(for: ImageRequest(url), within: .seconds(60)) }
        #expect(response?.source == .disk && fixture.requestCount == 1)
    }

    @Test("finds what is in memory and on disk, and stores it in memory", arguments: [false, true])
    func found(isProcessed: Bool) async throws {
        let processing = isProcessed ? crop : .processor(.identity)
        fixture.serve(Sample.png(), [:])
        #expect(try await lookUp(processing) == nil)
        let loaded = try await fixture.load([processing])
        #expect(try await lookUp(processing)?.source == .memory)
        fixture.forgetMemory()
        let found = try #require(try await lookUp(processing))
        #expect(found.source == .disk && found.image.bitmap.hasSamePixels(as: loaded.image.bitmap))
        #expect(found.byteCount == loaded.byteCount && found.image.info == loaded.image.info)
        #expect(try await lookUp(processing)?.source == .memory)
        #expect(fixture.requestCount == 1)
    }

    @Test("makes a processed image of the original on disk, and stores the result there")
    func original() async throws {
        fixture.serve(Sample.png(), [:])
        _ = try await fixture.load()
        #expect(try await lookUp(crop, .readsOriginal(false)) == nil)
        #expect(try await lookUp(crop)?.image.size == PixelSize(9, 9))
        #expect(await pipeline.cache.tiers(with: ImageRequest(fixture.url, options: [crop])) == .all)
        #expect(fixture.requestCount == 1)
    }

    @Test("delivers an image from memory and from disk with its scale, its modification and the encoded original")
    func delivery() async throws {
        fixture.serve(Sample.png(), [:])
        _ = try await fixture.load()
        let modifier = ImageModifier { $0.replacingBitmap(Sample.bitmap(1, 1)) }
        for source in [ImageResponse.Source.memory, .disk] {
            if source == .disk { fixture.forgetMemory() }
            let options: [ImageOption] = [.scaleFactor(2), .imageModifier(modifier), .includesOriginalData]
            let found = try #require(try await lookUp(ImageRequest(fixture.url, options: options)))
            #expect(found.source == source && found.image.scale == 2)
            #expect(found.image.size == PixelSize(1, 1) && found.data == Sample.png())
        }
        #expect(fixture.requestCount == 1)
    }

    @Test("finds nothing that its server would be asked about", arguments: [false, true])
    func freshness(isProcessed: Bool) async throws {
        let processing = isProcessed ? crop : .processor(.identity)
        fixture.serve(Sample.png(), [.cacheControl: "max-age=60, stale-while-revalidate=600", .eTag: "\"a\""])
        _ = try await fixture.load([processing])
        for options in [[ImageOption.revalidate], [.forceRefresh], [.fromMemoryCacheOrRefresh], [.noCache]] {
            fixture.forgetMemory()
            #expect(try await lookUp(ImageRequest(fixture.url, options: [processing] + options)) == nil)
        }
        #expect(try await lookUp(processing)?.source == .disk)
        fixture.clock.advance(by: 61)
        #expect(try await lookUp(processing) == nil)
        fixture.forgetMemory()
        #expect(try await lookUp(processing, .ignoringServer)?.source == .disk)
        fixture.forgetMemory()
        #expect(try await lookUp(processing, .onlyFromCache)?.source == .disk)
        #expect(fixture.requestCount == 1)
    }

    @Test("finds nothing of another scope, credential or variant")
    func identity() async throws {
        let headers: HTTPFields = [.authorization: "Bearer a"]
        fixture.serve(Sample.png(), [.vary: "accept-language"])
        _ = try await fixture.load([.headers(headers)])
        fixture.forgetMemory()
        #expect(try await lookUp() == nil)
        #expect(try await lookUp(.headers([.authorization: "Bearer b"])) == nil)
        #expect(try await lookUp(.headers([.authorization: "Bearer a", .acceptLanguage: "da"])) == nil)
        #expect(try await lookUp(.headers(headers))?.source == .disk)
        #expect(fixture.requestCount == 1)
    }

    @Test("reads a file, and stores it in memory")
    func file() async throws {
        let path = TestPipeline.temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(try await lookUp(ImageRequest(.file(path))) == nil)
        try Sample.png().write(to: URL(filePath: path))
        #expect(try await lookUp(ImageRequest(.file(path), options: [crop]))?.source == .file)
        #expect(try await lookUp(ImageRequest(.file(path), options: [crop]))?.source == .memory)
        try Data("no image".utf8).write(to: URL(filePath: path))
        #expect(try await lookUp(ImageRequest(.file(path), options: [crop])) == nil)
    }

    @Test("takes the bytes at hand, and from disk those of a provider that it does not call")
    func providers() async throws {
        #expect(try await lookUp(ImageRequest(.data(Sample.png())))?.source == .data)
        let provider = CountingProvider()
        let request = ImageRequest(.provider(provider), options: [crop, .cacheOriginalImage])
        #expect(try await lookUp(request) == nil)
        #expect(provider.count.withLock { $0 } == 0)
        _ = try await pipeline.response(for: request)
        await fixture.test.settle()
        fixture.forgetMemory()
        #expect(try await lookUp(request)?.source == .disk)
        #expect(try await lookUp(ImageRequest(.provider(provider)))?.source == .disk)
        #expect(provider.count.withLock { $0 } == 1)
    }

    @Test("removes an entry that turns out to be damaged or empty, as a load does", arguments: [false, true], [45, 0])
    func damage(isProcessed: Bool, byteCount: Int) async throws {
        let processing = isProcessed ? crop : .processor(.identity)
        try await pipeline.cache.store(Data(Sample.png().prefix(byteCount)), for: ImageRequest(fixture.url))
        #expect(try await lookUp(processing) == nil)
        #expect(await pipeline.cache.storedData(for: ImageRequest(fixture.url)) == nil)
    }

    @Test("does not wait for a transfer of the same image that is under way")
    func transfer() async throws {
        let task = pipeline.task(for: fixture.url)
        let transfer = await fixture.transport.nextTransfer()
        let pipeline = pipeline
        let url = fixture.url
        #expect(try await onThread { pipeline.responseFromCache(for: url) } == nil)
        transfer.answer(.init(body: Sample.png()))
        #expect(try await task.response.source == .network)
    }

    @Test("ends on the main thread, and on as many threads of Swift's pool as there are")
    @MainActor
    func everyThread() async throws {
        fixture.serve(Sample.png(), [:])
        _ = try await fixture.load([crop])
        fixture.forgetMemory()
        #expect(blocking(pipeline, fixture.url, [crop]) == .disk)
        await withTaskGroup(of: ImageResponse.Source?.self) { group in
            for _ in 0..<64 {
                group.addTask { [pipeline, url = fixture.url, crop] in
                    blocking(pipeline, url, [crop, .fromDiskCacheOrRefresh])
                }
            }
            for await source in group { #expect(source == .disk) }
        }
    }
}

/// Looks up an image in a function that an asynchronous one may call.
private func blocking(_ pipeline: ImagePipeline, _ url: URL, _ options: [ImageOption]) -> ImageResponse.Source? {
    pipeline.responseFromCache(for: url, options: options)?.source
}
