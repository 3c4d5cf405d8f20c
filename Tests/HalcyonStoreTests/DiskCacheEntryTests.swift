import FoundationEssentials
import HalcyonStore
import HalcyonTesting
import Testing

@Suite("Entries of the disk cache")
struct DiskCacheEntryTests {
    @Test(
        "what is stored is found, whole, with its metadata",
        arguments: [0, 1, 16_383, 16_384, 16_385, 131_072, 131_073, 1_500_000]
    )
    func roundTrip(size: Int) throws {
        let fixture = try DiskCacheFixture()
        let body = bytes(size)
        #expect(try fixture.cache.store(body, for: "a", metadata: Data("type".utf8)))
        let entry = try #require(fixture.cache.entry(for: "a"))
        #expect(firstDifference(entry.body, body) == nil)
        #expect(entry.metadata == Data("type".utf8))
        #expect(entry.storedAt == fixture.clock.date)
        #expect(fixture.cache.entry(for: "b") == nil)
        #expect(fixture.folder.bodyFiles.count == (size > 16_384 ? 1 : 0))
        #expect(try fixture.cache.verify().isSound)
    }

    @Test("replacing leaves one entry, exact sums and no file of the old one", arguments: [100, 50_000])
    func replace(size: Int) throws {
        let fixture = try DiskCacheFixture()
        for seed in 0..<5 {
            try fixture.cache.store(bytes(size, seed: seed), for: "key")
        }
        try fixture.cache.store(bytes(20_000, seed: 9), for: "key")
        #expect(fixture.cache.entry(for: "key")?.body == bytes(20_000, seed: 9))
        let statistics = try fixture.cache.statistics()
        #expect(statistics.count == 1)
        #expect(statistics.bytes == 20_003)
        #expect(statistics.fileCount == 1)
        #expect(fixture.folder.bodyFiles.count == 1)
        #expect(try fixture.cache.verify().isSound)
    }

    @Test("another cache on the folder finds everything after the first is gone")
    func reopen() throws {
        let folder = try TemporaryFolder()
        do {
            let first = try DiskCacheFixture(in: folder)
            try first.cache.store(bytes(10), for: "small", durability: .full)
            try first.cache.store(bytes(100_000), for: "large", durability: .full)
            try first.cache.close()
            #expect(first.cache.entry(for: "small") == nil)
            #expect(throws: DiskCacheError.self) { try first.cache.store(Data(), for: "b") }
        }
        let second = try DiskCacheFixture(in: folder)
        #expect(second.cache.entry(for: "small")?.body == bytes(10))
        #expect(second.cache.entry(for: "large")?.body == bytes(100_000))
        #expect(second.log.events.isEmpty)
    }

    @Test("two caches on one folder see each other's changes at once")
    func twoObjects() throws {
        let one = try DiskCacheFixture()
        let two = try DiskCacheFixture(in: one.folder)
        try one.cache.store(bytes(30_000, seed: 1), for: "a")
        #expect(two.cache.entry(for: "a")?.body == bytes(30_000, seed: 1))
        try two.cache.store(bytes(40_000, seed: 2), for: "a")
        #expect(one.cache.entry(for: "a")?.body == bytes(40_000, seed: 2))
        try one.cache.removeAll()
        #expect(two.cache.entry(for: "a") == nil)
        #expect(one.log.events.isEmpty)
        #expect(two.log.events.isEmpty)
    }

    @Test("keys are bytes: strange ones neither collide nor leave the folder")
    func adversarialKeys() throws {
        let fixture = try DiskCacheFixture()
        let keys = [
            "", "\0", "a\0", "a\0b", "a", "../../escape", "/etc/passwd", "a@b", "a|>b", "%", "_",
            "\u{e9}", "e\u{301}", "'; DROP TABLE entry; --", String(repeating: "long/", count: 40_000), "\u{1F600}",
            ".", "..",
        ]
        for (number, key) in keys.enumerated() {
            try fixture.cache.store(bytes(number % 2 == 0 ? 20_000 : 20, seed: number), for: key)
        }
        for (number, key) in keys.enumerated() {
            #expect(fixture.cache.entry(for: key)?.body == bytes(number % 2 == 0 ? 20_000 : 20, seed: number))
        }
        #expect(try fixture.cache.statistics().count == keys.count)
        #expect(Set(try fixture.cache.entries().map { Data($0.key.utf8) }) == Set(keys.map { Data($0.utf8) }))
        let outside = fixture.folder.files.filter { !$0.hasPrefix("v3/") }
        #expect(outside.isEmpty)
    }

    @Test("of two keys with the same hash the later is kept, and neither gets the other's body")
    func collision() throws {
        let fixture = try DiskCacheFixture { $0.keyHash = { _ in 42 } }
        try fixture.cache.store(bytes(20_000, seed: 1), for: "a")
        try fixture.cache.store(bytes(10, seed: 2), for: "b")
        #expect(fixture.cache.entry(for: "a") == nil)
        #expect(!fixture.cache.contains("a"))
        #expect(try !fixture.cache.remove(for: "a"))
        #expect(fixture.cache.entry(for: "b")?.body == bytes(10, seed: 2))
        #expect(fixture.folder.bodyFiles.isEmpty)
        #expect(try fixture.cache.verify().isSound)
    }

    @Test("entries are listed, the most recently used first")
    func listing() throws {
        let fixture = try DiskCacheFixture()
        for key in ["a/1", "a/2", "b/1", "a/3"] {
            try fixture.cache.store(bytes(10), for: key)
            fixture.clock.advance(by: 1)
        }
        _ = fixture.cache.entry(for: "a/1")
        #expect(try fixture.cache.entries().map(\.key) == ["a/1", "a/3", "b/1", "a/2"])
        #expect(try fixture.cache.entries(limit: 2).map(\.key) == ["a/1", "a/3"])
    }
}
