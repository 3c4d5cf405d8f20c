import FoundationEssentials
import HalcyonTesting
import Testing

@testable import HalcyonStore

@Suite("Entries that wait for a common transaction and share the file of one in the index")
struct DiskCacheBorrowingTests {
    private let size = 40_000
    private var body: Data { bytes(size) }

    @Test("do not share that of an entry whose time is over, which may go at any moment")
    func expiredDonor() throws {
        let one = try DiskCacheFixture()
        try one.cache.store(body, for: "a", expiration: .seconds(10))
        one.clock.advance(by: 10)
        try one.cache.store(body, for: "a", durability: .none)
        let two = try DiskCacheFixture(in: one.folder, clock: one.clock)
        #expect(try two.cache.removeExpired() == 1)
        #expect(one.cache.entry(for: "a")?.body == body)
        try one.cache.flush()
        #expect(two.cache.entry(for: "a")?.body == body)
        #expect(one.folder.bodyFiles.count == 1)
    }

    @Test("keep it while another of their transaction replaces that one, whatever their order", arguments: [1, 3])
    func replacedDonor(donor: UInt64) throws {
        let fixture = try DiskCacheFixture { $0.keyHash = { $0.first == UInt8(ascii: "l") ? donor : 2 } }
        try fixture.cache.store(body, for: "latest")
        try fixture.cache.store(bytes(size, seed: 1), for: "latest", durability: .none)
        try fixture.cache.store(body, for: "previous", durability: .none)
        try fixture.cache.flush()
        #expect(fixture.cache.entry(for: "latest")?.body == bytes(size, seed: 1))
        #expect(fixture.cache.entry(for: "previous")?.body == body)
        #expect(fixture.folder.bodyFiles.count == 2)
        #expect(try fixture.cache.verify().isSound)
    }

    @Test("may exchange their files")
    func exchangedFiles() throws {
        let fixture = try DiskCacheFixture()
        let other = bytes(size, seed: 1)
        try fixture.cache.store(body, for: "a")
        try fixture.cache.store(other, for: "b")
        try fixture.cache.store(other, for: "a", durability: .none)
        try fixture.cache.store(body, for: "b", durability: .none)
        try fixture.cache.flush()
        #expect(fixture.cache.entry(for: "a")?.body == other)
        #expect(fixture.cache.entry(for: "b")?.body == body)
        #expect(fixture.folder.bodyFiles.count == 2)
        #expect(try fixture.cache.verify().isSound)
    }

    /// What takes the entry whose file is shared.
    enum Removal: CaseIterable {
        case key, replacement, refusal, prefix, predicate, expiration, eviction
    }

    @Test("keep it when this cache removes that one", arguments: Removal.allCases)
    func removedDonor(removal: Removal) throws {
        let fixture = try DiskCacheFixture()
        let cache = fixture.cache
        try cache.store(body, for: "donor", expiration: .seconds(10))
        fixture.clock.advance(by: 1)
        try cache.store(body, for: "a", durability: .none)
        #expect(fixture.folder.bodyFiles.count == 1)
        switch removal {
        case .key: #expect(try cache.remove(for: "donor"))
        case .replacement: try cache.store(bytes(10), for: "donor")
        case .refusal: #expect(try !cache.store(bytes(10), for: "donor", expiration: .expired))
        case .prefix: #expect(try cache.removeEntries(prefix: "don") == 1)
        case .predicate: #expect(try cache.removeEntries { $0.key == "donor" } == 1)
        case .expiration:
            fixture.clock.advance(by: 10)
            #expect(try cache.removeExpired() == 1)
        case .eviction: #expect(try cache.trim(to: body.count + 4) == 1)
        }
        #expect(cache.entry(for: "a")?.body == body)
        try cache.flush()
        #expect(cache.entry(for: "a")?.body == body)
        #expect(fixture.folder.bodyFiles.count == 1)
        #expect(try cache.verify().isSound)
    }

    @Test("if it is gone, leave alone what another process has stored in their place since")
    func laterEntryOfAnother() throws {
        let one = try DiskCacheFixture()
        let two = try DiskCacheFixture(in: one.folder, clock: one.clock)
        try one.cache.store(body, for: "donor")
        try one.cache.store(body, for: "a", durability: .none)
        #expect(try two.cache.remove(for: "donor"))
        one.clock.advance(by: 0.05)
        try two.cache.store(bytes(size, seed: 1), for: "a")
        try one.cache.flush()
        #expect(two.cache.entry(for: "a")?.body == bytes(size, seed: 1))
        #expect(one.cache.entry(for: "a")?.body == bytes(size, seed: 1))
    }
}
