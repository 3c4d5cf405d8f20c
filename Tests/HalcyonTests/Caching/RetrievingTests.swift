import FoundationEssentials
import HTTPTypes
import HalcyonConcurrency
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("An image cache of its own")
struct RetrievingTests {
    private let test = TestPipeline()
    private let url = Sample.url()
    private let crop: ImageOptions = [.processor(.crop(to: PixelSize(9, 9)))]

    private var cache: ImageCache { test.pipeline.cache }

    @Test("gives what was stored, from memory and then from disk, and nothing else")
    func order() async throws {
        let image = try ImageCodecs.standard.decode(Sample.png())
        #expect(try await cache.image(.url(url)) == nil)
        try await cache.store(image, original: Sample.png(), for: .url(url))
        #expect(try await cache.image(.url(url))?.type == .memory)
        #expect(cache.imageInMemory(.url(url))?.bitmap.hasSamePixels(as: image.bitmap) == true)
        cache.removeAllFromMemory()
        #expect(cache.imageInMemory(.url(url)) == nil)
        #expect(try await cache.image(.url(url), options: [.fromMemoryCacheOrRefresh]) == nil)
        let found = try #require(try await cache.image(.url(url)))
        #expect(found.type == .disk)
        #expect(found.image.bitmap.hasSamePixels(as: image.bitmap))
        // From disk it has its place in memory again.
        #expect(cache.isInMemory(.url(url)))
        #expect(try await cache.image(.url(url), options: crop) == nil)
    }

    @Test("keeps an embedded thumbnail in memory alone, as it is no original")
    func thumbnails() async throws {
        let image = try ImageCodecs.standard.decode(Sample.png())
        #expect(try await cache.store(image, for: .url(url), options: [.useEmbeddedThumbnail]) == false)
        #expect(cache.isInMemory(.url(url), options: [.useEmbeddedThumbnail]))
        cache.removeAllFromMemory()
        #expect(try await cache.image(.url(url)) == nil)
    }

    @Test("gives the results of processors with what their originals were")
    func results() async throws {
        test.transport.serve(url, Sample.jpeg())
        let response = try await test.pipeline.response(for: .url(url), options: crop)
        await test.settle()
        cache.removeAllFromMemory()
        let found = try #require(try await cache.image(.url(url), options: crop))
        #expect(found.image.size == PixelSize(9, 9))
        #expect(found.image.info == response.image.info)
    }

    @Test("removes what is no image, and finds nothing then")
    func damage() async throws {
        for data in [Data("nonsense".utf8), Data()] {
            try await cache.store(data, for: .url(url))
            #expect(try await cache.image(.url(url)) == nil)
            #expect(try await cache.diskStatistics().count == 0)
        }
    }

    @Test("keeps an empty entry from no load")
    func emptyEntry() async throws {
        test.transport.serve(url, Sample.png())
        try await cache.store(Data(), for: .url(url))
        #expect(try await test.pipeline.response(for: url).source == .network)
    }

    @Test("tells of what is too large for the limits, and keeps it")
    func limits() async throws {
        try await cache.store(Sample.png(), for: .url(url))
        let error = await #expect(throws: ImageError.self) {
            try await cache.image(.url(url), options: [.decodeLimits(DecodeLimits(pixelCount: 1))])
        }
        #expect(error?.stage == .decode)
        #expect(try await cache.diskStatistics().count == 1)
    }

    @Test("puts nothing into memory that a server wants to be asked about")
    func freshness() async throws {
        let fixture = ServerCachingFixture()
        let cache = fixture.test.pipeline.cache
        fixture.serve(Sample.png(), [.cacheControl: "max-age=60", .eTag: "\"a\""])
        _ = try await fixture.load()
        fixture.forgetMemory()
        #expect(try await cache.image(.url(fixture.url))?.type == .disk)
        #expect(cache.isInMemory(.url(fixture.url)))
        fixture.clock.advance(by: 60)
        fixture.serve(Data(), [:], status: 304)
        #expect(try await fixture.load().source == .disk)
        #expect(fixture.requestCount == 2)
        fixture.clock.advance(by: 60)
        fixture.forgetMemory()
        #expect(try await cache.image(.url(fixture.url))?.type == .disk)
        #expect(!cache.isInMemory(.url(fixture.url)))
    }

    @Test("finds any frame at its own size in the original")
    func frames() async throws {
        try await cache.store(Sample.png(), for: .url(url))
        #expect(await cache.cachedType(of: .url(url), options: [.frame(2)]) == .disk)
        #expect(await cache.storedData(for: .url(url), options: [.frame(2)]) == Sample.png())
    }

    @Test("removes an original with all that was made of it, whatever its signature")
    func removal() async throws {
        let signed = try #require(URL(string: url.absoluteString + "?X-Amz-Signature=1"))
        let again = try #require(URL(string: url.absoluteString + "?X-Amz-Signature=2"))
        try await cache.store(Sample.png(), for: .url(signed), options: [.cacheKeyRule(.amazonS3)])
        #expect(try await cache.removeFromDisk(.url(again), options: [.cacheKeyRule(.amazonS3)]) == 1)
    }
}
