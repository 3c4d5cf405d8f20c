import FoundationEssentials
import HalcyonStore
import HalcyonTesting
import Testing

@Suite("Metadata and files of the disk cache")
struct DiskCacheMetadataTests {
    @Test("metadata is replaced without touching the body", arguments: [10, 20_000])
    func update(size: Int) throws {
        let fixture = try DiskCacheFixture()
        try fixture.cache.store(bytes(size), for: "a", metadata: Data("old".utf8))
        let files = fixture.folder.bodyFiles
        #expect(try fixture.cache.updateMetadata(Data("new, and longer".utf8), for: "a"))
        let entry = fixture.cache.entry(for: "a", extending: .none)
        #expect(entry?.body == bytes(size))
        #expect(entry?.metadata == Data("new, and longer".utf8))
        #expect(entry?.expiresAt == fixture.clock.date + 7 * 86_400)
        #expect(fixture.folder.bodyFiles == files)
        #expect(try fixture.cache.verify().isSound)
        #expect(try fixture.cache.statistics().bytes == size + 15 + 1)
    }

    @Test("a new lifetime counts from the update and is what accesses restart")
    func lifetime() throws {
        let fixture = try DiskCacheFixture()
        try fixture.cache.store(bytes(1), for: "a")
        _ = fixture.cache.entry(for: "a")
        fixture.clock.advance(by: 10)
        #expect(try fixture.cache.updateMetadata(Data(), for: "a", expiration: .seconds(60)))
        #expect(fixture.cache.entry(for: "a", extending: .none)?.expiresAt == fixture.clock.date + 60)
        fixture.clock.advance(by: 30)
        #expect(fixture.cache.entry(for: "a")?.expiresAt == fixture.clock.date + 60)
        #expect(try fixture.cache.updateMetadata(Data(), for: "a", expiration: .expired))
        #expect(fixture.cache.entry(for: "a") == nil)
    }

    @Test("there is nothing to update where no entry is, or its time is over")
    func absent() throws {
        let fixture = try DiskCacheFixture()
        #expect(try !fixture.cache.updateMetadata(Data([1]), for: "a"))
        try fixture.cache.store(bytes(1), for: "a", expiration: .seconds(1))
        fixture.clock.advance(by: 1)
        #expect(try !fixture.cache.updateMetadata(Data([1]), for: "a", expiration: .never))
        #expect(fixture.cache.entry(for: "a") == nil)
    }

    @Test("metadata that grows counts against the limit")
    func limit() throws {
        let fixture = try DiskCacheFixture {
            $0.sizeLimit = 1_000
            $0.lowWaterMark = 1
        }
        try fixture.cache.store(bytes(400), for: "a")
        fixture.clock.advance(by: 1)
        try fixture.cache.store(bytes(400), for: "b")
        #expect(try fixture.cache.updateMetadata(Data(bytes(300)), for: "b"))
        #expect(try fixture.cache.entries().map(\.key) == ["b"])
    }

    @Test("only a body that is a file has a path, and the file is the body")
    func location() throws {
        let fixture = try DiskCacheFixture()
        try fixture.cache.store(bytes(10), for: "small")
        try fixture.cache.store(bytes(20_000), for: "large", expiration: .seconds(60))
        #expect(try fixture.cache.fileLocation(for: "small") == nil)
        #expect(try fixture.cache.fileLocation(for: "absent") == nil)
        let path = try #require(try fixture.cache.fileLocation(for: "large"))
        #expect(FileManager.default.contents(atPath: path) == bytes(20_000))
        fixture.clock.advance(by: 60)
        #expect(try fixture.cache.fileLocation(for: "large") == nil)
    }

    @Test("entries with equal bytes share one file until the last is gone")
    func sharing() throws {
        let fixture = try DiskCacheFixture()
        let body = bytes(50_000)
        func store(_ key: String, _ metadata: String) throws {
            try fixture.cache.store(body, for: key, metadata: Data(metadata.utf8))
        }
        for key in ["a", "b", "c"] { try store(key, key) }
        #expect(fixture.folder.bodyFiles.count == 1)
        for key in ["a", "b", "c"] {
            #expect(fixture.cache.entry(for: key)?.body == body)
            #expect(fixture.cache.entry(for: key)?.metadata == Data(key.utf8))
        }
        try store("a", "again")
        try fixture.cache.remove(for: "a")
        try fixture.cache.store(bytes(30_000, seed: 2), for: "b")
        #expect(fixture.folder.bodyFiles.count == 2)
        #expect(fixture.cache.entry(for: "c")?.body == body)
        #expect(try fixture.cache.verify().isSound)
        try fixture.cache.remove(for: "c")
        #expect(fixture.folder.bodyFiles.count == 1)
    }

    @Test("a damaged file is not shared")
    func damagedFile() throws {
        let fixture = try DiskCacheFixture()
        try fixture.cache.store(bytes(50_000), for: "a")
        let path = try #require(try fixture.cache.fileLocation(for: "a"))
        var damaged = bytes(50_000)
        damaged[40_000] ^= 1
        try damaged.write(to: URL(fileURLWithPath: path))
        try fixture.cache.store(bytes(50_000), for: "b")
        #expect(fixture.cache.entry(for: "b")?.body == bytes(50_000))
        #expect(fixture.cache.entry(for: "a") == nil)
        #expect(fixture.cache.entry(for: "b")?.body == bytes(50_000))
    }
}
