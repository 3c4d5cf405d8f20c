import FoundationEssentials
import HalcyonStore
import HalcyonTesting
import Testing

@Suite("What expired on disk goes in the background")
struct DiskCacheSweepTests {
    private let sweepClock = ManualClock()

    private func fixture(in folder: TemporaryFolder? = nil, interval: Duration? = .seconds(600)) throws
        -> DiskCacheFixture
    {
        let sweepClock = sweepClock
        return try DiskCacheFixture(in: folder ?? TemporaryFolder()) {
            $0.sweepInterval = interval
            $0.sweepClock = sweepClock
        }
    }

    /// Lets the sweep take its next step, and waits until it sleeps again.
    private func step(_ duration: Duration = .seconds(600)) async {
        await sweepClock.waitForSleepers(1)
        sweepClock.advance(by: duration)
        await sweepClock.waitForSleepers(1)
    }

    private func store(_ count: Int, _ expiration: Expiration, in cache: DiskCache) throws {
        for number in 0..<count {
            let size = number % 50 == 0 ? 20_000 : 10
            try cache.store(
                bytes(size, seed: number),
                for: "\(expiration) \(number)",
                expiration: expiration,
                durability: .none
            )
        }
        try cache.flush()
    }

    @Test("a second after the cache is opened and once in each interval, rows, files and all")
    func sweep() async throws {
        let fixture = try fixture()
        try store(60, .seconds(100), in: fixture.cache)
        try store(10, .seconds(1_000), in: fixture.cache)
        await step(.seconds(1))
        #expect(try fixture.cache.statistics().count == 70)
        fixture.clock.advance(by: 100)
        await step(.seconds(599))
        #expect(try fixture.cache.statistics().count == 70)
        await step(.seconds(1))
        #expect(try fixture.cache.statistics().count == 10)
        #expect(fixture.folder.bodyFiles.count == 1)
        fixture.clock.advance(by: 1_000)
        await step()
        #expect(try fixture.cache.statistics().count == 0)
        #expect(fixture.folder.bodyFiles.isEmpty)
        #expect(try fixture.cache.verify().isSound)
        // What another process left is swept by the next that opens the folder.
        try store(5, .seconds(1), in: fixture.cache)
        try fixture.cache.close()
        let next = try self.fixture(in: fixture.folder)
        next.clock.advance(by: 2_000)
        try next.cache.open()
        await step(.seconds(1))
        #expect(try next.cache.statistics().count == 0)
    }

    @Test("a batch at a time, with a pause for others")
    func batches() async throws {
        let fixture = try fixture()
        try store(300, .seconds(100), in: fixture.cache)
        fixture.clock.advance(by: 100)
        var counts: [Int] = []
        for pause in [Duration.seconds(1), .milliseconds(100), .milliseconds(100)] {
            await step(pause)
            counts.append(try fixture.cache.statistics().count)
        }
        #expect(counts == [172, 44, 0])
        // Then it sleeps for the interval.
        try store(1, .seconds(1), in: fixture.cache)
        fixture.clock.advance(by: 1)
        await step(.milliseconds(100))
        #expect(try fixture.cache.statistics().count == 1)
    }

    @Test("listeners hear of it")
    func removals() async throws {
        let fixture = try fixture()
        let removals = fixture.cache.removals
        try store(1, .seconds(1), in: fixture.cache)
        fixture.clock.advance(by: 1)
        await step(.seconds(1))
        for await removal in removals.prefix(1) {
            #expect(removal == .init(key: "\(Expiration.seconds(1)) 0", reason: .expired))
        }
    }

    @Test("but not what a look-up extended, although that is not written down yet")
    func extended() async throws {
        let fixture = try fixture()
        try store(10, .seconds(100), in: fixture.cache)
        fixture.clock.advance(by: 50)
        #expect(fixture.cache.entry(for: "\(Expiration.seconds(100)) 3") != nil)
        fixture.clock.advance(by: 50)
        await step(.seconds(1))
        #expect(try fixture.cache.entries().map(\.key) == ["\(Expiration.seconds(100)) 3"])
    }

    @Test("for as long as the cache is open, and not where nothing may be changed or no interval is given")
    func end() async throws {
        let fixture = try fixture()
        #expect(sweepClock.sleeperCount == 0)
        try fixture.cache.open()
        await sweepClock.waitForSleepers(1)
        fixture.cache.sweepInterval = nil
        while sweepClock.sleeperCount > 0 { await Task.yield() }
        fixture.cache.sweepInterval = .seconds(10)
        await sweepClock.waitForSleepers(1)
        try fixture.cache.close()
        while sweepClock.sleeperCount > 0 { await Task.yield() }
        let readOnly = try DiskCacheFixture(in: fixture.folder) {
            $0.isReadOnly = true
            $0.sweepClock = sweepClock
        }
        try readOnly.cache.open()
        let never = try self.fixture(in: fixture.folder, interval: nil)
        try never.cache.open()
        #expect(sweepClock.sleeperCount == 0)
        var last: DiskCacheFixture? = try self.fixture(in: fixture.folder)
        try last?.cache.open()
        await sweepClock.waitForSleepers(1)
        last = nil
        while sweepClock.sleeperCount > 0 { await Task.yield() }
    }

    @Test("but not the file of it that an entry shares which waits to be written down")
    func sharedFile() async throws {
        let fixture = try fixture()
        try fixture.cache.store(bytes(20_000), for: "a", expiration: .seconds(100))
        try fixture.cache.store(bytes(20_000), for: "b", durability: .none)
        fixture.clock.advance(by: 100)
        await step(.seconds(1))
        #expect(fixture.cache.entry(for: "b")?.body == bytes(20_000))
        #expect(try fixture.cache.entries().map(\.key) == ["b"])
        #expect(try fixture.cache.verify().isSound)
    }
}
