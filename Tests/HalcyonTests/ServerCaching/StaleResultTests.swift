import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A processed image whose original is only at its server")
struct StaleResultTests {
    private let fixture = ServerCachingFixture()
    private let crop = ImageOption.processor(.crop(to: .pixels(8, 8)))

    private func store(_ control: String, _ options: [ImageOption] = []) async throws -> ImageResponse {
        fixture.serve(Sample.png(), [.cacheControl: control])
        let response = try await fixture.load([crop, .waitForCache] + options)
        fixture.clock.advance(by: 100)
        return response
    }

    @Test("is shown although it is stale when the server cannot be reached, unless the options forbid it")
    func disconnected() async throws {
        let first = try await store("max-age=60")
        fixture.fail()
        let stale = try await fixture.load([crop])
        #expect(stale.source == .disk)
        #expect(stale.image.bitmap.hasSamePixels(as: first.image.bitmap))
        // It is asked for again each time.
        let count = fixture.requestCount
        #expect(try await fixture.load([crop]).source == .disk)
        #expect(fixture.requestCount == count + 1)
        await #expect(throws: ImageError.self) { try await fixture.load([crop, .staleIfError(.never)]) }
        await #expect(throws: ImageError.self) { try await fixture.load([crop, .forceRefresh]) }
        fixture.serve(Sample.png(seed: 7), [.cacheControl: "max-age=60"])
        #expect(try await fixture.load([crop]).source == .network)
    }

    @Test("is not shown while a refusal of its server is remembered", arguments: [true, false])
    func rememberedRefusal(isProcessed: Bool) async throws {
        let fixture = ServerCachingFixture(recovery: RecoveryConfiguration(failureMemory: FailureMemory()))
        let options = isProcessed ? [crop] : []
        fixture.serve(Sample.png(), [.cacheControl: "max-age=60"])
        _ = try await fixture.load(options)
        fixture.clock.advance(by: 61)
        fixture.test.pipeline.cache.removeAllFromMemory()
        fixture.serve(Data(), [:], status: 403)
        #expect(try await fixture.failure(options).reason == .status(403))
        #expect(try await fixture.failure(options).reason == .failedBefore(.status(403)))
        #expect(fixture.requestCount == 2)
    }

    @Test(
        "is not shown where its server was to be asked and refuses it, or answers with no image",
        arguments: [403, 401, 429, 200]
    )
    func refusal(status: Int) async throws {
        fixture.serve(Sample.png(), [.cacheControl: "max-age=3600"])
        _ = try await fixture.load([crop, .waitForCache])
        fixture.serve(Data("<html>".utf8), [:], status: status)
        await #expect(throws: ImageError.self) { try await fixture.load([crop, .revalidate]) }
        #expect(try await fixture.load([crop]).source != .network)
    }

    @Test("is not used for a request whose Cache-Control asks its server", arguments: ["no-cache", "max-age=0"])
    func requestDirectives(_ directive: String) async throws {
        for options in [[crop], []] {
            let fixture = ServerCachingFixture()
            fixture.serve(Sample.png(), [.cacheControl: "max-age=3600"])
            _ = try await fixture.load(options)
            let asking = options + [ImageOption.headers([.cacheControl: directive])]
            fixture.serve(Sample.png(seed: 7), [.cacheControl: "max-age=3600"])
            #expect(try await fixture.load(asking).source == .network)
            #expect(try await fixture.load(options).source != .network)
            // Headers that take the place of those ask for nothing.
            #expect(try await fixture.load(asking + [.headers([:])]).source != .network)
            #expect(fixture.requestCount == 2)
        }
    }

    @Test("is shown where the network is forbidden")
    func offline() async throws {
        _ = try await store("max-age=60")
        #expect(try await fixture.load([crop, .onlyFromCache]).source == .disk)
        #expect(fixture.requestCount == 1)
    }

    @Test("is shown instead of a server's failure for as long as stale-if-error says, or always on request")
    func serverFailure() async throws {
        _ = try await store("max-age=60, stale-if-error=60")
        fixture.serve(Data("broken".utf8), [:], status: 503)
        #expect(try await fixture.load([crop]).source == .disk)
        fixture.clock.advance(by: 100)
        await #expect(throws: ImageError.self) { try await fixture.load([crop]) }
        #expect(try await fixture.load([crop, .staleIfError(.always)]).source == .disk)
    }

    @Test("is never shown unconfirmed where the server forbids it", arguments: ["must-revalidate", "no-cache"])
    func mustRevalidate(directive: String) async throws {
        _ = try await store("max-age=60, \(directive)")
        fixture.fail()
        await #expect(throws: ImageError.self) { try await fixture.load([crop, .staleIfError(.always)]) }
        let missing = ImageError(stage: .cache, reason: .notCached, source: fixture.url.absoluteString)
        await #expect(throws: missing) { try await fixture.load([crop, .onlyFromCache]) }
    }

    @Test("is gone when its server has it no longer")
    func removal() async throws {
        _ = try await store("max-age=60")
        fixture.serve(Data("gone".utf8), [:], status: 404)
        await #expect(throws: ImageError.self) { try await fixture.load([crop]) }
        #expect(try await fixture.test.pipeline.cache.diskStatistics().count == 0)
    }

    @Test("is not kept fresh by accesses", arguments: [false, true])
    func extensions(isExplicit: Bool) async throws {
        let options: [ImageOption] =
            isExplicit ? [.diskCacheAccessExtending(.to(.days(1)))] : [.diskCacheExpiration(.seconds(30))]
        fixture.serve(Sample.png(), [.cacheControl: "max-age=60"])
        _ = try await fixture.load([crop, .waitForCache] + options)
        for _ in 0..<2 {
            fixture.clock.advance(by: 25)
            fixture.forgetMemory()
            #expect(try await fixture.load([crop] + options).source == .disk)
        }
        fixture.clock.advance(by: 25)
        fixture.forgetMemory()
        #expect(try await fixture.load([crop] + options).source == .network)
    }
}
