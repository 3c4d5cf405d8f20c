import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import HalcyonStore

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

    /// Completes a store that has begun.
    private func complete(
        _ store: DiskStore,
        of size: Int,
        for key: String,
        expiration: Expiration? = nil,
        durability: DiskCache.Durability = .normal,
        in cache: DiskCache
    ) throws -> Bool {
        try cache.complete(store, bytes(size, seed: 1), for: key, Data(), expiration, durability)
    }

    @Test(
        "a removal is final for a store that began before it, and for no other",
        arguments: Removal.allCases,
        [10, 20_000]
    )
    func store(removal: Removal, size: Int) async throws {
        for durability in DiskCache.Durability.allCases {
            let fixture = try fixture()
            let (cache, key) = (fixture.cache, key)
            try cache.store(bytes(1), for: key)
            let other = cache.beginStore(for: "other")
            held.arm()
            async let isStored = onThread { try cache.store(bytes(size), for: key, durability: durability) }
            await held.waitUntilReached()
            try removal.run(cache)
            held.release()
            #expect(try await !isStored)
            let isOtherStored = try complete(other, of: size, for: "other", durability: durability, in: cache)
            #expect(isOtherStored == (removal != .everything))
            try cache.flush()
            #expect(cache.entry(for: key) == nil)
            #expect(try cache.verify().isSound)
            #expect(fixture.folder.bodyFiles.count <= 1)
            #expect(try cache.store(bytes(size), for: key, durability: durability))
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
            let first = cache.beginStore(for: key)
            held.arm()
            async let isStored = onThread { try cache.store(bytes(size, seed: 2), for: key, durability: earlier) }
            await held.waitUntilReached()
            #expect(try cache.store(bytes(laterSize, seed: 3), for: key, durability: later))
            held.release()
            #expect(try await !isStored)
            #expect(try !complete(first, of: size, for: key, durability: earlier, in: cache))
            #expect(cache.entry(for: key)?.body == bytes(laterSize, seed: 3))
            try cache.flush()
            #expect(cache.entry(for: key)?.body == bytes(laterSize, seed: 3))
            #expect(try cache.verify().isSound)
        }
    }

    @Test("one that must not be stored removes nothing that was stored after it began")
    func refusedStore() throws {
        let fixture = try DiskCacheFixture()
        let earlier = fixture.cache.beginStore(for: key)
        try fixture.cache.store(bytes(20), for: key)
        #expect(try !complete(earlier, of: 10, for: key, expiration: .expired, in: fixture.cache))
        #expect(fixture.cache.entry(for: key)?.body == bytes(20))
    }

    @Test("stores after a removal are not affected by it, and neither are those of other keys")
    func laterStores() throws {
        let fixture = try DiskCacheFixture { $0.keyHash = { _ in 7 } }
        let other = fixture.cache.beginStore(for: "other")
        try fixture.cache.remove(for: key)
        #expect(try complete(other, of: 10, for: "other", in: fixture.cache))
        #expect(fixture.cache.contains("other"))
        #expect(try fixture.cache.store(bytes(11), for: key))
        #expect(fixture.cache.contains(key))
    }

    @Test("a removal on a disk that fails still takes what is only in memory")
    func failingDisk() throws {
        let refused = FileSystemError(code: 13)
        let fixture = try DiskCacheFixture {
            $0.fileSystem = FaultInjectingFileSystem(.errorFromNowOn(refused), atCall: 1, of: [.createFolder])
        }
        let earlier = fixture.cache.beginStore(for: key)
        try fixture.cache.store(bytes(2), for: key, durability: .none)
        #expect(throws: DiskCacheError.self) { try fixture.cache.remove(for: key) }
        #expect(fixture.cache.entry(for: key) == nil)
        #expect(try !complete(earlier, of: 1, for: key, durability: .none, in: fixture.cache))
    }
}
