import FoundationEssentials
import HalcyonStore
import HalcyonTesting
import Testing

@Suite("Expiry in the disk cache")
struct DiskCacheExpiryTests {
    @Test("an entry lives for seven days by default, and an access starts them again")
    func defaultLifetime() throws {
        let fixture = try DiskCacheFixture()
        try fixture.cache.store(bytes(1), for: "a")
        try fixture.cache.store(bytes(1), for: "b")
        fixture.clock.advance(by: 6 * 86_400)
        #expect(fixture.cache.entry(for: "a")?.expiresAt == fixture.clock.date + 7 * 86_400)
        #expect(fixture.cache.contains("b"))
        fixture.clock.advance(by: 86_400)
        #expect(fixture.cache.entry(for: "b") == nil)
        // The extension is not yet written to the index, and holds all the same.
        #expect(fixture.cache.contains("a"))
        try fixture.cache.flush()
        let other = try DiskCacheFixture(in: fixture.folder, clock: fixture.clock)
        #expect(other.cache.contains("a"))
        #expect(!other.cache.contains("b"))
    }

    @Test("an access may leave the expiry, or set another")
    func extensions() throws {
        let fixture = try DiskCacheFixture()
        try fixture.cache.store(bytes(1), for: "a", expiration: .seconds(10))
        try fixture.cache.store(bytes(1), for: "b", expiration: .date(fixture.clock.date + 10))
        fixture.clock.advance(by: 9)
        #expect(fixture.cache.entry(for: "a", extending: .none) != nil)
        #expect(fixture.cache.entry(for: "b") != nil)
        fixture.clock.advance(by: 1)
        #expect(fixture.cache.entry(for: "a") == nil)
        #expect(fixture.cache.entry(for: "b") == nil)
        try fixture.cache.store(bytes(1), for: "c", expiration: .never)
        #expect(fixture.cache.entry(for: "c", extending: .to(.seconds(5)))?.expiresAt == fixture.clock.date + 5)
        fixture.clock.advance(by: 5)
        #expect(fixture.cache.entry(for: "c") == nil)
    }

    @Test("what is over at once is not stored, and removes what it was to replace", arguments: [10, 20_000])
    func overAtOnce(size: Int) throws {
        let fixture = try DiskCacheFixture()
        try fixture.cache.store(bytes(size), for: "a")
        #expect(try !fixture.cache.store(bytes(size, seed: 1), for: "a", expiration: .expired))
        #expect(fixture.cache.entry(for: "a") == nil)
        #expect(fixture.folder.bodyFiles.isEmpty)
    }

    @Test("a date that is no number is over, on disk and in memory")
    func noDate() throws {
        let noDate = Date(timeIntervalSince1970: .nan)
        let fixture = try DiskCacheFixture()
        try fixture.cache.store(bytes(10), for: "a")
        #expect(try !fixture.cache.store(bytes(10), for: "a", expiration: .date(noDate)))
        #expect(fixture.cache.entry(for: "a") == nil)
        try fixture.cache.store(bytes(10), for: "b")
        try fixture.cache.updateMetadata(Data(), for: "b", expiration: .date(noDate))
        #expect(fixture.cache.entry(for: "b") == nil)
        #expect(Expiration.date(noDate).isOver(at: Date()) && Expiration.seconds(1).interval(since: noDate) == 1)
    }

    @Test("removing what expired removes rows and files, and nothing else")
    func removeExpired() throws {
        let fixture = try DiskCacheFixture()
        for number in 0..<300 {
            let expiration: Expiration = number % 2 == 0 ? .seconds(10) : .never
            try fixture.cache.store(bytes(number % 50 == 0 ? 20_000 : 10), for: "\(number)", expiration: expiration)
        }
        fixture.clock.advance(by: 10)
        #expect(try fixture.cache.statistics().expiredCount == 150)
        #expect(try fixture.cache.removeExpired() == 150)
        #expect(try fixture.cache.statistics().count == 150)
        #expect(fixture.folder.bodyFiles.isEmpty)
        #expect(try fixture.cache.verify().isSound)
    }

    @Test("a clock that jumps back and forth neither traps nor loses what is valid")
    func clockJumps() throws {
        let fixture = try DiskCacheFixture()
        try fixture.cache.store(bytes(1), for: "a")
        fixture.clock.setDate(.distantPast)
        #expect(fixture.cache.entry(for: "a") != nil)
        fixture.clock.setDate(.distantFuture)
        try fixture.cache.store(bytes(1), for: "b", expiration: .days(.max))
        #expect(fixture.cache.entry(for: "b") != nil)
        #expect(try fixture.cache.statistics().count == 2)
    }
}
