import FoundationEssentials
import HalcyonStore
import HalcyonSystem
import HalcyonTesting
import Testing

@Suite("A store that a removal or a later store overtakes")
struct DiskCacheOvertakingTests {
    /// What overtakes.
    enum Removal: CaseIterable {
        case key
        case prefix
        case variants
        case everything

        func run(_ cache: DiskCache) throws {
            switch self {
            case .key: try cache.remove(for: "a\0b")
            case .prefix: try cache.removeEntries(prefix: "a")
            case .variants: try cache.removeEntries(prefix: "a\0")
            case .everything: try cache.removeAll()
            }
        }
    }

    private let key = "a\0b"
    private let held = HeldCall()

    /// A cache whose next store is held once it has begun, after `held` was armed.
    private func fixture() throws -> DiskCacheFixture {
        let (held, manual) = (held, ManualStoreClock())
        return try DiskCacheFixture {
            let clock = manual.clock
            $0.clock = StoreClock(monotonic: clock.monotonic) {
                held.pass()
                return clock.now()
            }
        }
    }

    @Test("a removal is final for a writer that began before it", arguments: Removal.allCases, [10, 20_000])
    func writer(removal: Removal, size: Int) throws {
        for durability in DiskCache.Durability.allCases {
            let fixture = try DiskCacheFixture()
            let cache = fixture.cache
            let writer = cache.writer(for: key)
            let other = cache.writer(for: "other")
            try writer.append(bytes(size))
            try other.append(bytes(size, seed: 1))
            try removal.run(cache)
            #expect(try !writer.commit(durability: durability))
            #expect(try other.commit(durability: durability) == (removal != .everything))
            try cache.flush()
            #expect(cache.entry(for: key) == nil)
            #expect(try cache.verify().isSound)
            #expect(fixture.folder.bodyFiles.count <= 1)
            #expect(try cache.store(bytes(size), for: key, durability: durability))
        }
    }

    @Test("a removal is final for a store that began before it", arguments: Removal.allCases, [10, 20_000])
    func store(removal: Removal, size: Int) async throws {
        for durability in DiskCache.Durability.allCases {
            let fixture = try fixture()
            let (cache, key) = (fixture.cache, key)
            try cache.store(bytes(1), for: key)
            held.arm()
            async let isStored = onThread { try cache.store(bytes(size), for: key, durability: durability) }
            await held.waitUntilReached()
            try removal.run(cache)
            held.release()
            #expect(try await !isStored)
            try cache.flush()
            #expect(cache.entry(for: key) == nil)
            #expect(try cache.verify().isSound)
        }
    }

    @Test("a removal is final for a store that is writing its file", arguments: Removal.allCases)
    func file(removal: Removal) async throws {
        let held = held
        let fixture = try DiskCacheFixture {
            $0.fileSystem = FaultInjectingFileSystem(observing: { if $0 == .rename { held.pass() } })
        }
        let (cache, key) = (fixture.cache, key)
        held.arm()
        async let isStored = onThread { try cache.store(bytes(20_000), for: key) }
        await held.waitUntilReached()
        try removal.run(cache)
        held.release()
        #expect(try await !isStored)
        #expect(cache.entry(for: key) == nil)
        #expect(fixture.folder.bodyFiles.isEmpty)
    }

    @Test("a later store wins over one that began before it", arguments: [10, 20_000], [10, 20_000])
    func laterStore(size: Int, laterSize: Int) async throws {
        for (earlier, later) in DiskCache.Durability.allCases.flatMap({ one in
            DiskCache.Durability.allCases.map { (one, $0) }
        }) {
            let fixture = try fixture()
            let (cache, key) = (fixture.cache, key)
            try cache.open()
            let writer = cache.writer(for: key)
            try writer.append(bytes(size, seed: 1))
            held.arm()
            async let isStored = onThread { try cache.store(bytes(size, seed: 2), for: key, durability: earlier) }
            await held.waitUntilReached()
            #expect(try cache.store(bytes(laterSize, seed: 3), for: key, durability: later))
            held.release()
            #expect(try await !isStored)
            #expect(try !writer.commit(durability: earlier))
            #expect(cache.entry(for: key)?.body == bytes(laterSize, seed: 3))
            try cache.flush()
            #expect(cache.entry(for: key)?.body == bytes(laterSize, seed: 3))
            #expect(try cache.verify().isSound)
        }
    }

    @Test("one that must not be stored removes nothing that was stored after it began")
    func refusedStore() throws {
        let fixture = try DiskCacheFixture()
        let writer = fixture.cache.writer(for: key)
        try writer.append(bytes(10))
        try fixture.cache.store(bytes(20), for: key)
        #expect(try !writer.commit(expiration: .expired))
        #expect(fixture.cache.entry(for: key)?.body == bytes(20))
    }

    @Test("stores after a removal are not affected by it, and neither are those of other keys")
    func laterStores() throws {
        let fixture = try DiskCacheFixture { $0.keyHash = { _ in 7 } }
        let writer = fixture.cache.writer(for: "other")
        try writer.append(bytes(10))
        try fixture.cache.remove(for: key)
        #expect(try writer.commit())
        #expect(fixture.cache.contains("other"))
        let later = fixture.cache.writer(for: key)
        try later.append(bytes(11))
        #expect(try later.commit())
        #expect(fixture.cache.contains(key))
    }

    @Test("a removal on a disk that fails still takes what is only in memory")
    func failingDisk() throws {
        let refused = FileSystemError(code: 13)
        let fixture = try DiskCacheFixture {
            $0.fileSystem = FaultInjectingFileSystem(.errorFromNowOn(refused), atCall: 1, of: [.createFolder])
        }
        let writer = fixture.cache.writer(for: key)
        try writer.append(bytes(1))
        try fixture.cache.store(bytes(2), for: key, durability: .none)
        #expect(throws: DiskCacheError.self) { try fixture.cache.remove(for: key) }
        #expect(fixture.cache.entry(for: key) == nil)
        #expect(try !writer.commit(durability: .none))
    }

    @Test("a handler of events may use the writer whose commit it hears of")
    func eventDuringCommit() throws {
        let sizes = Lock<[Int]>([])
        let writers = Lock<[DiskCache.Writer]>([])
        let fixture = try DiskCacheFixture {
            $0.onEvent = { _ in
                let size = writers.withLock { $0 }.first?.size
                sizes.withLock { $0 += size.map { [$0] } ?? [] }
            }
        }
        try fixture.cache.store(bytes(1), for: "b")
        let writer = fixture.cache.writer(for: key)
        writers.withLock { $0 = [writer] }
        try writer.append(bytes(10))
        try FileManager.default.removeItem(atPath: fixture.folder.path)
        // The folder is found to be gone, which is told, and made again.
        #expect(try writer.commit())
        #expect(sizes.withLock { $0 } == [10])
        writers.withLock { $0 = [] }
    }
}
