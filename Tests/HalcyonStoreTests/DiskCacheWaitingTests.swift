import FoundationEssentials
import HalcyonTesting
import Testing

@testable import HalcyonStore

@Suite("Look-ups in the disk cache while others write")
struct DiskCacheWaitingTests {
    /// Calls `body` while one thread waits for another process that is writing, with the cache's connection in its hands.
    private func whileWriterWaits(
        _ fixture: DiskCacheFixture,
        sweepsBy clock: ManualClock? = nil,
        _ body: () async throws -> Void
    ) async throws {
        let cache = fixture.cache
        let process = try SQLiteConnection(fixture.folder.index, creates: false, busyTimeout: 0)
        try process.execute("BEGIN IMMEDIATE")
        async let isStored = onThread { try cache.store(bytes(1), for: "late") }
        let index = try #require(cache.state.withLock { $0.index })
        while index.writer.withLockIfAvailable({ _ in true }) == true { await Task.yield() }
        try await body()
        try process.execute("COMMIT")
        #expect(try await isStored)
        #expect(cache.contains("late"))
    }

    private func fixture(_ adjust: (inout DiskCache.Configuration) -> Void = { _ in }) throws -> DiskCacheFixture {
        let fixture = try DiskCacheFixture {
            $0.busyTimeout = 1_000_000
            adjust(&$0)
        }
        try fixture.cache.store(bytes(10), for: "small")
        try fixture.cache.store(bytes(20_000), for: "large")
        return fixture
    }

    @Test("do not wait to write down their own use")
    func uses() async throws {
        let fixture = try fixture { $0.touchLimit = 1 }
        try await whileWriterWaits(fixture) {
            fixture.clock.advance(by: 3_600)
            for _ in 0..<3 {
                #expect(fixture.cache.entry(for: "small") != nil)
                #expect(fixture.cache.entry(for: "large") != nil)
            }
            #expect(fixture.cache.contains("small"))
        }
        #expect(fixture.log.events.isEmpty)
        try fixture.cache.flush()
        for listing in try fixture.cache.entries() where listing.key != "late" {
            #expect(listing.lastAccess == fixture.clock.date)
        }
    }

    @Test("do not wait to remove what they find damaged, which a later one does")
    func damage() async throws {
        let fixture = try fixture()
        try FileManager.default.removeItem(atPath: fixture.folder.path + "/" + fixture.folder.bodyFiles[0])
        try await whileWriterWaits(fixture) {
            #expect(fixture.cache.entry(for: "large") == nil)
            #expect(fixture.cache.contains("large"))
        }
        #expect(fixture.cache.entry(for: "large") == nil)
        #expect(!fixture.cache.contains("large"))
        #expect(fixture.log.events == [.entryDamaged(key: "large", reason: "its file is missing")])
    }

    @Test("are not held up by a sweep, which waits for nobody and tries again")
    func sweep() async throws {
        let clock = ManualClock()
        let fixture = try fixture {
            $0.sweepClock = clock
            $0.sweepInterval = .seconds(600)
        }
        try fixture.cache.store(bytes(10), for: "short", expiration: .seconds(1))
        fixture.clock.advance(by: 1)
        await clock.waitForSleepers(1)
        try await whileWriterWaits(fixture) {
            clock.advance(by: .seconds(1))
            await clock.waitForSleepers(1)
            #expect(fixture.cache.entry(for: "small") != nil)
        }
        clock.advance(by: .milliseconds(100))
        await clock.waitForSleepers(1)
        #expect(try fixture.cache.statistics().expiredCount == 0)
    }
}
