import FoundationEssentials
import HalcyonStore
import HalcyonTesting
import Testing

@Suite("The size limit of the disk cache")
struct DiskCacheLimitTests {
    @Test("each put keeps the limit, and goes down to the low-water mark once it is reached (N-26, BB-26)")
    func lowWater() throws {
        let fixture = try DiskCacheFixture {
            $0.sizeLimit = 10_100
            $0.lowWaterMark = 0.5
        }
        for number in 0..<100 {
            try fixture.cache.put(format(number), body: bytes(98))
            #expect(try fixture.cache.statistics().bytes <= 10_100)
            fixture.clock.advance(by: 1)
        }
        #expect(try fixture.cache.statistics().count == 100)
        try fixture.cache.put("more", body: bytes(200))
        #expect(try fixture.cache.statistics().bytes <= 5_050)
        #expect(fixture.cache.contains("more"))
        #expect(try fixture.cache.verify().isSound)
    }

    private func format(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    @Test("the least recently used goes first, files too")
    func order() throws {
        let fixture = try DiskCacheFixture { $0.lowWaterMark = 1 }
        for number in 0..<10 {
            try fixture.cache.put("\(number)", body: bytes(20_000, seed: number))
            fixture.clock.advance(by: 1)
        }
        for number in [0, 3] { #expect(fixture.cache.get("\(number)") != nil) }
        #expect(try fixture.cache.trim(to: 100_005) == 5)
        let left = Set(try fixture.cache.entries().map(\.key))
        #expect(left == ["0", "3", "7", "8", "9"])
        #expect(fixture.folder.bodyFiles.count == 5)
    }

    @Test("what expired goes before what is least recently used")
    func expiredFirst() throws {
        let fixture = try DiskCacheFixture()
        try fixture.cache.put("old", body: bytes(100), expiration: .never)
        fixture.clock.advance(by: 1)
        try fixture.cache.put("short", body: bytes(100), expiration: .seconds(1))
        fixture.clock.advance(by: 1)
        try fixture.cache.trim(to: 150)
        #expect(fixture.cache.contains("old"))
        #expect(!fixture.cache.contains("short"))
    }

    @Test("an entry larger than the limit is not stored, and evicts no other")
    func tooLarge() throws {
        let fixture = try DiskCacheFixture { $0.sizeLimit = 30_000 }
        try fixture.cache.put("a", body: bytes(10_000))
        #expect(try !fixture.cache.put("b", body: bytes(30_000)))
        #expect(fixture.cache.contains("a"))
        try fixture.cache.setSizeLimit(5_000)
        #expect(!fixture.cache.contains("a"))
    }

    @Test("a full index refuses the put with an error, keeps what it has and goes on")
    func fullIndex() throws {
        let fixture = try DiskCacheFixture { $0.indexPageLimit = 60 }
        var stored: [String] = []
        var failure: DiskCacheError?
        for number in 0..<100 where failure == nil {
            do throws(DiskCacheError) {
                try fixture.cache.put("\(number)", body: bytes(8_000, seed: number))
                stored.append("\(number)")
            } catch {
                failure = error
            }
        }
        #expect(failure?.operation == .write)
        #expect(failure?.reason.contains("full") == true)
        #expect(throws: DiskCacheError.self) { try fixture.cache.put("file", body: bytes(8_000)) }
        #expect(stored.count > 10)
        for key in stored { #expect(fixture.cache.get(key)?.body == bytes(8_000, seed: Int(key) ?? -1)) }
        #expect(try fixture.cache.verify().isSound)
        try fixture.cache.removeAll()
        #expect(try fixture.cache.put("again", body: bytes(8_000)))
    }
}
