import HalcyonConcurrency
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
        var options: [ImageOption] { isProcessed ? [.processor(.crop(to: PixelSize(9, 9)))] : [] }
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
        let refresh = ImageOptions(replacement.options + [.forceRefresh])
        let task = pipeline.task(for: fixture.url, options: refresh)
        // The image has been made, and the older one is to be removed from disk.
        await eventually {
            let stages = pipeline.stages
            let making = stages.processing.work.count + stages.decoding.work.count + stages.original.work.count
            return fixture.requestCount == 2 && making == 0 && cache.disk.writing.waitingCount > 0
        }
        let request = ImageRequest(fixture.url, options: ImageOptions(replacement.options))
        _ = try await cache.entry(for: request)
        busy.release()
        await other
        #expect(try await task.response.source == .network)
        await fixture.test.settle()
        #expect(cache.memoryStatistics.count == 0)
        #expect(try await cache.diskStatistics().count == 0)
    }
}
