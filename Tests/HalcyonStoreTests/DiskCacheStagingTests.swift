import FoundationEssentials
import HalcyonStore
import HalcyonSystem
import HalcyonTesting
import Testing

@Suite("Entries of the disk cache that wait for a common transaction")
struct DiskCacheStagingTests {
    private func pair() throws -> (DiskCacheFixture, DiskCacheFixture) {
        let one = try DiskCacheFixture()
        return (one, try DiskCacheFixture(in: one.folder, clock: one.clock))
    }

    @Test("are found at once here, and elsewhere after a flush")
    func visibility() throws {
        let (one, two) = try pair()
        try one.cache.store(bytes(10), for: "a", metadata: Data([7]), durability: .none)
        #expect(one.cache.entry(for: "a")?.body == bytes(10))
        #expect(one.cache.entry(for: "a")?.metadata == Data([7]))
        #expect(one.cache.contains("a"))
        #expect(two.cache.entry(for: "a") == nil)
        try one.cache.flush()
        #expect(two.cache.entry(for: "a")?.body == bytes(10))
        #expect(one.cache.entry(for: "a")?.body == bytes(10))
    }

    @Test("are written when they are many, or large, or old, and when the cache ends")
    func bounds() throws {
        let (one, two) = try pair()
        for number in 0..<128 { try one.cache.store(bytes(10), for: "\(number)", durability: .none) }
        #expect(try two.cache.statistics().count == 128)
        for number in 0..<70 { try one.cache.store(bytes(15_500), for: "large \(number)", durability: .none) }
        #expect(try two.cache.statistics().count == 128 + 68)
        try one.cache.flush()
        try one.cache.store(bytes(1), for: "first", durability: .none)
        one.clock.advance(by: 1.5)
        try one.cache.store(bytes(1), for: "second", durability: .none)
        #expect(two.cache.contains("first") && two.cache.contains("second"))
        try one.cache.store(bytes(1), for: "last", durability: .none)
        try one.cache.close()
        #expect(two.cache.contains("last"))
    }

    @Test("are not written where another process has replaced what they were made of", arguments: [1, 100_000])
    func replacedBasis(size: Int) throws {
        let (one, two) = try pair()
        let basis = DiskCache.OriginalReference("a", hash: Checksum.hash(of: bytes(1, seed: 1)), at: one.clock.date)
        func store(_ durability: DiskCache.Durability) throws -> Bool {
            try one.cache.store(
                bytes(size),
                for: "b",
                madeOf: basis,
                metadata: Data(),
                expiration: nil,
                durability: durability
            )
        }
        try two.cache.store(bytes(1, seed: 2), for: "a")
        #expect(try store(.none))
        try one.cache.flush()
        #expect(two.cache.contains("b"), "what they were made of is not older")
        #expect(try two.cache.remove(for: "b"))
        #expect(try store(.none))
        one.clock.advance(by: 1)
        try two.cache.store(bytes(1, seed: 2), for: "a")
        try one.cache.flush()
        #expect(!one.cache.contains("b"))
        #expect(try !store(.normal))
        #expect(try two.cache.statistics().count == 1)
        #expect(one.folder.bodyFiles.isEmpty)
    }

    @Test("are not written if the original was removed since its server was asked, by a clock that is not ahead")
    func removedBasis() throws {
        let (one, two) = try pair()
        let hash = Checksum.hash(of: bytes(1, seed: 1))
        func store() throws -> Bool {
            let basis = DiskCache.OriginalReference("a", hash: hash, at: one.clock.date, isAnswer: true)
            one.clock.advance(by: 1)
            return try one.cache.store(
                bytes(1),
                for: "b",
                madeOf: basis,
                metadata: Data(),
                expiration: nil,
                durability: .normal
            )
        }
        try two.cache.noteRemoval(of: "a", at: one.clock.date.addingTimeInterval(0.5))
        #expect(try !store())
        #expect(try store(), "the removal was before the question")
        for key in ["a", nil] {
            // Of a machine whose clock is an hour ahead.
            try two.cache.noteRemoval(of: key, at: one.clock.date.addingTimeInterval(3_600))
            #expect(try store())
        }
        try two.cache.noteRemoval(of: nil, at: one.clock.date.addingTimeInterval(0.5))
        #expect(try !store(), "a removal of everything is one of each")
    }

    @Test("give way to what is stored, removed or cleared after them")
    func order() throws {
        let (one, _) = try pair()
        try one.cache.store(bytes(1, seed: 1), for: "a", durability: .none)
        try one.cache.store(bytes(1, seed: 2), for: "a", durability: .none)
        #expect(one.cache.entry(for: "a")?.body == bytes(1, seed: 2))
        try one.cache.store(bytes(1, seed: 3), for: "a")
        try one.cache.flush()
        #expect(one.cache.entry(for: "a")?.body == bytes(1, seed: 3))
        try one.cache.store(bytes(1, seed: 4), for: "a", durability: .none)
        #expect(try one.cache.remove(for: "a"))
        try one.cache.flush()
        #expect(one.cache.entry(for: "a") == nil)
        try one.cache.store(bytes(1), for: "b", durability: .none)
        #expect(try one.cache.remove(for: "b"))
        try one.cache.store(bytes(1), for: "c", durability: .none)
        try one.cache.removeAll()
        try one.cache.flush()
        #expect(try one.cache.statistics().count == 0)
    }

    @Test("expire, are extended and take new metadata like any other")
    func lifetime() throws {
        let (one, two) = try pair()
        try one.cache.store(bytes(1), for: "a", expiration: .seconds(10), durability: .none)
        one.clock.advance(by: 6)
        #expect(one.cache.entry(for: "a") != nil)
        one.clock.advance(by: 6)
        #expect(one.cache.entry(for: "a", extending: .none) != nil)
        try one.cache.flush()
        #expect(two.cache.contains("a"))
        try one.cache.store(bytes(1), for: "b", expiration: .seconds(1), durability: .none)
        #expect(try one.cache.updateMetadata(Data([1]), for: "b"))
        #expect(one.cache.entry(for: "b", extending: .none)?.metadata == Data([1]))
        one.clock.advance(by: 1)
        #expect(one.cache.entry(for: "b") == nil)
    }

    @Test("keep the size limit once written")
    func limit() throws {
        let fixture = try DiskCacheFixture { $0.sizeLimit = 10_000 }
        for number in 0..<500 {
            try fixture.cache.store(bytes(100), for: "\(number)", durability: .none)
            fixture.clock.advance(by: 0.001)
        }
        #expect(try fixture.cache.statistics().bytes <= 10_000)
        #expect(fixture.cache.contains("499"))
    }

    @Test("are given up where the folder cannot be used, which is thrown once")
    func unusable() throws {
        let refused = FileSystemError(code: 13)
        let fileSystem = FaultInjectingFileSystem(.errorFromNowOn(refused), atCall: 1, of: [.createFolder])
        let fixture = try DiskCacheFixture { $0.fileSystem = fileSystem }
        try fixture.cache.store(bytes(1), for: "a", durability: .none)
        #expect(throws: DiskCacheError.self) { try fixture.cache.flush() }
        try fixture.cache.flush()
    }
}
