import FoundationEssentials
import HalcyonStore
import HalcyonTesting
import Testing

@Suite("Entries with files that wait for a common transaction")
struct DiskCacheStagedFileTests {
    private let size = 40_000

    private func pair() throws -> (DiskCacheFixture, DiskCacheFixture) {
        let one = try DiskCacheFixture()
        return (one, try DiskCacheFixture(in: one.folder, clock: one.clock))
    }

    @Test("are found at once here, and elsewhere after a flush")
    func visibility() throws {
        let (one, two) = try pair()
        try one.cache.store(bytes(size), for: "a", metadata: Data([7]), durability: .none)
        #expect(one.cache.entry(for: "a")?.body == bytes(size))
        #expect(one.cache.entry(for: "a")?.metadata == Data([7]))
        #expect(one.cache.contains("a"))
        #expect(two.cache.entry(for: "a") == nil)
        try one.cache.flush()
        #expect(two.cache.entry(for: "a")?.body == bytes(size))
        #expect(one.cache.entry(for: "a")?.body == bytes(size))
        #expect(try one.cache.verify().isSound)
    }

    @Test("are written when there are 32, and when their files are large")
    func bounds() throws {
        let (one, two) = try pair()
        for number in 0..<33 { try one.cache.store(bytes(size, seed: number), for: "\(number)", durability: .none) }
        #expect(try two.cache.statistics().count == 32)
        try one.cache.flush()
        for number in 0..<3 {
            try one.cache.store(bytes(6 << 20, seed: number), for: "large \(number)", durability: .none)
        }
        #expect(try two.cache.statistics().count == 36)
    }

    @Test("are no leftovers for a cache that cleans meanwhile")
    func cleaning() throws {
        let (one, two) = try pair()
        try one.cache.store(bytes(size), for: "a", durability: .none)
        try two.cache.removeExpired()
        try two.cache.removeAll()
        try one.cache.flush()
        #expect(two.cache.entry(for: "a")?.body == bytes(size))
    }

    @Test("leave no file when they are removed, replaced or cleared first")
    func order() throws {
        let (one, _) = try pair()
        try one.cache.store(bytes(size, seed: 1), for: "a", durability: .none)
        try one.cache.store(bytes(size, seed: 2), for: "a", durability: .none)
        #expect(one.cache.entry(for: "a")?.body == bytes(size, seed: 2))
        #expect(one.folder.bodyFiles.count == 1)
        #expect(try one.cache.remove(for: "a"))
        #expect(one.folder.bodyFiles.isEmpty)
        try one.cache.store(bytes(size, seed: 3), for: "b", durability: .none)
        try one.cache.store(bytes(size, seed: 4), for: "b")
        #expect(one.cache.entry(for: "b")?.body == bytes(size, seed: 4))
        #expect(one.folder.bodyFiles.count == 1)
        try one.cache.store(bytes(size, seed: 5), for: "c", durability: .none)
        try one.cache.removeAll()
        try one.cache.flush()
        #expect(one.folder.bodyFiles.isEmpty)
        #expect(try one.cache.statistics().count == 0)
    }

    @Test("with the same bytes have one file")
    func sharing() throws {
        let (one, _) = try pair()
        for key in ["a", "b"] { try one.cache.store(bytes(size), for: key, durability: .none) }
        #expect(try one.cache.remove(for: "a"))
        #expect(one.cache.entry(for: "b")?.body == bytes(size))
        try one.cache.flush()
        try one.cache.store(bytes(size), for: "c", durability: .none)
        #expect(one.folder.bodyFiles.count == 1)
        try one.cache.flush()
        #expect(try one.cache.remove(for: "b"))
        #expect(one.cache.entry(for: "c")?.body == bytes(size))
        #expect(try one.cache.verify().isSound)
    }

    @Test("whose shared file goes before they are written are gone, and what they replace with them")
    func sharedFileIsGone() throws {
        let (one, two) = try pair()
        try one.cache.store(bytes(size), for: "a")
        try one.cache.store(bytes(size, seed: 1), for: "b")
        try one.cache.store(bytes(size), for: "b", durability: .none)
        #expect(try two.cache.remove(for: "a"))
        #expect(one.cache.entry(for: "b") == nil)
        try one.cache.store(bytes(size, seed: 2), for: "c")
        try one.cache.store(bytes(size, seed: 3), for: "d")
        try one.cache.store(bytes(size, seed: 2), for: "d", durability: .none)
        #expect(try two.cache.remove(for: "c"))
        try one.cache.flush()
        #expect(one.cache.entry(for: "d") == nil)
        #expect(one.folder.bodyFiles.isEmpty)
        #expect(try one.cache.verify().isSound)
    }

    @Test("whose file was removed by others are a miss, as is what they replace", arguments: [false, true])
    func lostFile(isFlushed: Bool) throws {
        let (one, _) = try pair()
        try one.cache.store(bytes(10, seed: 1), for: "a")
        try one.cache.store(bytes(size, seed: 2), for: "a", durability: .none)
        for file in one.folder.bodyFiles { try FileManager.default.removeItem(atPath: one.folder.path + "/" + file) }
        if isFlushed { try one.cache.flush() }
        #expect(one.cache.entry(for: "a") == nil)
        #expect(one.cache.entry(for: "a") == nil)
        try one.cache.store(bytes(size, seed: 3), for: "a", durability: .none)
        #expect(one.cache.entry(for: "a")?.body == bytes(size, seed: 3))
    }

    @Test("take new metadata and keep their file")
    func metadata() throws {
        let (one, two) = try pair()
        try one.cache.store(bytes(size), for: "a", durability: .none)
        #expect(try one.cache.updateMetadata(Data([1]), for: "a"))
        try one.cache.flush()
        #expect(two.cache.entry(for: "a")?.metadata == Data([1]))
        #expect(two.cache.entry(for: "a")?.body == bytes(size))
    }

    @Test("are given up with their files where the index cannot be written, whichever call fails")
    func faults() throws {
        for number in 1...200 {
            let faults = FaultInjectingFileSystem(.error(.inputOutput), atCall: number)
            let fixture = try DiskCacheFixture { $0.fileSystem = faults }
            for seed in 0..<3 {
                _ = try? fixture.cache.store(bytes(size, seed: seed), for: "\(seed)", durability: .none)
            }
            try? fixture.cache.flush()
            let found = (0..<3).filter { seed in
                guard let entry = fixture.cache.entry(for: "\(seed)") else { return false }
                return entry.body == bytes(size, seed: seed)
            }
            let hasFired = faults.hasFired
            try? fixture.cache.close()
            try DiskCacheFixture(in: fixture.folder).cache.removeAll()
            #expect(fixture.folder.bodyFiles.isEmpty, "call \(number), \(String(describing: faults.firedAt))")
            if !hasFired {
                #expect(found.count == 3)
                return
            }
        }
        Issue.record("the calls do not end")
    }
}
