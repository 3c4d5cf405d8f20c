import FoundationEssentials
import HalcyonTesting
import Testing

@testable import HalcyonStore

@Suite("An index whose numbers are absurd")
struct DiskCacheSizeDamageTests {
    private func fixture(_ change: String) throws -> DiskCacheFixture {
        let fixture = try DiskCacheFixture()
        for key in ["a", "b", "c"] { try fixture.cache.store(bytes(20_000, seed: Int(key.utf8.first ?? 0)), for: key) }
        try SQLiteConnection(fixture.folder.index, creates: false, busyTimeout: 0).execute(change)
        return fixture
    }

    static let changes = [
        "UPDATE entry SET size = 9223372036854775807",
        "UPDATE entry SET size = -9223372036854775807",
        "UPDATE entry SET size = 4611686018427387904",
        "UPDATE total SET bytes = 9223372036854775807, file_count = 9223372036854775807, inline_count = 1",
        "UPDATE total SET bytes = -9223372036854775807, file_count = -9223372036854775807, inline_count = -5",
    ]

    @Test("is repaired", arguments: changes)
    func repair(change: String) throws {
        let fixture = try fixture(change)
        #expect(try !fixture.cache.verify().isSound)
        _ = try fixture.cache.verify(repair: true)
        #expect(try fixture.cache.verify().isSound)
        try fixture.cache.store(bytes(20_000), for: "d")
        #expect(fixture.cache.entry(for: "d")?.body == bytes(20_000))
    }

    @Test("keeps no entry from being removed", arguments: changes)
    func eviction(change: String) throws {
        let fixture = try fixture(change)
        _ = try fixture.cache.entries()
        _ = try fixture.cache.statistics()
        try fixture.cache.trim(to: 0)
        try fixture.cache.setSizeLimit(1_000)
        for key in ["a", "b", "c"] { try fixture.cache.remove(for: key) }
        #expect(try fixture.cache.entries().isEmpty)
    }
}
