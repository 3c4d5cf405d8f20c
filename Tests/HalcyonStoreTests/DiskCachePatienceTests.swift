import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import HalcyonStore

@Suite("A disk cache beside a process that is stopped")
struct DiskCachePatienceTests {
    private let files = POSIXFileSystem()

    /// What another process has that is opening the index.
    private func lockedFolder(_ folder: TemporaryFolder) throws -> FileDescriptor {
        try files.createFolders(folder.path + "/v3")
        let path = folder.path + "/v3/lock"
        let lock = try (try? files.create(path)) ?? files.openForReading(path)
        #expect(try files.lock(lock, waits: false))
        return lock
    }

    @Test("while it opens the index, looks up nothing, stores nothing, and goes on when it has")
    func opening() throws {
        let folder = try TemporaryFolder()
        let lock = try lockedFolder(folder)
        let fixture = try DiskCacheFixture(in: folder) { $0.busyTimeout = 1 }
        #expect(!fixture.cache.folderPatience.isExhausted)
        #expect(fixture.cache.entry(for: "a") == nil)
        guard case .failure(let failure)? = fixture.log.events.first else {
            Issue.record("\(fixture.log.events)")
            return
        }
        #expect(failure.reason.contains("locked"))
        // From then on no call waits.
        #expect(fixture.cache.folderPatience.milliseconds == 0)
        #expect(throws: DiskCacheError.self) { try fixture.cache.store(bytes(10), for: "a") }
        files.close(lock)
        try fixture.cache.store(bytes(10), for: "a")
        #expect(fixture.cache.entry(for: "a")?.body == bytes(10))
        #expect(fixture.cache.folderPatience.milliseconds == 1)
    }

    @Test("while it opens the index of a sound cache, looks up and stores")
    func openingBesideIndex() throws {
        let folder = try TemporaryFolder()
        try DiskCacheFixture(in: folder).cache.store(bytes(10), for: "a")
        let lock = try lockedFolder(folder)
        defer { files.close(lock) }
        let fixture = try DiskCacheFixture(in: folder) { $0.busyTimeout = 1 }
        #expect(fixture.cache.entry(for: "a")?.body == bytes(10))
        try fixture.cache.store(bytes(20_000), for: "b")
        #expect(fixture.cache.entry(for: "b")?.body == bytes(20_000))
        #expect(fixture.log.events.isEmpty)
    }

    @Test("while it opens an index that is damaged, replaces nothing")
    func openingBesideDamage() throws {
        let folder = try TemporaryFolder()
        let lock = try lockedFolder(folder)
        try Data("no index".utf8).write(to: URL(filePath: folder.index))
        let fixture = try DiskCacheFixture(in: folder) { $0.busyTimeout = 1 }
        let failure = #expect(throws: DiskCacheError.self) { try fixture.cache.open() }
        #expect(failure?.reason.contains("locked") == true)
        files.close(lock)
        try fixture.cache.open()
        #expect(fixture.log.events.count == 1)
    }

    @Test("in the middle of a change, costs what is known of uses, and no time")
    func uses() throws {
        let fixture = try DiskCacheFixture { $0.busyTimeout = 1_000_000 }
        try fixture.cache.store(bytes(10), for: "a")
        fixture.clock.advance(by: 100)
        #expect(fixture.cache.entry(for: "a") != nil)
        let process = try SQLiteConnection(fixture.folder.index, creates: false, busyTimeout: 0)
        try process.execute("BEGIN IMMEDIATE")
        try fixture.cache.flush()
        try process.execute("COMMIT")
        try fixture.cache.flush()
        #expect(try fixture.cache.entries().first?.lastAccess == fixture.clock.date)
    }

    @Test("while it reads the index, keeps the log from growing without bound, and nothing from being removed")
    func reading() throws {
        let fixture = try DiskCacheFixture {
            $0.busyTimeout = 1
            $0.indexLogLimit = 1 << 20
        }
        try fixture.cache.store(bytes(10), for: "a")
        let process = try SQLiteConnection(fixture.folder.index, creates: false, busyTimeout: 0)
        try process.execute("BEGIN; SELECT count(*) FROM entry")
        var isDeclined = false
        for number in 0..<1_000 where !isDeclined {
            do { try fixture.cache.store(bytes(10_000), for: "\(number)") } catch { isDeclined = true }
        }
        #expect(isDeclined)
        #expect(try files.status(at: fixture.folder.index + "-wal").size < 2 << 20)
        #expect(fixture.cache.entry(for: "a") != nil)
        #expect(try fixture.cache.remove(for: "a"))
        #expect(throws: DiskCacheError.self) { try fixture.cache.store(bytes(10), for: "b") }
        try process.execute("COMMIT")
        try fixture.cache.store(bytes(10), for: "b")
        #expect(fixture.cache.entry(for: "b")?.body == bytes(10))
    }

    @Test("a call that waits for it keeps those waiting that need the index, and no others")
    func others() async throws {
        let folder = try TemporaryFolder()
        let lock = try lockedFolder(folder)
        let asked = Gate()
        let fileSystem = FaultInjectingFileSystem(observing: { if $0 == .lock { asked.open() } })
        let fixture = try DiskCacheFixture(in: folder) {
            $0.busyTimeout = 1_000_000
            $0.fileSystem = fileSystem
        }
        async let isStored = onThread { try fixture.cache.store(bytes(10), for: "a") }
        await asked.wait()
        fixture.cache.expiration = .days(3)
        #expect(fixture.cache.expiration == .days(3))
        files.close(lock)
        #expect(try await isStored)
    }

    @Test("in the middle of a change, costs one call its patience, and those after it none")
    func writing() throws {
        let fixture = try DiskCacheFixture { $0.busyTimeout = 1 }
        try fixture.cache.store(bytes(10), for: "a")
        let index = try #require(fixture.cache.state.withLock { $0.index })
        let process = try SQLiteConnection(fixture.folder.index, creates: false, busyTimeout: 0)
        try process.execute("BEGIN IMMEDIATE")
        #expect(index.patience.milliseconds == 1)
        #expect(throws: DiskCacheError.self) { try fixture.cache.store(bytes(10), for: "b") }
        #expect(index.patience.milliseconds == 0)
        // What is not to be on disk at once waits in memory, a bounded part of it.
        for number in 0..<1_000 { _ = try? fixture.cache.store(bytes(1), for: "\(number)", durability: .none) }
        #expect(fixture.cache.entry(for: "a") != nil)
        #expect(throws: DiskCacheError.self) { try fixture.cache.flush() }
        #expect(index.patience.milliseconds == 0)
        try process.execute("COMMIT")
        try fixture.cache.store(bytes(10), for: "b")
        #expect(index.patience.milliseconds == 1)
        #expect(fixture.cache.contains("b"))
        #expect(try fixture.cache.verify().isSound)
    }

    @Test("takes another file where that one, to clean up, has locked the one it has made", .timeLimit(.minutes(5)))
    func lockedFile() throws {
        let folder = try TemporaryFolder()
        let incoming = "\(folder.path)/v3/incoming"
        let (isArmed, taken) = (Lock(false), Lock<FileDescriptor?>(nil))
        let fileSystem = FaultInjectingFileSystem(observing: { [files] call in
            guard call == .lock, isArmed.withLock({ $0 }), taken.withLock({ $0 }) == nil,
                let name = try? files.names(inFolder: incoming).first,
                let descriptor = try? files.openForReading("\(incoming)/\(name)"),
                (try? files.lock(descriptor, waits: false)) == true
            else { return }
            taken.withLock { $0 = descriptor }
        })
        let fixture = try DiskCacheFixture(in: folder) { $0.fileSystem = fileSystem }
        try fixture.cache.open()
        isArmed.withLock { $0 = true }
        try fixture.cache.store(bytes(20_000), for: "a")
        #expect(fixture.cache.entry(for: "a")?.body == bytes(20_000))
        files.close(try #require(taken.withLock { $0 }))
    }
}
