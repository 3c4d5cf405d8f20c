import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import HalcyonStore

@Suite("The lock that many look-ups share")
struct DiskReadHoldTests {
    private func readHold(of cache: DiskCache) -> DiskReadHold? {
        cache.state.withLock { $0.index }?.readHold
    }

    /// Looks an entry up so often, and late enough, that the lock is held from then on.
    private func lookUpOften(_ key: String, in fixture: DiskCacheFixture) {
        for _ in 0..<20 { #expect(fixture.cache.entry(for: key) != nil) }
        fixture.clock.advance(by: 0.051)
        #expect(fixture.cache.entry(for: key) != nil)
    }

    @Test("it is held after many look-ups in a moment, and not after few")
    func beginning() throws {
        let fixture = try DiskCacheFixture()
        try fixture.cache.store(bytes(10), for: "a")
        for _ in 0..<4 {
            #expect(fixture.cache.entry(for: "a") != nil)
            fixture.clock.advance(by: 0.051)
        }
        #expect(readHold(of: fixture.cache)?.isHeld == false)
        #expect(readHold(of: fixture.cache)?.count == 0)
        lookUpOften("a", in: fixture)
        #expect(readHold(of: fixture.cache)?.count == 1)
    }

    @Test("look-ups under it find at once what another cache stores and removes", arguments: [10, 50_000])
    func freshness(size: Int) throws {
        let fixture = try DiskCacheFixture()
        try fixture.cache.store(bytes(size), for: "a")
        lookUpOften("a", in: fixture)
        #expect(readHold(of: fixture.cache)?.count == 1)
        let other = try DiskCacheFixture(in: fixture.folder, clock: fixture.clock)
        try other.cache.store(bytes(size, seed: 1), for: "a")
        #expect(fixture.cache.entry(for: "a")?.body == bytes(size, seed: 1))
        try other.cache.remove(for: "a")
        #expect(fixture.cache.entry(for: "a") == nil)
        #expect(try other.cache.verify().isSound)
    }

    /// One that waits for ever to be asked for again.
    private func makeHold(_ path: String, logSize: Lock<Int> = Lock(0)) -> DiskReadHold {
        DiskReadHold(
            makeConnection: { try SQLiteConnection(path, creates: false, busyTimeout: 0) },
            logSize: { logSize.withLock { $0 } },
            patience: .never
        )
    }

    @Test("it ends before anything is written")
    func writing() throws {
        let fixture = try DiskCacheFixture()
        try fixture.cache.open()
        let hold = try #require(readHold(of: fixture.cache))
        hold.renew()
        #expect(hold.count == 1)
        try fixture.cache.store(bytes(10), for: "a")
        #expect(!hold.isHeld)
        #expect(fixture.cache.entry(for: "a")?.body == bytes(10))
    }

    @Test("it ends when nobody asked for it again")
    func end() throws {
        let fixture = try DiskCacheFixture()
        try fixture.cache.open()
        let hold = makeHold(fixture.folder.index)
        hold.renew()
        hold.renew()
        #expect(!hold.releaseUnlessRenewed(since: 1))
        #expect(hold.isHeld)
        #expect(hold.releaseUnlessRenewed(since: 2))
        #expect(!hold.isHeld)
    }

    @Test("a log longer than others let it grow is not held, nor is an index that is gone")
    func limits() throws {
        let fixture = try DiskCacheFixture()
        try fixture.cache.open()
        let size = Lock(24_000_001)
        let hold = makeHold(fixture.folder.index, logSize: size)
        hold.renew()
        #expect(!hold.isHeld)
        size.withLock { $0 = 0 }
        hold.renew()
        #expect(hold.isHeld)
        size.withLock { $0 = 24_000_001 }
        hold.renew()
        #expect(!hold.isHeld)
        let missing = makeHold(fixture.folder.index + "-missing")
        missing.renew()
        #expect(!missing.isHeld)
    }
}

extension DiskReadHold {
    /// Whether the lock is held.
    fileprivate var isHeld: Bool { state.withLock { $0.isHeld } }
}
