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
        arguments: [false, true],
        [
            Replacement(isProcessed: false, cacheControl: "no-store"),
            Replacement(isProcessed: true, cacheControl: "no-store"),
            Replacement(isProcessed: true, cacheControl: "no-cache"),
        ]
    )
    func lookUpDuringRemoval(isInGroup: Bool, replacement: Replacement) async throws {
        let fixture = CacheGroupFixture(promotes: true)
        let low = fixture.low
        let group = isInGroup ? fixture.group : ImageCacheGroup(low)
        fixture.serve(Sample.png(seed: 1), [.cacheControl: "max-age=600"])
        try await fixture.load(replacement.options + [.targetCache(low)])
        fixture.group.removeAllFromMemory()
        #expect(try await fixture.counts() == [0, 0, 0, 1])
        // The thread that changes the disk is busy.
        let busy = HeldCall()
        busy.arm()
        async let other: Void = low.disk.write(priority: .normal) { busy.pass() }
        await busy.waitUntilReached()
        fixture.serve(Sample.png(seed: 2), [.cacheControl: replacement.cacheControl])
        let refresh = ImageOptions(replacement.options + [.targetCache(group), .forceRefresh])
        let task = fixture.pipeline.task(for: fixture.url, options: refresh)
        // The image has been made, and the older one is to be removed from disk.
        await eventually { [pipeline = fixture.pipeline, transport = fixture.transport] in
            let stages = pipeline.stages
            let making = stages.processing.work.count + stages.decoding.work.count + stages.original.work.count
            return transport.startedCount == 2 && making == 0 && low.disk.writing.waitingCount > 0
        }
        let request = ImageRequest(fixture.url, options: ImageOptions(replacement.options))
        async let found = group.entry(for: request)
        await fixture.high.flush()
        busy.release()
        await other
        #expect(try await task.response.source == .network)
        _ = try await found
        #expect(try await fixture.counts() == [0, 0, 0, 0])
    }
}
