import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import HalcyonStore

@Suite("Files without an entry go in the background")
struct DiskCacheOrphanTests {
    private let sweepClock = ManualClock()
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func fixture(_ fileSystem: any FileSystem = POSIXFileSystem()) throws -> DiskCacheFixture {
        let sweepClock = sweepClock
        return try DiskCacheFixture(in: folder) {
            $0.sweepInterval = .seconds(600)
            $0.sweepClock = sweepClock
            $0.fileSystem = fileSystem
        }
    }

    /// What processes leave that end before the entries of their files are in the index.
    private func leaveOrphans(_ count: Int, published: Bool = true) throws {
        let layout = DiskLayout(folder: folder.path)
        let fileSystem = POSIXFileSystem()
        for number in 0..<count {
            let file = Int64(bitPattern: UInt64(truncatingIfNeeded: number) &* 0x9e37_79b9_7f4a_7c15) & .max
            try fileSystem.createFolders(published ? layout.bodyFolder(file) : layout.incoming)
            fileSystem.close(try fileSystem.create(published ? layout.body(file) : layout.incoming(file)))
        }
    }

    /// Lets the sweep take its next step, and waits until it sleeps again.
    private func step(_ duration: Duration) async {
        await sweepClock.waitForSleepers(1)
        sweepClock.advance(by: duration)
        await sweepClock.waitForSleepers(1)
    }

    @Test("a second after the folder is opened, but not those that are being written")
    func opening() async throws {
        try leaveOrphans(3)
        try leaveOrphans(2, published: false)
        let other = try DiskCacheFixture(in: folder)
        try other.cache.store(bytes(20_000, seed: 1), for: "waits", durability: .none)
        let writing = try IncomingFile(other.cache.layout, other.cache.fileSystem)
        let fixture = try fixture()
        try fixture.cache.store(bytes(20_000, seed: 3), for: "is there")
        try fixture.cache.store(bytes(20_000, seed: 4), for: "waits here", durability: .none)
        #expect(folder.bodyFiles.count == 9)
        await step(.seconds(1))
        #expect(folder.bodyFiles.count == 4)
        writing.close()
        #expect(folder.bodyFiles.count == 3)
        try other.cache.flush()
        try fixture.cache.flush()
        for (seed, key) in [(1, "waits"), (3, "is there"), (4, "waits here")] {
            #expect(fixture.cache.entry(for: key)?.body == bytes(20_000, seed: seed))
        }
        #expect(try fixture.cache.verify().isSound)
    }

    @Test("a few of them when a process closes the folder before its first sweep, by itself or with its end")
    func shortProcess() throws {
        for closes in [true, false] {
            try leaveOrphans(20)
            try leaveOrphans(2, published: false)
            do {
                let fixture = try fixture()
                try fixture.cache.store(bytes(20_000), for: "a")
                if closes { try fixture.cache.close() }
            }
            // 16 of 23 files were looked at.
            #expect((7...8).contains(folder.bodyFiles.count))
            let next = try fixture()
            #expect(next.cache.entry(for: "a") != nil)
            try next.cache.close()
            #expect(folder.bodyFiles.count == 1)
        }
    }

    @Test("not when the folder is closed after a sweep, and not where nothing is swept")
    func closing() async throws {
        let fixture = try fixture()
        try fixture.cache.open()
        await step(.seconds(1))
        try leaveOrphans(3)
        try fixture.cache.close()
        #expect(folder.bodyFiles.count == 3)
        let unswept = try self.fixture()
        unswept.cache.sweepInterval = nil
        try unswept.cache.open()
        try unswept.cache.close()
        #expect(folder.bodyFiles.count == 3)
    }

    @Test("a few at a time, with a pause for others")
    func pieces() async throws {
        try leaveOrphans(300)
        let fixture = try fixture()
        try fixture.cache.open()
        var counts: [Int] = []
        for pause in [Duration.seconds(1), .milliseconds(100), .milliseconds(100)] {
            await step(pause)
            counts.append(folder.bodyFiles.count)
        }
        #expect(counts == [172, 44, 0])
    }

    @Test("and no opening, look-up or store looks for them")
    func otherCalls() throws {
        try leaveOrphans(3)
        let listings = Lock(0)
        let fixture = try fixture(
            FaultInjectingFileSystem(observing: { if $0 == .names { listings.withLock { $0 += 1 } } })
        )
        try fixture.cache.open()
        try fixture.cache.store(bytes(20_000), for: "a")
        #expect(fixture.cache.entry(for: "a") != nil)
        #expect(fixture.cache.entry(for: "b") == nil)
        #expect(listings.withLock { $0 } == 0)
    }

    @Test("after the index was made anew")
    func newIndex() async throws {
        let fixture = try fixture()
        for number in 0..<3 { try fixture.cache.store(bytes(20_000, seed: number), for: "\(number)") }
        await step(.seconds(1))
        #expect(folder.bodyFiles.count == 3)
        try FileManager.default.removeItem(atPath: folder.index)
        try fixture.cache.store(bytes(20_000, seed: 3), for: "a")
        #expect(fixture.log.events == [.recreated(path: folder.path)])
        // Not with the next sweep, which is ten minutes away, and whose task has another in its place.
        for _ in 0..<600 where folder.bodyFiles.count > 1 { await step(.milliseconds(500)) }
        #expect(folder.bodyFiles.count == 1)
        #expect(fixture.cache.entry(for: "a") != nil)
        #expect(sweepClock.now.offset < .seconds(500))
    }

    @Test("once in 24 sweeps")
    func repetition() async throws {
        let fixture = try fixture()
        try fixture.cache.open()
        await step(.seconds(1))
        try leaveOrphans(3)
        for _ in 0..<23 { await step(.seconds(600)) }
        #expect(folder.bodyFiles.count == 3)
        await step(.seconds(600))
        #expect(folder.bodyFiles.isEmpty)
    }

    @Test("although something else lies among their folders")
    func strangers() async throws {
        try leaveOrphans(3)
        let strangers = ["notes.txt", "0/notes.txt", "0/0/notes.txt"].map { "\(folder.path)/v3/bodies/\($0)" }
        let fileSystem = POSIXFileSystem()
        try fileSystem.createFolders("\(folder.path)/v3/bodies/0/0")
        for path in strangers { fileSystem.close(try fileSystem.create(path)) }
        let fixture = try fixture()
        try fixture.cache.open()
        await step(.seconds(1))
        #expect(folder.bodyFiles.count == strangers.count)
        try fixture.cache.removeExpired()
        #expect(folder.bodyFiles.count == strangers.count)
    }
}
