import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A load in any form")
struct LoadTests {
    /// The forms of results, with one way to ask for each.
    enum Form: CaseIterable {
        case image
        case encodedImage
        case original
        case memoryEntry
        case diskEntry

        /// Loads, and returns the place that the result came from; `nil` after a failed prefetch.
        func load(_ request: ImageRequest, by pipeline: ImagePipeline) async throws -> ImageResponse.Source? {
            switch self {
            case .image:
                return try await pipeline.response(for: request).source
            case .encodedImage:
                return try await pipeline.encoded(for: request, as: .format(.png)).source
            case .original:
                return try await pipeline.data(for: request).isEmpty ? nil : .network
            case .memoryEntry, .diskEntry:
                let destination: ImagePrefetcher.Destination = self == .diskEntry ? .disk : .memory
                let prefetcher = ImagePrefetcher(requests: [request], pipeline: pipeline, destination: destination)
                let result = await prefetcher.run()
                return result.completed.isEmpty ? result.skipped.isEmpty ? nil : .memory : .network
            }
        }
    }

    private let fixture = ServerCachingFixture()
    private let other = Sample.url("other.png")

    private var pipeline: ImagePipeline { fixture.test.pipeline }

    @Test("tries the alternatives within the chain of interceptors, once for each request", arguments: Form.allCases)
    func order(form: Form) async throws {
        let log = CallLog()
        let test = TestPipeline(interceptors: ["a", "b"].map { RecordingInterceptor(name: $0, log: log) })
        test.transport.setRoute(fixture.url, .init(status: 500, headers: [:], body: Data()))
        test.transport.serve(other, Sample.png())
        let request = ImageRequest(fixture.url, options: [.alternativeSources([.url(other)])])
        #expect(try await form.load(request, by: test.pipeline) == .network)
        #expect(log.texts == ["prepare a", "prepare b", "load a", "load b", "end b", "end a"])
        #expect(test.transport.transfers.map(\.request.url) == [fixture.url, other])
    }

    @Test("finds what another load has put into memory since its caller looked there")
    func secondLook() async throws {
        fixture.serve(Sample.png(), [:])
        let (hasLooked, gate) = (Gate(), Gate())
        let interceptor = TestInterceptor { load in
            hasLooked.open()
            await gate.wait()
            return try await load.proceed()
        }
        let task = pipeline.task(for: ImageRequest(fixture.url, options: [.interceptors(interceptor)]))
        await hasLooked.wait()
        #expect(try await fixture.load().source == .network)
        gate.open()
        #expect(try await task.response.source == .memory)
        #expect(fixture.requestCount == 1 && fixture.test.counters.decodes == 1)
    }

    @Test("is named by its source, wherever its server leads", arguments: [Form.image, .diskEntry])
    func redirect(form: Form) async throws {
        let request = ImageRequest(fixture.url)
        let (pipeline, target) = (pipeline, other)
        let load = Task { try await form.load(request, by: pipeline) }
        let transfer = await fixture.transport.nextTransfer()
        transfer.respond(status: 200, headers: [.cacheControl: "max-age=60"], url: target)
        transfer.send(Sample.png())
        transfer.finish()
        #expect(try await load.value == .network)
        await fixture.test.settle()
        #expect(await pipeline.cache.tiers(with: request).contains(.disk))
        #expect(await pipeline.cache.tiers(with: ImageRequest(target)) == [])
        try await pipeline.cache.remove(for: request)
        await #expect(throws: ImageError.self) { try await fixture.load([.onlyFromCache]) }
    }

    @Test("replaces nothing by a page that is sent in place of an image", arguments: Form.allCases)
    func portal(form: Form) async throws {
        let crop = ImageOption.processor(.crop(to: .pixels(8, 8)))
        fixture.serve(Sample.png(seed: 1), [.cacheControl: "max-age=60"])
        _ = try await fixture.load()
        _ = try await fixture.load([crop])
        let before = try await pipeline.cache.storedImages().count
        fixture.serve(Data("<html>Log in</html>".utf8), [.contentType: "text/html", .cacheControl: "max-age=60"])
        _ = try? await form.load(ImageRequest(fixture.url, options: [.forceRefresh]), by: pipeline)
        await fixture.test.settle()
        #expect(fixture.requestCount == 2)
        #expect(try await pipeline.cache.storedImages().count == before)
        fixture.forgetMemory()
        #expect(try await fixture.load().source == .disk)
        #expect(try await fixture.load([crop]).source == .disk)
    }

    @Test("finds nothing of a removed image", arguments: Form.allCases)
    func removed(form: Form) async throws {
        fixture.serve(Sample.png(), [.cacheControl: "max-age=60"])
        let request = ImageRequest(fixture.url, options: [.waitForCache])
        _ = try await form.load(request, by: pipeline)
        try await pipeline.cache.remove(for: request)
        #expect(try await form.load(request, by: pipeline) == .network)
        #expect(fixture.requestCount == 2)
    }

    @Test("that blocks its thread tries no alternative, and tells its observers of the failure")
    func blockingAlternative() async throws {
        fixture.serve(Sample.png(), [:])
        _ = try await fixture.load()
        fixture.forgetMemory()
        fixture.transport.setRoute(other, .init(status: 404, headers: [:], body: Data()))
        let request = ImageRequest(other, options: [.alternativeSources([.url(fixture.url)])])
        let pipeline = pipeline
        let failures = pipeline.statistics.failures
        #expect(try await onThread { pipeline.responseFromCache(for: request) } == nil)
        #expect(pipeline.statistics.failures == failures + 1)
        #expect(try await pipeline.response(for: request).source == .disk)
    }

    @Test("takes the image that came with the program in place of a damaged one on disk", arguments: [false, true])
    func healing(isBlocking: Bool) async throws {
        let folder = fixture.test.folder + "/bundle"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let name = try #require(BundledImages.lastPathComponent(of: fixture.url.absoluteString))
        try Sample.png(seed: 1).write(to: URL(fileURLWithPath: folder + "/" + name))
        var disk = DiskCache.Configuration(folder: fixture.test.folder + "/own")
        disk.clock = fixture.clock.clock
        let cache = ImageCache(disk: disk, tiers: [BundledImages.files(in: folder)], memoryPressure: nil)
        try await cache.store(Data("no image".utf8), for: ImageRequest(fixture.url))
        let request = ImageRequest(fixture.url, options: [.targetCache(cache)])
        let pipeline = pipeline
        let response: ImageResponse?
        if isBlocking {
            response = try await onThread { pipeline.responseFromCache(for: request) }
        } else {
            response = try await pipeline.response(for: request)
        }
        #expect(response?.source == .disk)
        #expect(response?.image.bitmap.hasSamePixels(as: Sample.bitmap(seed: 1)) == true)
        #expect(try await cache.diskStatistics().count == 0)
        #expect(fixture.requestCount == 0)
    }

    @Test("of a cache itself makes no processed image, asks no server, and reads no file")
    func entry() async throws {
        fixture.serve(Sample.png(), [.cacheControl: "no-cache"])
        _ = try await fixture.load()
        fixture.forgetMemory()
        let cache = pipeline.cache
        #expect(try await cache.entry(for: ImageRequest(fixture.url))?.tier == .disk)
        let crop: [ImageOption] = [.processor(.crop(to: .pixels(8, 8)))]
        #expect(try await cache.entry(for: ImageRequest(fixture.url, options: crop)) == nil)
        #expect(fixture.requestCount == 1)
        let path = TestPipeline.temporaryPath()
        try Sample.png().write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(try await cache.entry(for: ImageRequest(.file(path))) == nil)
        #expect(try await cache.entry(for: ImageRequest(.data(Sample.png(), cacheKey: "bytes"))) == nil)
    }
}
