import FoundationEssentials
import HTTPTypes
import HalcyonStore
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("An image whose server says how long it is good")
struct ServerCachingTests {
    private let fixture = ServerCachingFixture()
    private let one = Sample.png(seed: 1)
    private let two = Sample.png(seed: 2)

    @Test("is used while it is fresh, in memory and on disk, and then confirmed without sending it again")
    func validation() async throws {
        fixture.serve(one, [.cacheControl: "max-age=60", .eTag: "\"a\""])
        #expect(try await fixture.load().source == .network)
        #expect(try await fixture.load().source == .memory)
        fixture.clock.advance(by: 59)
        fixture.forgetMemory()
        #expect(try await fixture.load().source == .disk)
        #expect(try await fixture.load().source == .memory)
        fixture.clock.advance(by: 1)
        fixture.serve(Data(), [.cacheControl: "max-age=60"], status: 304)
        #expect(try await fixture.load().source == .disk)
        #expect(fixture.lastRequest?.headers[.ifNoneMatch] == "\"a\"")
        #expect(fixture.requestCount == 2)
        fixture.clock.advance(by: 59)
        fixture.forgetMemory()
        #expect(try await fixture.load().source == .disk)
        #expect(fixture.requestCount == 2)
    }

    @Test("is removed from disk if it turns out to be damaged once the server has confirmed it")
    func confirmedDamage() async throws {
        fixture.serve(one, [.cacheControl: "max-age=60", .eTag: "\"a\""])
        _ = try await fixture.load()
        fixture.clock.advance(by: 60)
        fixture.forgetMemory()
        var configuration = DiskCache.Configuration(folder: fixture.test.folder)
        configuration.clock = fixture.clock.clock
        let disk = DiskCache(configuration)
        let key = try #require(try disk.entries().first).key
        let metadata = try #require(disk.entry(for: key)).metadata
        try disk.store(one.prefix(45), for: key, metadata: metadata)
        fixture.serve(Data(), [.cacheControl: "max-age=60"], status: 304)
        _ = try? await fixture.load()
        #expect(fixture.requestCount == 3)
        #expect(disk.entry(for: key) == nil)
    }

    @Test("is replaced when it has changed")
    func change() async throws {
        fixture.serve(one, [.cacheControl: "max-age=60", .eTag: "\"a\""])
        let first = try await fixture.load()
        fixture.clock.advance(by: 60)
        fixture.serve(two, [.cacheControl: "max-age=60", .eTag: "\"b\""])
        let second = try await fixture.load()
        #expect(second.source == .network)
        #expect(!second.image.bitmap.hasSamePixels(as: first.image.bitmap))
        fixture.forgetMemory()
        #expect(try await fixture.load().image.bitmap.hasSamePixels(as: second.image.bitmap))
        #expect(fixture.requestCount == 2)
    }

    @Test("is good for seven days if the server does not say, and then asked for")
    func defaultLifetime() async throws {
        fixture.serve(one, [.lastModified: "Thu, 01 Jan 2015 00:00:00 GMT"])
        _ = try await fixture.load()
        fixture.clock.advance(by: 4 * 86_400)
        fixture.forgetMemory()
        #expect(try await fixture.load().source == .disk)
        fixture.clock.advance(by: 4 * 86_400)
        fixture.forgetMemory()
        fixture.serve(Data(), [:], status: 304)
        #expect(try await fixture.load().source == .disk)
        #expect(fixture.lastRequest?.headers[.ifModifiedSince] == "Thu, 01 Jan 2015 00:00:00 GMT")
        #expect(fixture.requestCount == 2)
    }

    @Test("is shown at once and refreshed in the background where the server allows that")
    func staleWhileRevalidate() async throws {
        fixture.serve(one, [.cacheControl: "max-age=60, stale-while-revalidate=600"])
        let first = try await fixture.load()
        fixture.clock.advance(by: 100)
        fixture.serve(two, [.cacheControl: "max-age=60"])
        let stale = try await fixture.load()
        #expect(stale.source == .disk)
        #expect(stale.image.bitmap.hasSamePixels(as: first.image.bitmap))
        await fixture.test.pipeline.stages.original.refresher.wait()
        await fixture.test.settle()
        let fresh = try await fixture.load()
        #expect(fresh.source == .disk)
        #expect(!fresh.image.bitmap.hasSamePixels(as: first.image.bitmap))
        #expect(fixture.requestCount == 2)
    }

    @Test("is not replaced by the header of an image without pixels", arguments: ["background", "forced", "stale"])
    func refreshWithoutPixels(refresh: String) async throws {
        let control = refresh == "background" ? "max-age=60, stale-while-revalidate=600" : "max-age=60"
        fixture.serve(one, [.cacheControl: control])
        _ = try await fixture.load([.cacheOriginalImage])
        fixture.clock.advance(by: 100)
        fixture.serve(Sample.pngWithoutPixels(), [.cacheControl: "max-age=60"])
        switch refresh {
        case "background":
            #expect(try await fixture.load().source == .disk)
            await fixture.test.pipeline.stages.original.refresher.wait()
        case "forced": #expect(try await fixture.failure([.forceRefresh]).stage == .decode)
        default: #expect(try await fixture.failure().stage == .decode)
        }
        await fixture.test.settle()
        #expect(fixture.requestCount == 2)
        let stored = await fixture.test.pipeline.cache.storedData(for: ImageRequest(fixture.url))
        #expect(stored == one)
    }

    @Test("is not replaced in the background by one that is cut short, of a response without a length")
    func refreshCutShort() async throws {
        fixture.serve(one, [.cacheControl: "max-age=60, stale-while-revalidate=600"])
        let first = try await fixture.load()
        fixture.clock.advance(by: 100)
        fixture.transport.setRoute(fixture.url, nil)
        _ = try await fixture.load()
        let transfer = await fixture.transport.nextTransfer()
        transfer.respond(headers: [.cacheControl: "max-age=60"])
        transfer.send(Sample.pngCutShort())
        transfer.finish()
        await fixture.test.pipeline.stages.original.refresher.wait()
        await fixture.test.settle()
        fixture.serve(two, [.cacheControl: "max-age=60"])
        fixture.forgetMemory()
        let second = try await fixture.load()
        #expect(second.source == .disk && second.image.bitmap.hasSamePixels(as: first.image.bitmap))
        await fixture.test.pipeline.stages.original.refresher.wait()
    }

    @Test("is not replaced in the background by bytes that are no image")
    func refreshWithoutImage() async throws {
        fixture.serve(one, [.cacheControl: "max-age=60, stale-while-revalidate=600"])
        let first = try await fixture.load()
        fixture.clock.advance(by: 100)
        fixture.serve(Data("please log in".utf8), [.cacheControl: "max-age=60"])
        _ = try await fixture.load()
        await fixture.test.pipeline.stages.original.refresher.wait()
        await fixture.test.settle()
        #expect(try await fixture.load().image.bitmap.hasSamePixels(as: first.image.bitmap))
    }

    @Test("is not refreshed for a pipeline that was released")
    func endOfRefreshes() async throws {
        let refresh: ScriptedTransfer
        do {
            let fixture = ServerCachingFixture()
            fixture.serve(one, [.cacheControl: "max-age=60, stale-while-revalidate=600"])
            _ = try await fixture.load()
            fixture.clock.advance(by: 100)
            fixture.transport.setRoute(fixture.url, nil)
            _ = try await fixture.load()
            refresh = await fixture.transport.nextTransfer()
        }
        await refresh.waitUntilCancelled()
    }

    @Test("is shown although it is stale when the server cannot be reached, unless the options forbid it")
    func disconnected() async throws {
        fixture.serve(one, [.cacheControl: "max-age=60"])
        _ = try await fixture.load()
        fixture.clock.advance(by: 100)
        fixture.fail()
        #expect(try await fixture.load().source == .disk)
        await #expect(throws: ImageError.self) { try await fixture.load([.staleIfError(.never)]) }
        let count = fixture.requestCount
        #expect(try await fixture.load([.onlyFromCache]).source == .disk)
        #expect(fixture.requestCount == count)
    }

    @Test("is shown instead of a server's failure for as long as stale-if-error says, or always on request")
    func serverFailure() async throws {
        fixture.serve(one, [.cacheControl: "max-age=60, stale-if-error=60"])
        _ = try await fixture.load()
        fixture.clock.advance(by: 100)
        fixture.serve(Data("broken".utf8), [:], status: 503)
        #expect(try await fixture.load().source == .disk)
        fixture.clock.advance(by: 100)
        let failure = ImageError(stage: .load, reason: .status(503), source: fixture.url.absoluteString)
        await #expect(throws: failure) { try await fixture.load() }
        #expect(try await fixture.load([.staleIfError(.always)]).source == .disk)
    }

    @Test("is never shown unconfirmed where the server forbids it")
    func mustRevalidate() async throws {
        fixture.serve(one, [.cacheControl: "max-age=60, must-revalidate"])
        _ = try await fixture.load()
        fixture.clock.advance(by: 100)
        fixture.fail()
        await #expect(throws: ImageError.self) { try await fixture.load([.staleIfError(.always)]) }
        let missing = ImageError(stage: .cache, reason: .notCached, source: fixture.url.absoluteString)
        await #expect(throws: missing) { try await fixture.load([.onlyFromCache]) }
    }

    @Test("is gone when its server has it no longer")
    func removal() async throws {
        fixture.serve(one, [.cacheControl: "max-age=60"])
        _ = try await fixture.load()
        fixture.clock.advance(by: 100)
        fixture.serve(Data("gone".utf8), [:], status: 404)
        await #expect(throws: ImageError.self) { try await fixture.load() }
        #expect(try await fixture.test.pipeline.cache.diskStatistics().count == 0)
    }

    @Test("is kept nowhere if it must not be stored, processed or not", arguments: [false, true])
    func noStore(isProcessed: Bool) async throws {
        let options: [ImageOption] = isProcessed ? [.processor(.crop(to: .pixels(8, 8))), .cacheOriginalImage] : []
        fixture.serve(one, [.cacheControl: "no-store"])
        #expect(try await fixture.load(options).source == .network)
        #expect(try await fixture.load(options).source == .network)
        #expect(try await fixture.test.pipeline.cache.diskStatistics().count == 0)
    }

    @Test("replaces the one before it, even if it must not be stored itself")
    func replacementThatMustNotBeStored() async throws {
        fixture.serve(one, [.cacheControl: "max-age=60"])
        _ = try await fixture.load()
        fixture.serve(two, [.cacheControl: "no-store"])
        let second = try await fixture.load([.forceRefresh])
        #expect(try await fixture.load().image.bitmap.hasSamePixels(as: second.image.bitmap))
        #expect(fixture.requestCount == 3)
        #expect(try await fixture.test.pipeline.cache.diskStatistics().count == 0)
    }

    @Test("expires together with its processed results")
    func processed() async throws {
        let crop: [ImageOption] = [.processor(.crop(to: .pixels(8, 8)))]
        fixture.serve(one, [.cacheControl: "max-age=60"])
        _ = try await fixture.load(crop)
        fixture.forgetMemory()
        #expect(try await fixture.load(crop).source == .disk)
        #expect(try await fixture.load(crop).source == .memory)
        fixture.clock.advance(by: 60)
        #expect(try await fixture.load(crop).source == .network)
    }

    @Test("is good for ever if the request says so, processed or not", arguments: [false, true])
    func neverExpires(isProcessed: Bool) async throws {
        let crop: [ImageOption] = [.processor(.crop(to: .pixels(8, 8)))]
        let options: [ImageOption] = [.expiration(.never)] + (isProcessed ? crop : [])
        fixture.serve(one, [.cacheControl: "max-age=60"])
        let first = try await fixture.load(options)
        for _ in 0..<2 {
            fixture.clock.advance(by: 86_400)
            fixture.forgetMemory()
            let response = try await fixture.load(options)
            #expect(response.source == .disk)
            #expect(response.image.bitmap.hasSamePixels(as: first.image.bitmap))
            #expect(try await fixture.load(options).source == .memory)
        }
        #expect(fixture.requestCount == 1)
    }

    @Test("is good for as long as the request says, if it says so")
    func expiration() async throws {
        fixture.serve(one, [.cacheControl: "max-age=0, no-cache", .eTag: "\"a\""])
        _ = try await fixture.load([.expiration(.seconds(100))])
        fixture.clock.advance(by: 99)
        #expect(try await fixture.load([.expiration(.seconds(100))]).source == .memory)
        fixture.forgetMemory()
        #expect(try await fixture.load([.expiration(.seconds(100))]).source == .disk)
        #expect(fixture.requestCount == 1)
        fixture.clock.advance(by: 1)
        fixture.serve(Data(), [:], status: 304)
        #expect(try await fixture.load([.expiration(.seconds(100))]).source == .disk)
        #expect(fixture.requestCount == 2)
    }

    @Test("is good for as long as a cache has it, if the server is to be ignored")
    func ignoringServer() async throws {
        fixture.serve(one, [.cacheControl: "no-store"])
        _ = try await fixture.load([.ignoringServer])
        #expect(try await fixture.load([.ignoringServer]).source == .memory)
        fixture.clock.advance(by: 6 * 86_400)
        fixture.forgetMemory()
        #expect(try await fixture.load([.ignoringServer]).source == .disk)
        fixture.clock.advance(by: 6 * 86_400)
        fixture.forgetMemory()
        #expect(try await fixture.load([.ignoringServer]).source == .disk)
        #expect(fixture.requestCount == 1)
    }

    @Test("is asked for in any case on request")
    func revalidation() async throws {
        fixture.serve(one, [.cacheControl: "max-age=60", .eTag: "\"a\""])
        _ = try await fixture.load()
        fixture.serve(Data(), [:], status: 304)
        #expect(try await fixture.load([.revalidate]).source == .disk)
        #expect(fixture.requestCount == 2)
    }

    @Test("is asked for on request although its server states no lifetime, and memory has it")
    func revalidationOfSilentServer() async throws {
        fixture.serve(one, [.eTag: "\"a\""])
        _ = try await fixture.load()
        fixture.serve(Data(), [:], status: 304)
        #expect(try await fixture.load([.revalidate]).source == .disk)
        #expect(fixture.requestCount == 2)
    }

    @Test("that is stale is shown before a failed attempt is repeated")
    func retries() async throws {
        fixture.serve(one, [.cacheControl: "max-age=60"])
        _ = try await fixture.load()
        fixture.clock.advance(by: 100)
        fixture.fail()
        let count = fixture.requestCount
        #expect(try await fixture.load([.retry(.fixed(maxAttempts: 3, base: .zero))]).source == .disk)
        #expect(fixture.requestCount == count + 1)
    }

    @Test("is found on disk although it was stored while the server was ignored")
    func storedWhileIgnored() async throws {
        fixture.serve(one, [:])
        _ = try await fixture.load([.ignoringServer])
        fixture.forgetMemory()
        #expect(try await fixture.load().source == .disk)
        fixture.clock.advance(by: 6 * 86_400)
        fixture.forgetMemory()
        #expect(try await fixture.load([.ignoringServer]).source == .disk)
        fixture.clock.advance(by: 2 * 86_400)
        fixture.forgetMemory()
        #expect(try await fixture.load().source == .network)
    }

    @Test("is not trusted when the clock went back")
    func clockJumps() async throws {
        fixture.serve(one, [.cacheControl: "max-age=60", .eTag: "\"a\""])
        _ = try await fixture.load()
        fixture.clock.setDate(fixture.clock.date.addingTimeInterval(-86_400))
        fixture.forgetMemory()
        fixture.serve(Data(), [.cacheControl: "max-age=60"], status: 304)
        #expect(try await fixture.load().source == .disk)
        #expect(fixture.requestCount == 2)
    }
}
