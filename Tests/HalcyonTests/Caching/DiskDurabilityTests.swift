import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The durability that a request asks for")
struct DiskDurabilityTests {
    private let synchronizations = Lock(0)
    private let url = Sample.url()
    private let crop = ImageOption.processor(.crop(to: .pixels(100, 100)))
    /// More than the inline limit, also as a result.
    private let large = Sample.encoded(Sample.noise(120, 120), .png)

    private func pipeline() -> TestPipeline {
        let fileSystem = FaultInjectingFileSystem(observing: { [synchronizations] call in
            if call == .synchronize { synchronizations.withLock { $0 += 1 } }
        })
        let test = TestPipeline(fileSystem: fileSystem)
        test.transport.serve(url, large)
        return test
    }

    /// Returns whether another process would find an entry.
    private func isVisible(_ test: TestPipeline) -> Bool {
        let other = DiskCache(DiskCache.Configuration(folder: test.folder))
        return (try? other.statistics().count) ?? 0 > 0
    }

    @Test(
        "holds for a load, the original included",
        arguments: [(nil, 0), (DiskCache.Durability.none, 0), (.normal, 0), (.full, 2)]
    )
    func load(durability: DiskCache.Durability?, count: Int) async throws {
        let test = pipeline()
        var options: [ImageOption] = [crop, .cacheOriginalImage, .waitForCache]
        if let durability { options.append(.diskDurability(durability)) }
        _ = try await test.pipeline.response(for: url, options: options)
        #expect(synchronizations.withLock { $0 } == count)
        if durability == .normal || durability == .full { #expect(isVisible(test)) }
        await test.settle()
        #expect(try await test.pipeline.cache.diskStatistics().count == 2)
    }

    @Test("holds for a provider, and for a prefetch to disk")
    func otherPaths() async throws {
        let test = pipeline()
        let options: [ImageOption] = [.diskDurability(.full), .waitForCache]
        let provider = LargeProvider(bytes: large)
        _ = try await test.pipeline.response(for: ImageRequest(.provider(provider), options: options))
        #expect(synchronizations.withLock { $0 } == 1)
        test.transport.serve(url, Sample.encoded(Sample.noise(130, 130), .png))
        let prefetcher = ImagePrefetcher(
            urls: [url],
            options: options,
            pipeline: test.pipeline,
            destination: .disk
        )
        #expect(await prefetcher.run().completed.count == 1)
        #expect(synchronizations.withLock { $0 } == 2)
    }

    @Test("holds for stores by the program, which are with the system by default")
    func stores() async throws {
        let test = pipeline()
        let cache = test.pipeline.cache
        try await cache.store(large, for: ImageRequest(url))
        #expect(isVisible(test) && synchronizations.withLock { $0 } == 0)
        let full: [ImageOption] = [.diskDurability(.full)]
        try await cache.store(large, for: ImageRequest(Sample.url(), options: full))
        #expect(synchronizations.withLock { $0 } == 1)
        let image = try ImageCodecs.standard.decode(large)
        try await cache.store(image, for: ImageRequest(url, options: full + [crop]))
        #expect(synchronizations.withLock { $0 } == 2)
        let waiting = Sample.url()
        try await cache.store(large, for: ImageRequest(waiting, options: [.diskDurability(.none)]))
        #expect(await cache.storedData(for: ImageRequest(waiting)) != nil)
        // Written without another call.
        await eventually { !cache.disk.cache.hasWaitingEntries }
    }
}

private struct LargeProvider: ImageDataProvider {
    let bytes: Data
    let cacheKey = UUID().uuidString

    func data() async throws -> Data { bytes }
}
