import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A validation that arrives after its entry was replaced")
struct LateValidationTests {
    @Test("counts although responses with its status are not accepted")
    func unacceptedStatus() async throws {
        let fixture = ServerCachingFixture()
        let options: [ImageOption] = [.acceptedStatusCodes(200..<300)]
        fixture.serve(Sample.png(), [.cacheControl: "max-age=60", .eTag: "\"a\""])
        _ = try await fixture.load(options)
        fixture.clock.advance(by: 61)
        fixture.serve(Data(), [:], status: 304)
        #expect(try await fixture.load(options).source == .disk)
        #expect(fixture.requestCount == 2)
    }

    @Test(
        "is not caused by the headers of a request that ignores the server: it gets the stored image, whole",
        arguments: [
            HTTPFields([HTTPField(name: .ifNoneMatch, value: "\"a\"")]),
            HTTPFields([HTTPField(name: .range, value: "bytes=0-9")]),
            HTTPFields([HTTPField(name: .ifMatch, value: "\"b\"")]),
        ]
    )
    func ownConditions(headers: HTTPFields) async throws {
        let fixture = ServerCachingFixture()
        fixture.serve(Sample.png(), [.cacheControl: "max-age=60", .eTag: "\"a\""])
        _ = try await fixture.load([.ignoringServer])
        fixture.forgetMemory()
        #expect(try await fixture.load([.ignoringServer], headers: headers).source == .disk)
        #expect(fixture.requestCount == 1)
    }

    @Test(
        "that forbids to store leaves nothing in memory or on disk",
        arguments: [
            [], [ImageOption.processor(.crop(to: .pixels(9, 9)))], [ImageOption.acceptedStatusCodes(200..<300)],
        ]
    )
    func forbidden(options: [ImageOption]) async throws {
        let fixture = ServerCachingFixture()
        fixture.serve(Sample.png(), [.cacheControl: "max-age=60", .eTag: "\"a\""])
        _ = try await fixture.load(options + [.cacheOriginalImage])
        fixture.clock.advance(by: 61)
        fixture.serve(Data(), [.cacheControl: "no-store"], status: 304)
        #expect(try await fixture.load(options).source == .disk)
        fixture.serve(Sample.png(), [.cacheControl: "max-age=60"])
        #expect(try await fixture.load(options).source == .network)
        #expect(fixture.requestCount == 3)
    }

    @Test(
        "that forbids to use an image unasked leaves none in memory, nor what was made of it, though that was fresh",
        arguments: ["no-store", "no-cache", "max-age=0"],
        [[], [ImageOption.processor(.crop(to: .pixels(9, 9)))]]
    )
    func forbiddenWhileFresh(directive: String, options: [ImageOption]) async throws {
        let fixture = ServerCachingFixture()
        fixture.serve(Sample.png(), [.cacheControl: "max-age=86400", .eTag: "\"a\""])
        _ = try await fixture.load(options + [.cacheOriginalImage])
        fixture.serve(Data(), [.cacheControl: directive], status: 304)
        #expect(try await fixture.load(options + [.revalidate]).source == .disk)
        #expect(fixture.test.pipeline.responseFromMemory(for: fixture.url, options: options) == nil)
        fixture.forgetMemory()
        fixture.serve(Sample.png(seed: 1), [.cacheControl: "max-age=60"])
        #expect(try await fixture.load(options).source == .network)
        #expect(fixture.requestCount == 3)
    }

    @Test(
        "is not what headers of a request ask for: what a cache has of an image is answered whole",
        arguments: [
            HTTPFields([HTTPField(name: .ifNoneMatch, value: "\"a\"")]),
            HTTPFields([HTTPField(name: .ifModifiedSince, value: "Sun, 01 Jan 2040 00:00:00 GMT")]),
            HTTPFields([HTTPField(name: .range, value: "bytes=0-9")]),
        ]
    )
    func conditionsOfReader(headers: HTTPFields) async throws {
        let fixture = ServerCachingFixture()
        fixture.serve(Sample.png(), [.cacheControl: "max-age=60", .eTag: "\"a\""])
        _ = try await fixture.load()
        fixture.serve(Data(), [:], status: 304)
        for isFresh in [true, false] {
            fixture.forgetMemory()
            if !isFresh { fixture.clock.advance(by: 61) }
            #expect(try await fixture.load(headers: headers).source == .disk)
            #expect(fixture.requestCount == (isFresh ? 1 : 2))
        }
        #expect(try await fixture.test.pipeline.cache.diskStatistics().count == 1)
    }

    @Test("is not what a request's own validator asks for: a new image that has it is answered whole")
    func validatorOfReader() async throws {
        let fixture = ServerCachingFixture()
        fixture.serve(Sample.png(), [.cacheControl: "max-age=60", .eTag: "\"a\""])
        _ = try await fixture.load()
        fixture.clock.advance(by: 61)
        fixture.serve(Sample.png(seed: 1), [.cacheControl: "max-age=60", .eTag: "\"b\""])
        #expect(try await fixture.load(headers: [.ifNoneMatch: "\"b\""]).source == .network)
        #expect(try await fixture.load().image.owner == 1)
    }

    @Test(
        "that finds no image any more leaves none in memory or on disk",
        arguments: [true, false],
        [ImageOption.revalidate, .forceRefresh]
    )
    func gone(isProcessed: Bool, option: ImageOption) async throws {
        let fixture = ServerCachingFixture()
        let options: [ImageOption] = isProcessed ? [.processor(.crop(to: .pixels(9, 9)))] : []
        fixture.serve(Sample.png(), [.cacheControl: "max-age=86400", .eTag: "\"a\""])
        _ = try await fixture.load(options + [.cacheOriginalImage])
        fixture.serve(Data(), [:], status: 404)
        #expect(try await fixture.failure(options + [option]).reason == .status(404))
        #expect(fixture.test.pipeline.responseFromMemory(for: fixture.url, options: options) == nil)
        #expect(try await fixture.test.pipeline.cache.diskStatistics().count == 0)
        #expect(try await fixture.failure(options).reason == .status(404))
    }

    @Test("is asked for after seven days although memory has had the image in use all the time")
    func silence() async throws {
        let fixture = ServerCachingFixture()
        fixture.serve(Sample.png(), [:])
        _ = try await fixture.load()
        for _ in 0..<(7 * 24 * 30 - 1) {
            fixture.clock.advance(by: 120)
            guard fixture.test.pipeline.responseFromMemory(for: fixture.url) != nil else {
                Issue.record("memory lost it early")
                return
            }
        }
        fixture.clock.advance(by: 120)
        #expect(fixture.test.pipeline.responseFromMemory(for: fixture.url) == nil)
        _ = try await fixture.load()
        #expect(fixture.requestCount == 2)
    }

    @Test("is never asked for by requests that ignore the server, and after seven days by others")
    func ignoredSilence() async throws {
        let fixture = ServerCachingFixture()
        fixture.serve(Sample.png(), [:])
        _ = try await fixture.load([.ignoringServer, .memoryCacheExpiration(.never)])
        fixture.clock.advance(by: 8 * 86_400)
        let pipeline = fixture.test.pipeline
        #expect(pipeline.responseFromMemory(for: fixture.url, options: [.ignoringServer]) != nil)
        #expect(pipeline.responseFromMemory(for: fixture.url) == nil)
    }

    private let clock = ManualStoreClock()
    private let url = Sample.url()
    private let one: TestPipeline
    private let two: TestPipeline

    init() {
        // As two processes on one folder.
        one = TestPipeline(clock: clock.clock)
        two = TestPipeline(folder: one.folder, clock: clock.clock)
    }

    private func load(_ test: TestPipeline, language: String? = nil) async throws -> ImageResponse {
        var headers: HTTPFields = [:]
        headers[.acceptLanguage] = language
        test.pipeline.cache.removeAllFromMemory()
        let source = Source.request(TransferRequest(url: url, headers: headers))
        let options: [ImageOption] = [.waitForCache]
        let response = try await test.pipeline.response(for: ImageRequest(source, options: options))
        await test.pipeline.cache.flush()
        return response
    }

    private func serve(_ test: TestPipeline, seed: Int, isVarying: Bool = false) {
        var headers: HTTPFields = [.cacheControl: "max-age=60", .eTag: "\"\(seed)\""]
        if isVarying { headers[.vary] = "Accept-Language" }
        test.transport.setRoute(url, .init(headers: headers, body: Sample.png(seed: seed)))
    }

    private func expect(_ response: ImageResponse, seed: Int, _ origin: ImageResponse.Source) {
        #expect(response.source == origin)
        #expect(response.image.bitmap.hasSamePixels(as: Sample.bitmap(seed: seed)), "the image is not that of \(seed)")
    }

    /// Begins to validate a stale entry, and calls `body` before the server answers that it has not changed.
    private func validating(
        language: String? = nil,
        seed: Int,
        _ body: () async throws -> Void
    ) async throws {
        one.transport.setRoute(url, nil)
        async let response = load(one, language: language)
        let transfer = await one.transport.nextTransfer()
        #expect(transfer.request.headers[.ifNoneMatch] == "\"\(seed)\"")
        try await body()
        transfer.answer(.init(status: 304, headers: [.cacheControl: "max-age=10000", .eTag: "\"\(seed)\""]))
        // The load gets the validated image.
        expect(try await response, seed: seed, .disk)
    }

    @Test("is not written onto what another process has stored since")
    func twoProcesses() async throws {
        serve(one, seed: 1)
        expect(try await load(one), seed: 1, .network)
        clock.advance(by: 100)
        try await validating(seed: 1) {
            serve(two, seed: 2)
            expect(try await load(two), seed: 2, .network)
        }
        expect(try await load(two), seed: 2, .disk)
        // The stored entry expires after its own lifetime, and is validated with its own validator.
        clock.advance(by: 100)
        serve(two, seed: 3)
        expect(try await load(two), seed: 3, .network)
        #expect(two.transport.transfers.last?.request.headers[.ifNoneMatch] == "\"2\"")
    }

    @Test("is not written onto the representation that has taken the place of its own", arguments: [false, true])
    func variants(isElsewhere: Bool) async throws {
        let other = isElsewhere ? two : one
        serve(one, seed: 100, isVarying: true)
        expect(try await load(one, language: "en"), seed: 100, .network)
        clock.advance(by: 100)
        try await validating(language: "en", seed: 100) {
            for number in 0..<OriginalStorage.slotCount {
                clock.advance(by: 1)
                serve(other, seed: number, isVarying: true)
                expect(try await load(other, language: "l\(number)"), seed: number, .network)
            }
        }
        for number in 0..<OriginalStorage.slotCount {
            expect(try await load(two, language: "l\(number)"), seed: number, .disk)
        }
        serve(two, seed: 200, isVarying: true)
        expect(try await load(two, language: "en"), seed: 200, .network)
    }

    @Test(
        "finds no result on disk that another process has made since of the image it had in memory",
        arguments: [DiskCache.Durability.none, .normal]
    )
    func resultOfReplaced(durability: DiskCache.Durability) async throws {
        let crop = ImageOption.processor(.crop(to: .pixels(9, 9), anchor: .topLeft))
        serve(one, seed: 1)
        expect(try await load(one), seed: 1, .network)
        clock.advance(by: 10)
        serve(two, seed: 2)
        _ = try await two.pipeline.response(for: url, options: [.forceRefresh, .waitForCache])
        await two.pipeline.cache.flush()
        let options = [crop, .waitForCache, .diskDurability(durability)]
        #expect(try await one.pipeline.response(for: url, options: options).image.bitmap.pixel(0, 0)[0] == 1)
        await one.pipeline.cache.flush()
        #expect(try await two.pipeline.response(for: url, options: [crop]).image.bitmap.pixel(0, 0)[0] == 2)
        #expect(await one.pipeline.cache.storedData(for: ImageRequest(url)) == Sample.png(seed: 2))
    }

    @Test("is kept where nothing was stored meanwhile")
    func undisturbed() async throws {
        serve(one, seed: 1)
        expect(try await load(one), seed: 1, .network)
        clock.advance(by: 100)
        try await validating(seed: 1) {}
        clock.advance(by: 5_000)
        expect(try await load(two), seed: 1, .disk)
        #expect(two.transport.startedCount == 0)
    }

    @Test("does not bring back what was removed meanwhile")
    func removed() async throws {
        serve(one, seed: 1)
        expect(try await load(one), seed: 1, .network)
        clock.advance(by: 100)
        try await validating(seed: 1) { try await two.pipeline.cache.removeAll() }
        #expect(try await one.pipeline.cache.diskStatistics().count == 0)
    }
}
