import FoundationEssentials
import HalcyonStore
import HalcyonTesting
import Testing

@Suite("Entries of the disk cache")
struct DiskCacheEntryTests {
    @Test(
        "what is put is found, whole, with its metadata",
        arguments: [0, 1, 16_383, 16_384, 16_385, 131_072, 131_073, 1_500_000]
    )
    func roundTrip(size: Int) throws {
        let fixture = try DiskCacheFixture()
        let body = bytes(size)
        #expect(try fixture.cache.put("a", body: body, metadata: Data("type".utf8)))
        let entry = try #require(fixture.cache.get("a"))
        #expect(firstDifference(entry.body, body) == nil)
        #expect(entry.metadata == Data("type".utf8))
        #expect(entry.storedAt == fixture.clock.date)
        #expect(fixture.cache.get("b") == nil)
        #expect(fixture.folder.bodyFiles.count == (size > 16_384 ? 1 : 0))
        #expect(try fixture.cache.verify().isSound)
    }

    @Test("replacing leaves one entry, exact sums and no file of the old one", arguments: [100, 50_000])
    func replace(size: Int) throws {
        let fixture = try DiskCacheFixture()
        for seed in 0..<5 {
            try fixture.cache.put("key", body: bytes(size, seed: seed))
        }
        try fixture.cache.put("key", body: bytes(20_000, seed: 9))
        #expect(fixture.cache.get("key")?.body == bytes(20_000, seed: 9))
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
            try first.cache.put("small", body: bytes(10), durability: .full)
            try first.cache.put("large", body: bytes(100_000), durability: .full)
            try first.cache.close()
            #expect(first.cache.get("small") == nil)
            #expect(throws: DiskCacheError.self) { try first.cache.put("b", body: Data()) }
        }
        let second = try DiskCacheFixture(in: folder)
        #expect(second.cache.get("small")?.body == bytes(10))
        #expect(second.cache.get("large")?.body == bytes(100_000))
        #expect(second.log.events.isEmpty)
    }

    @Test("two caches on one folder see each other's changes at once")
    func twoObjects() throws {
        let one = try DiskCacheFixture()
        let two = try DiskCacheFixture(in: one.folder)
        try one.cache.put("a", body: bytes(30_000, seed: 1))
        #expect(two.cache.get("a")?.body == bytes(30_000, seed: 1))
        try two.cache.put("a", body: bytes(40_000, seed: 2))
        #expect(one.cache.get("a")?.body == bytes(40_000, seed: 2))
        try one.cache.removeAll()
        #expect(two.cache.get("a") == nil)
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
            try fixture.cache.put(key, body: bytes(number % 2 == 0 ? 20_000 : 20, seed: number))
        }
        for (number, key) in keys.enumerated() {
            #expect(fixture.cache.get(key)?.body == bytes(number % 2 == 0 ? 20_000 : 20, seed: number))
        }
        #expect(try fixture.cache.statistics().count == keys.count)
        #expect(Set(try fixture.cache.entries().map { Data($0.key.utf8) }) == Set(keys.map { Data($0.utf8) }))
        let outside = fixture.folder.files.filter { !$0.hasPrefix("v3/") }
        #expect(outside.isEmpty)
    }

    @Test("of two keys with the same hash the later is kept, and neither gets the other's body")
    func collision() throws {
        let fixture = try DiskCacheFixture { $0.keyHash = { _ in 42 } }
        try fixture.cache.put("a", body: bytes(20_000, seed: 1))
        try fixture.cache.put("b", body: bytes(10, seed: 2))
        #expect(fixture.cache.get("a") == nil)
        #expect(!fixture.cache.contains("a"))
        #expect(try !fixture.cache.remove("a"))
        #expect(fixture.cache.get("b")?.body == bytes(10, seed: 2))
        #expect(fixture.folder.bodyFiles.isEmpty)
        #expect(try fixture.cache.verify().isSound)
    }

    @Test("a body written piece by piece is seen once it is committed", arguments: [10, 100_000])
    func writer(size: Int) throws {
        let fixture = try DiskCacheFixture()
        let body = bytes(size)
        let writer = fixture.cache.writer(for: "a")
        for start in stride(from: 0, to: size, by: 999) {
            try writer.append(body[start..<min(size, start + 999)])
            #expect(fixture.cache.get("a") == nil)
        }
        #expect(try writer.commit(metadata: Data([7])))
        #expect(fixture.cache.get("a")?.body == body)
        #expect(throws: DiskCacheError.self) { try writer.append(body) }
        #expect(try fixture.cache.verify().isSound)
    }

    @Test("a body that is abandoned, or whose writer is released, leaves nothing", arguments: [true, false])
    func abandoned(explicitly: Bool) throws {
        let fixture = try DiskCacheFixture()
        try fixture.cache.put("a", body: bytes(5))
        do {
            let writer = fixture.cache.writer(for: "a")
            try writer.append(bytes(100_000))
            #expect(fixture.folder.bodyFiles.count == 1)
            if explicitly { writer.abandon() }
        }
        #expect(fixture.folder.bodyFiles.isEmpty)
        #expect(fixture.cache.get("a")?.body == bytes(5))
    }

    @Test("entries are listed by prefix, the most recently used first")
    func listing() throws {
        let fixture = try DiskCacheFixture()
        for key in ["a/1", "a/2", "b/1", "a/3"] {
            try fixture.cache.put(key, body: bytes(10))
            fixture.clock.advance(by: 1)
        }
        _ = fixture.cache.get("a/1")
        #expect(try fixture.cache.entries(prefix: "a/").map(\.key) == ["a/1", "a/3", "a/2"])
        #expect(try fixture.cache.entries(limit: 2).map(\.key) == ["a/1", "a/3"])
        #expect(try fixture.cache.entries(prefix: "a_").isEmpty)
    }
}
