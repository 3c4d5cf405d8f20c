import FoundationEssentials
import HalcyonTesting
import Testing

@testable import HalcyonStore

@Suite("Entries that wait while the index cannot be written")
struct DiskCacheWithdrawalTests {
    private let fixture: DiskCacheFixture
    private let other: DiskCacheFixture
    /// What changes the index from outside.
    private let process: SQLiteConnection

    /// Begins with an entry in the index and a later one that waits.
    init() throws {
        fixture = try DiskCacheFixture { $0.busyTimeout = 1 }
        other = try DiskCacheFixture(in: fixture.folder, clock: fixture.clock)
        try fixture.cache.store(bytes(10, seed: 1), for: "a")
        fixture.clock.advance(by: 0.05)
        try fixture.cache.store(bytes(10, seed: 2), for: "a", durability: .none)
        process = try SQLiteConnection(fixture.folder.index, creates: false, busyTimeout: 0)
    }

    /// Lets changes of the index fail, as a full or failing device does.
    private func refuse(removals: Bool) throws {
        for change in removals ? ["INSERT", "UPDATE", "DELETE"] : ["INSERT", "UPDATE"] {
            try process.execute(
                "CREATE TRIGGER refuse_\(change) BEFORE \(change) ON entry BEGIN SELECT RAISE(ABORT, 'refused'); END"
            )
        }
    }

    private func allow() throws {
        for change in ["INSERT", "UPDATE", "DELETE"] { try process.execute("DROP TRIGGER IF EXISTS refuse_\(change)") }
    }

    @Test("do not give place to what they replaced", arguments: [false, true])
    func formerEntry(refusesRemovals: Bool) throws {
        try refuse(removals: refusesRemovals)
        #expect(throws: DiskCacheError.self) { try fixture.cache.flush() }
        #expect(fixture.cache.entry(for: "a") == nil)
        #expect(!fixture.cache.contains("a"))
        #expect(try !fixture.cache.updateMetadata(Data([1]), for: "a"))
        // The failure was thrown; what is left to do is tried again with each flush.
        try fixture.cache.flush()
        #expect(fixture.cache.entry(for: "a") == nil)
        try allow()
        try fixture.cache.flush()
        #expect(other.cache.entry(for: "a") == nil)
        try fixture.cache.store(bytes(10, seed: 3), for: "a", durability: .none)
        try fixture.cache.flush()
        #expect(fixture.cache.entry(for: "a")?.body == bytes(10, seed: 3))
        #expect(try fixture.cache.verify().isSound)
    }

    @Test("give place to what is stored later, here or by another process", arguments: [false, true])
    func laterEntry(byAnother: Bool) throws {
        try refuse(removals: true)
        #expect(throws: DiskCacheError.self) { try fixture.cache.flush() }
        fixture.clock.advance(by: 0.05)
        if !byAnother {
            try fixture.cache.store(bytes(10, seed: 3), for: "a", durability: .none)
            #expect(fixture.cache.entry(for: "a")?.body == bytes(10, seed: 3))
        }
        try allow()
        if byAnother { try other.cache.store(bytes(10, seed: 3), for: "a") }
        #expect(fixture.cache.entry(for: "a")?.body == bytes(10, seed: 3))
        #expect(fixture.cache.contains("a"))
        try fixture.cache.flush()
        #expect(fixture.cache.entry(for: "a")?.body == bytes(10, seed: 3))
        #expect(other.cache.entry(for: "a")?.body == bytes(10, seed: 3))
    }

    @Test("are gone once they were removed, and what they replaced with them")
    func removal() throws {
        try refuse(removals: true)
        #expect(throws: DiskCacheError.self) { try fixture.cache.remove(for: "a") }
        #expect(fixture.cache.entry(for: "a") == nil)
        try allow()
        #expect(try fixture.cache.remove(for: "a"))
        #expect(other.cache.entry(for: "a") == nil)
        #expect(fixture.cache.entry(for: "a") == nil)
    }

    @Test("are gone once all were removed, and what they replaced with them")
    func removalOfAll() throws {
        try refuse(removals: true)
        #expect(throws: DiskCacheError.self) { try fixture.cache.removeAll() }
        #expect(fixture.cache.entry(for: "a") == nil)
        try allow()
        try fixture.cache.flush()
        #expect(other.cache.entry(for: "a") == nil)
    }

    @Test("outlast an earlier store of their key that must not be stored, and whose removal fails")
    func refusedStore() throws {
        try fixture.cache.flush()
        let earlier = fixture.cache.beginStore(for: "a")
        try fixture.cache.store(bytes(10, seed: 4), for: "a", durability: .none)
        try process.execute("BEGIN IMMEDIATE")
        #expect(throws: DiskCacheError.self) {
            try fixture.cache.complete(earlier, bytes(10, seed: 3), for: "a", Data(), .expired, .normal)
        }
        try process.execute("COMMIT")
        #expect(fixture.cache.entry(for: "a")?.body == bytes(10, seed: 4))
        try fixture.cache.flush()
        #expect(other.cache.entry(for: "a")?.body == bytes(10, seed: 4))
    }
}
