import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("An image cache of its own")
struct RetrievingTests {
    private let test = TestPipeline()
    private let url = Sample.url()
    private let crop: [ImageOption] = [.processor(.crop(to: .pixels(9, 9)))]

    private var cache: ImageCache { test.pipeline.cache }

    @Test("gives what was stored, from memory and then from disk, and nothing else")
    func order() async throws {
        let image = try ImageCodecs.standard.decode(Sample.png())
        #expect(try await cache.entry(for: ImageRequest(url)) == nil)
        try await cache.store(image, original: Sample.png(), for: ImageRequest(url))
        #expect(try await cache.entry(for: ImageRequest(url))?.tier == .memory)
        #expect(cache.entryInMemory(for: ImageRequest(url))?.image.bitmap.hasSamePixels(as: image.bitmap) == true)
        cache.removeAllFromMemory()
        #expect(cache.entryInMemory(for: ImageRequest(url)) == nil)
        #expect(try await cache.entry(for: ImageRequest(url, options: [.fromMemoryCacheOrRefresh])) == nil)
        let found = try #require(try await cache.entry(for: ImageRequest(url)))
        #expect(found.tier == .disk)
        #expect(found.image.bitmap.hasSamePixels(as: image.bitmap))
        // From disk it has its place in memory again.
        #expect(cache.isInMemory(ImageRequest(url)))
        #expect(try await cache.entry(for: ImageRequest(url, options: crop)) == nil)
    }

    @Test(
        "has what was stored without a server's response for seven days, however often it is used",
        arguments: [false, true],
        [false, true]
    )
    func silence(isImage: Bool, isRead: Bool) async throws {
        let fixture = ServerCachingFixture()
        let cache = fixture.test.pipeline.cache
        let request = ImageRequest(
            fixture.url,
            options: [.diskCacheExpiration(.days(30)), .memoryCacheExpiration(.days(30))]
        )
        if isImage {
            try await cache.store(ImageCodecs.standard.decode(Sample.png()), original: Sample.png(), for: request)
        } else {
            try await cache.store(Sample.png(), for: request)
        }
        if isRead {
            for days in [6.0, 2.0] {
                fixture.clock.advance(by: days * 86_400)
                #expect(try await cache.entry(for: request) != nil)
            }
        } else {
            fixture.clock.advance(by: 8 * 86_400)
        }
        fixture.serve(Sample.png(seed: 1), [.cacheControl: "max-age=60"])
        #expect(try await fixture.load().source == .network)
        #expect(fixture.requestCount == 1)
    }

    @Test("has what was stored for as long as it may for requests that ignore the server, and for sources without one")
    func silenceWithoutServer() async throws {
        let fixture = ServerCachingFixture()
        let cache = fixture.test.pipeline.cache
        let long: [ImageOption] = [.diskCacheExpiration(.days(30)), .memoryCacheExpiration(.days(30))]
        let provided = ImageRequest(.dataURL("data:,"), options: long)
        let ignoring = ImageRequest(fixture.url, options: long + [.ignoringServer])
        for request in [provided, ignoring] {
            try await cache.store(ImageCodecs.standard.decode(Sample.png()), for: request)
        }
        fixture.clock.advance(by: 8 * 86_400)
        for request in [provided, ignoring] {
            #expect(try await fixture.test.pipeline.response(for: request).source == .memory)
        }
    }

    @Test("keeps an embedded thumbnail in memory alone, as it is no original")
    func thumbnails() async throws {
        let image = try ImageCodecs.standard.decode(Sample.png())
        #expect(try await cache.store(image, for: ImageRequest(url, options: [.useEmbeddedThumbnail])) == false)
        #expect(cache.isInMemory(ImageRequest(url, options: [.useEmbeddedThumbnail])))
        cache.removeAllFromMemory()
        #expect(try await cache.entry(for: ImageRequest(url)) == nil)
    }

    @Test("gives the results of processors with what their originals were")
    func results() async throws {
        test.transport.serve(url, Sample.jpeg())
        let response = try await test.pipeline.response(for: url, options: crop)
        await test.settle()
        cache.removeAllFromMemory()
        let found = try #require(try await cache.entry(for: ImageRequest(url, options: crop)))
        #expect(found.image.size == PixelSize(9, 9))
        #expect(found.image.info == response.image.info)
    }

    @Test("removes what is no image, and finds nothing then")
    func damage() async throws {
        for data in [Data("nonsense".utf8), Data()] {
            try await cache.store(data, for: ImageRequest(url))
            #expect(try await cache.entry(for: ImageRequest(url)) == nil)
            #expect(try await cache.diskStatistics().count == 0)
        }
    }

    @Test("keeps an empty entry from no load")
    func emptyEntry() async throws {
        test.transport.serve(url, Sample.png())
        try await cache.store(Data(), for: ImageRequest(url))
        #expect(try await test.pipeline.response(for: url).source == .network)
    }

    @Test("reports an image that is too large for the limits, and keeps it")
    func limits() async throws {
        try await cache.store(Sample.png(), for: ImageRequest(url))
        let error = await #expect(throws: ImageError.self) {
            try await cache.entry(for: ImageRequest(url, options: [.decodeLimits(DecodeLimits(pixelCount: 1))]))
        }
        #expect(error?.stage == .decode)
        #expect(try await cache.diskStatistics().count == 1)
    }

    @Test("puts nothing into memory about which a server must be asked")
    func freshness() async throws {
        let fixture = ServerCachingFixture()
        let cache = fixture.test.pipeline.cache
        fixture.serve(Sample.png(), [.cacheControl: "max-age=60", .eTag: "\"a\""])
        _ = try await fixture.load()
        fixture.forgetMemory()
        #expect(try await cache.entry(for: ImageRequest(fixture.url))?.tier == .disk)
        #expect(cache.isInMemory(ImageRequest(fixture.url)))
        fixture.clock.advance(by: 60)
        fixture.serve(Data(), [:], status: 304)
        #expect(try await fixture.load().source == .disk)
        #expect(fixture.requestCount == 2)
        fixture.clock.advance(by: 60)
        fixture.forgetMemory()
        #expect(try await cache.entry(for: ImageRequest(fixture.url))?.tier == .disk)
        #expect(!cache.isInMemory(ImageRequest(fixture.url)))
    }

    @Test("finds any frame at its own size in the original")
    func frames() async throws {
        try await cache.store(Sample.png(), for: ImageRequest(url))
        #expect(await cache.tiers(with: ImageRequest(url, options: [.frame(2)])) == .disk)
        #expect(await cache.storedData(for: ImageRequest(url, options: [.frame(2)])) == Sample.png())
    }

    @Test("removes an original with all that was made of it, whatever its signature")
    func removal() async throws {
        let signed = try #require(URL(string: url.absoluteString + "?X-Amz-Signature=1"))
        let again = try #require(URL(string: url.absoluteString + "?X-Amz-Signature=2"))
        try await cache.store(Sample.png(), for: ImageRequest(signed, options: [.cacheKeyRule(.amazonS3)]))
        #expect(try await cache.remove(for: ImageRequest(again, options: [.cacheKeyRule(.amazonS3)]), from: .disk) == 1)
    }
}
