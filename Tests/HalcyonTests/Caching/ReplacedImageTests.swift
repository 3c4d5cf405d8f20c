import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("An image that its server has replaced by one that is not kept")
struct ReplacedImageTests {
    /// A way in which a server replaces an image.
    struct Replacement: Sendable, CustomTestStringConvertible {
        let isProcessed: Bool
        let cacheControl: String

        var testDescription: String { "\(isProcessed ? "processed" : "original"), \(cacheControl)" }
        var options: [ImageOption] { isProcessed ? [.processor(.crop(to: .pixels(9, 9)))] : [] }
    }

    @Test(
        "is in no cache afterwards, whatever a look-up finds on disk before it is removed there",
        arguments: [
            Replacement(isProcessed: false, cacheControl: "no-store"),
            Replacement(isProcessed: true, cacheControl: "no-store"),
            Replacement(isProcessed: true, cacheControl: "no-cache"),
        ]
    )
    func lookUpDuringRemoval(replacement: Replacement) async throws {
        let fixture = ServerCachingFixture()
        let (pipeline, cache) = (fixture.test.pipeline, fixture.test.pipeline.cache)
        fixture.serve(Sample.png(seed: 1), [.cacheControl: "max-age=600"])
        _ = try await fixture.load(replacement.options)
        fixture.forgetMemory()
        #expect(cache.memoryStatistics.count == 0)
        #expect(try await cache.diskStatistics().count == 1)
        // The thread that changes the disk is busy.
        let busy = HeldCall()
        busy.arm()
        async let other: Void = cache.disk.write(priority: .normal) { busy.pass() }
        await busy.waitUntilReached()
        fixture.serve(Sample.png(seed: 2), [.cacheControl: replacement.cacheControl])
        let refresh = replacement.options + [.forceRefresh]
        let task = pipeline.task(for: fixture.url, options: refresh)
        // The image has been made, and the older one is to be removed from disk.
        await eventually {
            let stages = pipeline.stages
            let making = stages.processing.work.count + stages.decoding.work.count + stages.original.work.count
            return fixture.requestCount == 2 && making == 0 && cache.disk.writing.waitingCount > 0
        }
        let request = ImageRequest(fixture.url, options: replacement.options)
        _ = try await cache.entry(for: request)
        busy.release()
        await other
        #expect(try await task.response.source == .network)
        await fixture.test.settle()
        #expect(cache.memoryStatistics.count == 0)
        #expect(try await cache.diskStatistics().count == 0)
    }
}

@Suite("An image that the program stores")
struct StoredImageTests {
    private let url = Sample.url()
    private let test = TestPipeline()
    private let crop = ImageOption.processor(.crop(to: .pixels(9, 9)))

    private var cache: ImageCache { test.pipeline.cache }

    private func image(seed: Int, _ side: Int = 9) throws -> DecodedImage {
        try ImageCodecs.standard.decode(Sample.png(side, side, seed: seed))
    }

    @Test("takes the older one out of memory although it is not stored there", arguments: [false, true])
    func withoutMemory(isProcessed: Bool) async throws {
        let options: [ImageOption] = isProcessed ? [crop] : []
        let request = ImageRequest(url, options: options)
        #expect(try await cache.store(image(seed: 1), for: request))
        var other = request
        other.options.cache.storesInMemory = false
        #expect(try await cache.store(image(seed: 2), for: other))
        #expect(await cache.tiers(with: request) == .disk)
        #expect(try await cache.entry(for: request)?.image.owner == 2)
    }

    @Test("as an original replaces the results that the program stored before, and none that it stores later")
    func olderResult() async throws {
        let (original, result) = (ImageRequest(url), ImageRequest(url, options: [crop]))
        #expect(try await cache.store(image(seed: 1), for: result))
        #expect(try await cache.store(image(seed: 2, 20), for: original))
        #expect(await cache.tiers(with: result) == [])
        // A listing shows nothing that was replaced.
        #expect(try await cache.diskStatistics().count == 1)
        #expect(try await cache.store(image(seed: 3), for: result))
        #expect(await cache.tiers(with: result) == .all)
    }

    @Test("is waited for by look-ups of its encoded forms")
    func encodedForm() async throws {
        let encoded = EncodedTest()
        let cache = encoded.cache
        let request = ImageRequest(encoded.url, options: [crop])
        #expect(try await cache.store(image(seed: 1), for: request))
        let old = try await encoded.encoded(.format(.png), [crop])
        await encoded.test.settle()
        let busy = HeldCall()
        busy.arm()
        async let other: Void = cache.disk.write(priority: .normal) { busy.pass() }
        await busy.waitUntilReached()
        let store = Task { try await cache.store(image(seed: 2), for: request) }
        await eventually { cache.disk.writing.waitingCount > 0 }
        cache.removeAllFromMemory()
        let look = Task { try await encoded.encoded(.format(.png), [crop]) }
        await eventually { cache.tiers.waitingReadCount > 0 }
        busy.release()
        await other
        #expect(try await store.value)
        let new = try await look.value
        #expect(try ImageCodecs.standard.decode(old.data).owner == 1)
        #expect(try ImageCodecs.standard.decode(new.data).owner == 2)
    }

    @Test("of a server is prefetched to disk although the key of credentials is not read yet")
    func prefetchWithCredentials() async throws {
        test.transport.serve(url, Sample.png())
        let source = Source.request(TransferRequest(url: url, headers: [.authorization: "Bearer one"]))
        // As it is while the key is read from disk.
        let call = PendingRequest(ImageRequest(source))
        let context = WorkContext(priority: PriorityBox(.normal), report: { _ in })
        let load = Load(CacheEntryForm(test.pipeline.stages, in: .disk))
        #expect(try await load.intercepted(call, context: context) == .network)
        #expect(try await cache.diskStatistics().count == 1)
    }
}
