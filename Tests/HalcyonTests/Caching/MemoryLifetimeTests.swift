import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The lifetime of an image in memory")
struct MemoryLifetimeTests {
    private let clock = ManualStoreClock()
    private let url = Sample.url()

    private func pipeline(_ defaults: [ImageOption] = []) -> TestPipeline {
        let test = TestPipeline(clock: clock.clock, defaultOptions: defaults)
        test.transport.serve(url, Sample.png())
        return test
    }

    private func isInMemory(_ test: TestPipeline, _ options: [ImageOption]) -> Bool {
        test.pipeline.responseFromMemory(for: url, options: options) != nil
    }

    @Test("is 5 minutes by default, and starts again with each use")
    func standard() async throws {
        let test = pipeline()
        _ = try await test.pipeline.response(for: url)
        for _ in 0..<3 {
            clock.advance(by: 299)
            #expect(isInMemory(test, []))
        }
        clock.advance(by: 300)
        #expect(!isInMemory(test, []))
    }

    @Test("is that of the request that stored it, from the network, from disk, and of a store by the program")
    func expiration() async throws {
        let test = pipeline()
        let options: [ImageOption] = [.memoryCacheExpiration(.seconds(10)), .ignoringServer]
        for source in [ImageResponse.Source.network, .disk] {
            #expect(try await test.pipeline.response(for: url, options: options).source == source)
            await test.settle()
            clock.advance(by: 9)
            #expect(isInMemory(test, options))
            clock.advance(by: 10)
            #expect(!isInMemory(test, options))
        }
        let image = try ImageCodecs.standard.decode(Sample.png())
        try await test.pipeline.cache.store(image, original: Sample.png(), for: ImageRequest(url, options: options))
        clock.advance(by: 10)
        #expect(!isInMemory(test, options))
    }

    @Test("that is over before it begins stores nothing")
    func expired() async throws {
        let test = pipeline()
        _ = try await test.pipeline.response(for: url, options: [.memoryCacheExpiration(.expired)])
        #expect(!isInMemory(test, []))
        _ = try await test.pipeline.response(for: url, options: [.forceRefresh])
        #expect(isInMemory(test, []))
    }

    @Test("is extended by a use as the request says that uses it", arguments: [false, true])
    func extending(isDefault: Bool) async throws {
        let stays = ImageOption.memoryCacheAccessExtending(.none)
        let longer = ImageOption.memoryCacheAccessExtending(.to(.seconds(1_000)))
        let test = pipeline(isDefault ? [stays] : [])
        _ = try await test.pipeline.response(for: url)
        clock.advance(by: 200)
        #expect(isInMemory(test, isDefault ? [] : [stays]))
        #expect(test.pipeline.cache.entryInMemory(for: ImageRequest(url, options: [stays])) != nil)
        clock.advance(by: 99)
        #expect(isInMemory(test, [longer]))
        clock.advance(by: 999)
        #expect(isInMemory(test, [stays]))
        clock.advance(by: 1)
        #expect(!isInMemory(test, [stays]))
    }

    @Test("may be another one for all images of a cache, and a request's own goes first")
    func configured() async throws {
        let cache = ImageCache(
            disk: configuration(),
            memoryCostLimit: 1 << 20,
            memoryExpiration: .seconds(10),
            memorySweepInterval: nil
        )
        let image = try ImageCodecs.standard.decode(Sample.png())
        let (short, long) = (
            ImageRequest(url, options: [.cacheMemoryOnly]),
            ImageRequest(Sample.url(), options: [.cacheMemoryOnly, .memoryCacheExpiration(.seconds(20))])
        )
        for request in [short, long] { try await cache.store(image, for: request) }
        clock.advance(by: 10)
        #expect(!cache.isInMemory(short) && cache.isInMemory(long))
        clock.advance(by: 10)
        #expect(!cache.isInMemory(long))
    }

    @Test("ends with the removal of the image, after the interval that is set", arguments: [false, true])
    func sweep(isChanged: Bool) async throws {
        let sweepClock = ManualClock()
        let cache = ImageCache(
            disk: configuration(),
            memoryExpiration: .seconds(10),
            memorySweepInterval: .seconds(60),
            memorySweepClock: sweepClock,
            memoryPressure: nil
        )
        #expect(cache.memorySweepInterval == .seconds(60))
        if isChanged { cache.memorySweepInterval = .seconds(30) }
        let request = ImageRequest(url, options: [.cacheMemoryOnly])
        try await cache.store(ImageCodecs.standard.decode(Sample.png()), for: request)
        clock.advance(by: 10)
        await sweepClock.waitForSleepers(1)
        #expect(cache.memoryStatistics.count == 1)
        sweepClock.advance(by: .seconds(isChanged ? 30 : 60))
        await eventually { cache.memoryStatistics.count == 0 }
        #expect(ImageCache(disk: configuration()).memorySweepInterval == .seconds(120))
    }

    private func configuration() -> DiskCache.Configuration {
        var disk = DiskCache.Configuration(folder: TestPipeline.temporaryPath())
        disk.clock = clock.clock
        disk.sweepInterval = nil
        return disk
    }
}
