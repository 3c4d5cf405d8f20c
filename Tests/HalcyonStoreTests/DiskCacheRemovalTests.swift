import FoundationEssentials
import HalcyonStore
import HalcyonTesting
import Testing

@Suite("What the disk cache removes")
struct DiskCacheRemovalTests {
    @Test("a prefix removes exactly the keys that begin with its bytes", arguments: [10, 20_000])
    func prefix(size: Int) throws {
        let fixture = try DiskCacheFixture()
        let keys = ["", "a", "a/", "a/1", "a/2", "a0", "b", "a/é", "a/\u{10ffff}", "a/\0", "A/1", "a/e\u{301}"]
        for (number, key) in keys.enumerated() { try fixture.cache.store(bytes(size, seed: number), for: key) }
        for number in 0..<300 { try fixture.cache.store(bytes(10, seed: number), for: "a/many/\(number)") }
        let wanted = keys.filter { $0.utf8.starts(with: "a/".utf8) }.count + 300
        #expect(try fixture.cache.removeEntries(prefix: "a/") == wanted)
        let left = Set(try fixture.cache.entries().map(\.key))
        #expect(left == ["", "a", "a0", "b", "A/1"])
        #expect(fixture.folder.bodyFiles.count == (size > 16_384 ? 5 : 0))
        #expect(try fixture.cache.removeEntries(prefix: "") == 5)
        #expect(try fixture.cache.verify().isSound)
    }

    @Test("a predicate sees each entry and removes what it picks")
    func predicate() throws {
        let fixture = try DiskCacheFixture()
        for number in 0..<300 { try fixture.cache.store(bytes(number, seed: number), for: "\(number)") }
        var seen: [String] = []
        let count = try fixture.cache.removeEntries { entry in
            seen.append(entry.key)
            return entry.bodySize >= 100
        }
        #expect(count == 200)
        #expect(Set(seen).count == 300 && seen.count == 300)
        #expect(try fixture.cache.statistics().count == 100)
    }

    @Test("a predicate may use the cache, and what it replaces stays")
    func reentrantPredicate() throws {
        let fixture = try DiskCacheFixture()
        try fixture.cache.store(bytes(1), for: "a")
        let count = try fixture.cache.removeEntries { _ in
            fixture.clock.advance(by: 1)
            do { try fixture.cache.store(bytes(2), for: "a") } catch { Issue.record(error) }
            return true
        }
        #expect(count == 0)
        #expect(fixture.cache.entry(for: "a")?.body == bytes(2))
    }

    @Test("each listener hears of exactly what went, and why")
    func stream() async throws {
        let fixture = try DiskCacheFixture { $0.lowWaterMark = 1 }
        let cache = fixture.cache
        try cache.store(bytes(1), for: "before")
        try cache.remove(for: "before")
        let (one, two) = (cache.removals, cache.removals)
        try cache.store(bytes(1), for: "removed")
        try cache.store(bytes(1), for: "replaced")
        try cache.store(bytes(2), for: "replaced")
        try cache.store(bytes(1), for: "short", expiration: .seconds(1))
        try cache.store(bytes(20_000), for: "damaged")
        try cache.remove(for: "removed")
        try cache.remove(for: "never there")
        fixture.clock.advance(by: 2)
        try cache.removeExpired()
        try FileManager.default.removeItem(atPath: fixture.folder.path + "/" + fixture.folder.bodyFiles[0])
        #expect(cache.entry(for: "damaged") == nil)
        fixture.clock.advance(by: 1)
        try cache.store(bytes(100), for: "new")
        try cache.trim(to: 110)
        try cache.removeAll()
        let wanted: [CacheRemoval<String>] = [
            .init(key: "removed", reason: .removed), .init(key: "short", reason: .expired),
            .init(key: "damaged", reason: .damaged), .init(key: "replaced", reason: .evicted),
            .init(key: "new", reason: .cleared),
        ]
        for stream in [one, two] {
            var heard: [CacheRemoval<String>] = []
            for await removal in stream.prefix(wanted.count) { heard.append(removal) }
            #expect(heard == wanted)
        }
    }

    @Test("a clean removes the folder of an earlier layout, and follows no link out of it")
    func earlierLayout() throws {
        let fixture = try DiskCacheFixture()
        let old = fixture.folder.path + "/v1/bodies/a"
        try FileManager.default.createDirectory(atPath: old, withIntermediateDirectories: true)
        try bytes(10).write(to: URL(fileURLWithPath: old + "/body"))
        let other = try TemporaryFolder()
        try bytes(10).write(to: URL(fileURLWithPath: other.path + "/kept"))
        try FileManager.default.createSymbolicLink(atPath: old + "/link", withDestinationPath: other.path)
        try fixture.cache.store(bytes(1), for: "a")
        #expect(try fixture.cache.removeExpired() == 0)
        #expect(!FileManager.default.fileExists(atPath: fixture.folder.path + "/v1"))
        #expect(other.files == ["kept"])
        #expect(fixture.cache.contains("a"))
    }

    @Test("a stream ends with its cache")
    func streamEnds() async throws {
        var fixture: DiskCacheFixture? = try DiskCacheFixture()
        let stream = try #require(fixture?.cache.removals)
        try fixture?.cache.store(bytes(1), for: "a")
        try fixture?.cache.remove(for: "a")
        fixture = nil
        var count = 0
        for await _ in stream { count += 1 }
        #expect(count == 1)
    }
}
