import FoundationEssentials
import HalcyonStore
import HalcyonTesting
import Testing

@Suite("A clock that jumps, and the order of eviction")
struct DiskCacheClockTests {
    private let year = 365.0 * 86_400

    /// A cache for twenty of the entries that ``store(_:_:in:)`` makes.
    private func fixture() throws -> DiskCacheFixture {
        try DiskCacheFixture {
            $0.sizeLimit = 2_000
            $0.lowWaterMark = 1
            $0.expiration = .never
        }
    }

    private func store(_ name: String, _ numbers: Range<Int>, in fixture: DiskCacheFixture) throws {
        for number in numbers {
            let key = "\(name) \(number)"
            try fixture.cache.store(bytes(100 - key.utf8.count), for: key)
            #expect(fixture.cache.contains(key), "the newest is never what goes")
            fixture.clock.advance(by: 1)
        }
    }

    private func kept(_ fixture: DiskCacheFixture) throws -> Set<String> {
        Set(try fixture.cache.entries().map(\.key))
    }

    @Test("what is stored after a jump forward and back stays, and what was stored before goes")
    func forward() throws {
        let fixture = try fixture()
        try store("before", 0..<15, in: fixture)
        let date = fixture.clock.date
        fixture.clock.setDate(date + 10 * year)
        try store("future", 0..<5, in: fixture)
        fixture.clock.setDate(date + 60)
        try store("after", 0..<20, in: fixture)
        #expect(try kept(fixture) == Set((0..<20).map { "after \($0)" }))
        #expect(try fixture.cache.verify().isSound)
    }

    @Test("what was used in the future and is used again lies by its last use", arguments: [1, 1_000])
    func usedAgain(touchLimit: Int) throws {
        let fixture = try DiskCacheFixture {
            $0.sizeLimit = 2_000
            $0.lowWaterMark = 1
            $0.touchLimit = touchLimit
        }
        try store("before", 0..<10, in: fixture)
        let date = fixture.clock.date
        fixture.clock.setDate(date + year / 365)
        for number in 0..<10 { #expect(fixture.cache.entry(for: "before \(number)") != nil) }
        try fixture.cache.flush()
        try store("future", 0..<5, in: fixture)
        fixture.clock.setDate(date + 120)
        for number in 0..<3 { #expect(fixture.cache.entry(for: "future \(number)") != nil) }
        fixture.clock.advance(by: 1)
        #expect(fixture.cache.entry(for: "before 0") != nil)
        try fixture.cache.flush()
        // No trace of the future is left in what was used since.
        for listing in try fixture.cache.entries() where listing.lastAccess <= date + 130 {
            #expect(listing.expiresAt.map { $0 <= date + 130 + 7 * 86_400 } ?? false)
        }
        fixture.clock.advance(by: 1)
        try store("after", 0..<16, in: fixture)
        #expect(
            try kept(fixture) == Set(["future 0", "future 1", "future 2", "before 0"] + (0..<16).map { "after \($0)" })
        )
    }

    @Test("a clock that is set back evicts in the order of the uses")
    func backward() throws {
        let fixture = try fixture()
        try store("before", 0..<20, in: fixture)
        fixture.clock.setDate(fixture.clock.date - year)
        try store("after", 0..<5, in: fixture)
        #expect(try kept(fixture) == Set((5..<20).map { "before \($0)" } + (0..<5).map { "after \($0)" }))
        #expect(fixture.cache.entry(for: "before 5") != nil)
        fixture.clock.advance(by: 1)
        try store("later", 0..<3, in: fixture)
        #expect(fixture.cache.contains("before 5"))
        #expect(!fixture.cache.contains("before 6"))
        #expect(try fixture.cache.verify().isSound)
    }

    @Test("a correction by seconds changes nothing")
    func correction() throws {
        let fixture = try fixture()
        try store("before", 0..<20, in: fixture)
        fixture.clock.setDate(fixture.clock.date - 5)
        try store("after", 0..<1, in: fixture)
        #expect(try kept(fixture) == Set((1..<20).map { "before \($0)" } + ["after 0"]))
    }

    @Test("what waits for its transaction is written although the clock was set back")
    func staging() throws {
        let fixture = try DiskCacheFixture()
        let other = try DiskCacheFixture(in: fixture.folder, clock: fixture.clock)
        try fixture.cache.store(bytes(1), for: "a", durability: .none)
        fixture.clock.setDate(fixture.clock.date - year)
        try fixture.cache.store(bytes(1), for: "b", durability: .none)
        #expect(other.cache.contains("a") && other.cache.contains("b"))
    }
}
