import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("An image prefetched onto the disk")
struct DiskPrefetchTests {
    private let fixture = ServerCachingFixture()

    private func prefetch(_ headers: HTTPFields = [:]) async -> PrefetchResult {
        let source = Source.request(TransferRequest(url: fixture.url, headers: headers))
        let pipeline = fixture.test.pipeline
        return await ImagePrefetcher(requests: [ImageRequest(source)], pipeline: pipeline, destination: .disk).run()
    }

    @Test("needs no server while it is fresh, and is confirmed by it afterwards")
    func freshness() async throws {
        fixture.serve(Sample.png(), [.cacheControl: "max-age=60", .eTag: "\"a\""])
        #expect(await prefetch().completed.count == 1)
        fixture.clock.advance(by: 59)
        #expect(try await fixture.load().source == .disk)
        #expect(fixture.requestCount == 1)
        fixture.clock.advance(by: 1)
        fixture.serve(Data(), [:], status: 304)
        #expect(try await fixture.load().source == .disk)
        #expect(fixture.lastRequest?.headers[.ifNoneMatch] == "\"a\"")
        #expect(fixture.requestCount == 2)
    }

    @Test("is skipped while it is fresh or confirmed, and loaded again once it has changed")
    func again() async {
        fixture.serve(Sample.png(seed: 1), [.cacheControl: "max-age=60", .eTag: "\"a\""])
        #expect(await prefetch().completed.count == 1)
        #expect(await prefetch().skipped.count == 1)
        #expect(fixture.requestCount == 1)
        fixture.clock.advance(by: 60)
        fixture.serve(Data(), [:], status: 304)
        #expect(await prefetch().skipped.count == 1)
        #expect(fixture.requestCount == 2)
        fixture.clock.advance(by: 60)
        fixture.serve(Sample.png(seed: 2), [.cacheControl: "max-age=60", .eTag: "\"b\""])
        #expect(await prefetch().completed.count == 1)
        #expect(await prefetch().skipped.count == 1)
        #expect(fixture.requestCount == 3)
    }

    @Test("is loaded anew, once, where it turns out to be the header of an image alone")
    func withoutPixels() async throws {
        fixture.serve(Sample.pngWithoutPixels(), [.cacheControl: "max-age=60", .eTag: "\"a\""])
        #expect(await prefetch().completed.count == 1)
        fixture.serve(Sample.png(), [.cacheControl: "max-age=60", .eTag: "\"b\""])
        let response = try await fixture.load()
        #expect(response.source == .network && !response.image.isPartial)
        #expect(fixture.lastRequest?.headers[.ifNoneMatch] == nil)
        fixture.forgetMemory()
        #expect(try await fixture.load().source == .disk)
        #expect(fixture.requestCount == 2)
    }

    @Test("is not replaced by the header of an image without pixels")
    func replacedWithoutPixels() async throws {
        fixture.serve(Sample.png(), [.cacheControl: "max-age=60"])
        #expect(await prefetch().completed.count == 1)
        fixture.clock.advance(by: 100)
        fixture.serve(Sample.pngWithoutPixels(), [.cacheControl: "max-age=60"])
        #expect(await prefetch().failed.count == 1)
        await fixture.test.settle()
        #expect(fixture.requestCount == 2)
        let stored = await fixture.test.pipeline.cache.storedData(for: ImageRequest(fixture.url))
        #expect(stored == Sample.png())
    }

    @Test("is not kept if it is cut short, of a response without a length: its transfer may have been cut")
    func cutShort() async throws {
        for (body, count) in [(Sample.pngCutShort(), 0), (Sample.png(), 1)] {
            async let result = prefetch()
            let transfer = await fixture.transport.nextTransfer()
            transfer.respond(headers: [.cacheControl: "max-age=60"])
            transfer.send(body)
            transfer.finish()
            #expect(await result.completed.count == 1)
            #expect(try await fixture.test.pipeline.cache.diskStatistics().count == count)
        }
    }

    @Test("is not kept if it must not be stored")
    func noStore() async throws {
        fixture.serve(Sample.png(), [.cacheControl: "no-store"])
        #expect(await prefetch().completed.count == 1)
        #expect(try await fixture.test.pipeline.cache.diskStatistics().count == 0)
    }

    @Test("is loaded although there is a result for requests with other headers")
    func varyingResult() async throws {
        let crop: [ImageOption] = [.processor(.crop(to: .pixels(9, 9)))]
        fixture.serve(Sample.png(), [.vary: "accept-language", .cacheControl: "max-age=60"])
        let pipeline = fixture.test.pipeline
        for (language, count) in [("en", 1), ("de", 2)] {
            let request = TransferRequest(url: fixture.url, headers: [.acceptLanguage: language])
            _ = try await pipeline.response(for: ImageRequest(.request(request), options: crop + [.waitForCache]))
            #expect(fixture.requestCount == count)
        }
        let other = Source.request(TransferRequest(url: fixture.url, headers: [.acceptLanguage: "fr"]))
        let prefetcher = ImagePrefetcher(
            requests: [ImageRequest(other, options: crop)],
            pipeline: pipeline,
            destination: .disk
        )
        #expect(await prefetcher.run().completed.count == 1)
        #expect(fixture.requestCount == 3)
    }

    @Test("is only for requests with the same headers, if it depends on them")
    func vary() async throws {
        fixture.serve(Sample.png(), [.vary: "accept", .cacheControl: "max-age=60"])
        #expect(await prefetch([.accept: "image/png"]).completed.count == 1)
        #expect(try await fixture.load(headers: [.accept: "image/png"]).source == .disk)
        #expect(try await fixture.load(headers: [.accept: "image/webp"]).source == .network)
        #expect(fixture.requestCount == 2)
    }
}
