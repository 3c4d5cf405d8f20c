import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A damaged entry that was replaced while it was being decoded")
struct DamagedEntryTests {
    private let url = Sample.url()
    private let good = Sample.png(seed: 2)
    private let damaged = Data(Sample.png(seed: 1).prefix(45))
    private let held = HeldCall()

    private func pipeline() -> TestPipeline {
        let codecs = ImageCodecs.observed { [damaged, held] call, data in
            if call == .info, data == damaged { held.pass() }
        }
        return TestPipeline(codecs: codecs)
    }

    @Test("leaves in place what replaced it, when a load finds out", arguments: [[], [ImageOption.ignoringServer]])
    func load(options: [ImageOption]) async throws {
        let test = pipeline()
        test.transport.serve(url, Sample.png(seed: 3))
        try await test.pipeline.cache.store(damaged, for: ImageRequest(url))
        held.arm()
        let task = test.pipeline.task(for: url, options: options)
        await held.waitUntilReached()
        #expect(try await test.pipeline.cache.store(good, for: ImageRequest(url)))
        held.release()
        #expect(try await [2, 3].contains(task.image.owner))
        await test.settle()
        #expect(
            try firstDifference(#require(await test.pipeline.cache.storedData(for: ImageRequest(url))), good) == nil
        )
    }

    @Test("leaves in place what replaced it, when the cache finds out")
    func cache() async throws {
        let test = pipeline()
        let (cache, codecs) = (test.pipeline.cache, test.pipeline.configuration.codecs)
        try await cache.store(damaged, for: ImageRequest(url))
        held.arm()
        async let image = cache.entry(for: ImageRequest(url), codecs: codecs)
        await held.waitUntilReached()
        #expect(try await cache.store(good, for: ImageRequest(url)))
        held.release()
        #expect(try await image?.image.owner == 2)
        #expect(try firstDifference(#require(await cache.storedData(for: ImageRequest(url))), good) == nil)
    }
}
