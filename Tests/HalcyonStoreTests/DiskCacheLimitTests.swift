import FoundationEssentials
import HalcyonStore
import HalcyonSystem
import HalcyonTesting
import Testing

@Suite("The size limit of the disk cache")
struct DiskCacheLimitTests {
    @Test("each store keeps the limit, and goes down to the low-water mark once it is reached")
    func lowWater() throws {
        let fixture = try DiskCacheFixture {
            $0.sizeLimit = 10_100
            $0.lowWaterMark = 0.5
        }
        for number in 0..<100 {
            try fixture.cache.store(bytes(98), for: format(number))
            #expect(try fixture.cache.statistics().bytes <= 10_100)
            fixture.clock.advance(by: 1)
        }
        #expect(try fixture.cache.statistics().count == 100)
        try fixture.cache.store(bytes(200), for: "more")
        #expect(try fixture.cache.statistics().bytes <= 5_050)
        #expect(fixture.cache.contains("more"))
        #expect(try fixture.cache.verify().isSound)
    }

    private func format(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    @Test("eviction writes what waits once, however much is stored meanwhile")
    func storesMeanwhile() throws {
        struct State {
            var cache: DiskCache?
            var isStoring = false
            var storeCount = 0
        }
        let state = Lock(State())
        // Each removal of a file, which eviction and replacement make, finds a further replacement waiting.
        let fileSystem = FaultInjectingFileSystem(observing: { call in
            guard call == .removeFile else { return }
            let cache = state.withLock { state -> DiskCache? in
                // The store itself removes the file of an entry that waits.
                guard !state.isStoring, state.storeCount < 50, let cache = state.cache else { return nil }
                state.storeCount += 1
                state.isStoring = true
                return cache
            }
            guard let cache else { return }
            defer { state.withLock { $0.isStoring = false } }
            _ = try? cache.store(bytes(20_000, seed: state.withLock { $0.storeCount }), for: "a", durability: .none)
        })
        let fixture = try DiskCacheFixture {
            $0.fileSystem = fileSystem
            $0.sizeLimit = 30_000
            $0.lowWaterMark = 0.1
        }
        state.withLock { $0.cache = fixture.cache }
        try fixture.cache.store(bytes(20_000, seed: 100), for: "a")
        fixture.clock.advance(by: 1)
        try fixture.cache.store(bytes(20_000, seed: 101), for: "b")
        let storeCount = state.withLock { $0.storeCount }
        try fixture.cache.flush()
        #expect(state.withLock { $0.storeCount } - storeCount < 5)
        state.withLock { $0.cache = nil }
        #expect(try fixture.cache.statistics().bytes <= 30_000)
        #expect(try fixture.cache.verify().isSound)
    }

    @Test("threads that store at the same time leave the limit kept")
    func concurrentStores() async throws {
        let fixture = try DiskCacheFixture {
            $0.sizeLimit = 50_000
            $0.lowWaterMark = 0.9
        }
        let cache = fixture.cache
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    for number in 0..<100 {
                        _ = try? cache.store(bytes(1_000, seed: number), for: "\(thread)-\(number)", durability: .none)
                    }
                }
            }
        }
        try cache.flush()
        #expect(try cache.statistics().bytes <= 50_000)
        #expect(try cache.statistics().count > 20)
        #expect(try cache.verify().isSound)
    }

    @Test("the least recently used goes first, files too")
    func order() throws {
        let fixture = try DiskCacheFixture { $0.lowWaterMark = 1 }
        for number in 0..<10 {
            try fixture.cache.store(bytes(20_000, seed: number), for: "\(number)")
            fixture.clock.advance(by: 1)
        }
        for number in [0, 3] { #expect(fixture.cache.entry(for: "\(number)") != nil) }
        #expect(try fixture.cache.trim(to: 100_005) == 5)
        let left = Set(try fixture.cache.entries().map(\.key))
        #expect(left == ["0", "3", "7", "8", "9"])
        #expect(fixture.folder.bodyFiles.count == 5)
    }

    @Test("what expired goes before what is least recently used")
    func expiredFirst() throws {
        let fixture = try DiskCacheFixture()
        try fixture.cache.store(bytes(100), for: "old", expiration: .never)
        fixture.clock.advance(by: 1)
        try fixture.cache.store(bytes(100), for: "short", expiration: .seconds(1))
        fixture.clock.advance(by: 1)
        try fixture.cache.trim(to: 150)
        #expect(fixture.cache.contains("old"))
        #expect(!fixture.cache.contains("short"))
    }

    @Test("an entry larger than the limit is not stored, and evicts no other")
    func tooLarge() throws {
        let fixture = try DiskCacheFixture { $0.sizeLimit = 30_000 }
        try fixture.cache.store(bytes(10_000), for: "a")
        #expect(try !fixture.cache.store(bytes(30_000), for: "b"))
        #expect(fixture.cache.contains("a"))
        try fixture.cache.setSizeLimit(5_000)
        #expect(!fixture.cache.contains("a"))
    }

    @Test("a full index refuses the store with an error, keeps what it has and goes on")
    func fullIndex() throws {
        let fixture = try DiskCacheFixture { $0.indexPageLimit = 60 }
        var stored: [String] = []
        var failure: DiskCacheError?
        for number in 0..<100 where failure == nil {
            do throws(DiskCacheError) {
                try fixture.cache.store(bytes(8_000, seed: number), for: "\(number)")
                stored.append("\(number)")
            } catch {
                failure = error
            }
        }
        #expect(failure?.operation == .write)
        #expect(failure?.reason.contains("full") == true)
        #expect(throws: DiskCacheError.self) { try fixture.cache.store(bytes(8_000), for: "file") }
        #expect(stored.count > 10)
        for key in stored { #expect(fixture.cache.entry(for: key)?.body == bytes(8_000, seed: Int(key) ?? -1)) }
        #expect(try fixture.cache.verify().isSound)
        try fixture.cache.removeAll()
        #expect(try fixture.cache.store(bytes(8_000), for: "again"))
    }

    @Test("the lifetime that entries have by default can be changed while the cache runs")
    func liveExpiration() throws {
        let fixture = try DiskCacheFixture()
        try fixture.cache.store(bytes(1), for: "before")
        fixture.cache.expiration = .seconds(10)
        for durability in DiskCache.Durability.allCases {
            try fixture.cache.store(bytes(1), for: "\(durability)", durability: durability)
        }
        fixture.clock.advance(by: 10)
        #expect(fixture.cache.contains("before"))
        #expect(try fixture.cache.removeExpired() == 3)
        #expect(fixture.cache.expiration == .seconds(10))
    }

    @Test("what is evicted is exactly what was not used for longest, however often the rest was")
    func exactOrder() throws {
        let fixture = try DiskCacheFixture { $0.touchLimit = 7 }
        var order = (0..<400).map { "\($0)" }
        for key in order {
            try fixture.cache.store(bytes(100), for: key, durability: .none)
            fixture.clock.advance(by: 61)
        }
        var random = 1
        for _ in 0..<1_000 {
            random = (random &* 1_103_515_245 &+ 12_345) & 0x7fff_ffff
            let key = "\(random >> 8 & 511)"
            if fixture.cache.entry(for: key) != nil {
                order.removeAll { $0 == key }
                order.append(key)
            }
            fixture.clock.advance(by: 61)
        }
        for count in [399, 300, 299, 128, 5] {
            try fixture.cache.trim(to: order.suffix(count).reduce(0) { $0 + 100 + $1.utf8.count })
            #expect(Set(try fixture.cache.entries().map(\.key)) == Set(order.suffix(count)))
        }
        #expect(try fixture.cache.verify().isSound)
    }

    @Test("an entry whose expiry was moved goes when its new time is over, later or earlier than before")
    func movedExpiry() throws {
        let fixture = try DiskCacheFixture()
        for number in 0..<300 { try fixture.cache.store(bytes(1), for: "\(number)", expiration: .seconds(100)) }
        try fixture.cache.store(bytes(1), for: "shortened", expiration: .never)
        #expect(fixture.cache.entry(for: "shortened", extending: .to(.seconds(5))) != nil)
        fixture.clock.advance(by: 50)
        #expect(try fixture.cache.removeExpired() == 1)
        for number in 0..<290 { #expect(fixture.cache.entry(for: "\(number)") != nil) }
        fixture.clock.advance(by: 60)
        #expect(try fixture.cache.statistics().expiredCount == 10)
        #expect(try fixture.cache.removeExpired() == 10)
        fixture.clock.advance(by: 40)
        #expect(try fixture.cache.removeExpired() == 290)
    }

    @Test("the default limit is a tenth of what is free or the cache's own, and follows it while the cache runs")
    func defaultLimit() throws {
        let free = Lock(0)
        let fileSystem = FaultInjectingFileSystem(freeBytes: { free.withLock { $0 } })
        let first = try DiskCacheFixture {
            $0.sizeLimit = nil
            $0.fileSystem = fileSystem
            $0.lowWaterMark = 1
        }
        // A full disk leaves a limit that something fits into once there is room.
        #expect(first.cache.sizeLimit == 16 << 20)
        first.clock.advance(by: 61)
        free.withLock { $0 = 1_000 << 20 }
        #expect(first.cache.sizeLimit == 100 << 20)
        free.withLock { $0 = .max }
        #expect(first.cache.sizeLimit == 100 << 20, "it was worked out a moment ago")
        first.clock.advance(by: 61)
        #expect(first.cache.sizeLimit == 1 << 30)
        for number in 0..<4 { try first.cache.store(Data(repeating: UInt8(number), count: 6 << 20), for: "\(number)") }

        // Another cache of the folder, made when most of the space is taken by the entries.
        free.withLock { $0 = 216 << 20 }
        let second = try DiskCacheFixture(in: first.folder) {
            $0.sizeLimit = nil
            $0.fileSystem = fileSystem
        }
        #expect((24 << 20)...(25 << 20) ~= second.cache.sizeLimit)
        try second.cache.setSizeLimit(30 << 20)
        #expect(second.cache.sizeLimit == 30 << 20)
        try second.cache.store(bytes(1), for: "more")
        #expect(try second.cache.statistics().count == 5)

        // Less space, and the next store goes below the new limit.
        free.withLock { $0 = 156 << 20 }
        first.clock.advance(by: 61)
        try first.cache.store(bytes(1), for: "last")
        #expect(try first.cache.statistics().bytes <= 19 << 20)
        #expect(first.cache.contains("last"))
    }
}
