import FoundationEssentials
import Glibc
import HalcyonStore
import HalcyonSystem
import HalcyonTesting
import Testing

@Suite("Damage to the disk cache")
struct DiskCacheHealingTests {
    private func damage(_ fixture: DiskCacheFixture, _ change: (inout Data) -> Void) throws {
        let path = fixture.folder.path + "/" + (try #require(fixture.folder.bodyFiles.first))
        var content = try Data(contentsOf: URL(filePath: path))
        change(&content)
        try content.write(to: URL(filePath: path))
    }

    @Test("a body with a flipped bit, cut short, grown or missing is a miss that heals", arguments: 0..<4)
    func damagedBody(kind: Int) throws {
        let fixture = try DiskCacheFixture()
        try fixture.cache.store(bytes(200_000), for: "a")
        if kind == 3 {
            let name = try #require(fixture.folder.bodyFiles.first)
            try FileManager.default.removeItem(atPath: fixture.folder.path + "/" + name)
        } else {
            try damage(fixture) { content in
                switch kind {
                case 0: content[150_000] ^= 1
                case 1: content = content.prefix(199_999)
                default: content.append(0)
                }
            }
        }
        #expect(try fixture.cache.verify().damaged.keys.sorted() == ["a"])
        #expect(fixture.cache.entry(for: "a") == nil)
        #expect(fixture.log.events.count == 1)
        #expect(!fixture.cache.contains("a"))
        #expect(fixture.folder.bodyFiles.isEmpty)
        try fixture.cache.store(bytes(200_000), for: "a")
        #expect(fixture.cache.entry(for: "a")?.body == bytes(200_000))
        #expect(try fixture.cache.verify().isSound)
    }

    @Test(
        "something else in the place of a file of the index, or of a folder, makes way",
        arguments: ["index.sqlite", "index.sqlite-wal", "index.sqlite-shm", "bodies", "incoming", ""],
        [true, false]
    )
    func misplaced(name: String, isFolder: Bool) throws {
        let folder = try TemporaryFolder()
        let isOfIndex = name.hasPrefix("index")
        if isOfIndex { try DiskCacheFixture(in: folder).cache.store(bytes(10), for: "a") }
        let version = "\(folder.path)/v3"
        if !name.isEmpty { try POSIXFileSystem().createFolders(version) }
        let path = name.isEmpty ? version : "\(version)/\(name)"
        try? FileManager.default.removeItem(atPath: path)
        switch (isOfIndex, isFolder) {
        case (true, true): try POSIXFileSystem().createFolders(path + "/inside")
        case (true, false): #expect(mkfifo(path, 0o600) == 0)
        case (false, true): try POSIXFileSystem().createFolders(path)
        case (false, false): try Data([1]).write(to: URL(filePath: path))
        }
        let fixture = try DiskCacheFixture(in: folder)
        try fixture.cache.store(bytes(20_000), for: "b")
        #expect(fixture.cache.entry(for: "b")?.body == bytes(20_000))
        #expect(fixture.cache.contains("a") == (isOfIndex && name != "index.sqlite"))
        #expect(try fixture.cache.verify().isSound)
    }

    @Test("verifying with repair removes what is wrong and tells")
    func repair() throws {
        let fixture = try DiskCacheFixture()
        try fixture.cache.store(bytes(20_000), for: "a")
        try fixture.cache.store(bytes(10), for: "b")
        try damage(fixture) { $0[1] ^= 4 }
        let orphan = fixture.folder.path + "/v3/bodies/0/1/0123456789abcdef"
        try FileManager.default.createDirectory(
            atPath: fixture.folder.path + "/v3/bodies/0/1",
            withIntermediateDirectories: true
        )
        try Data([1]).write(to: URL(filePath: orphan))
        let report = try fixture.cache.verify(repair: true)
        #expect(report.damaged.keys.sorted() == ["a"])
        #expect(report.orphans == [orphan])
        #expect(report.checkedCount == 2)
        #expect(try fixture.cache.verify().isSound)
        #expect(fixture.cache.contains("b"))
    }

    @Test("the folder may vanish at any time", arguments: [10, 50_000])
    func vanishedFolder(size: Int) throws {
        let fixture = try DiskCacheFixture()
        try fixture.cache.store(bytes(size), for: "a")
        try FileManager.default.removeItem(atPath: fixture.folder.path)
        #expect(fixture.cache.entry(for: "a") == nil)
        #expect(fixture.log.events == [.recreated(path: fixture.folder.path)])
        try FileManager.default.removeItem(atPath: fixture.folder.path)
        try fixture.cache.store(bytes(size, seed: 1), for: "a")
        #expect(fixture.cache.entry(for: "a")?.body == bytes(size, seed: 1))
        #expect(try fixture.cache.verify().isSound)
    }

    @Test("an index whose log was removed beside it is given up, as it is unknown to other processes", arguments: 0..<4)
    func removedLog(kind: Int) throws {
        let fixture = try DiskCacheFixture()
        try fixture.cache.store(bytes(10), for: "a")
        #expect(fixture.cache.entry(for: "a") != nil)
        // What a removal of the folder takes away that is overtaken by a look-up, which makes the index anew.
        for name in kind % 2 == 0 ? ["-wal", "-shm"] : ["-shm"] {
            try FileManager.default.removeItem(atPath: fixture.folder.index + name)
        }
        if kind < 2 {
            try fixture.cache.store(bytes(11), for: "b")
        } else {
            fixture.clock.advance(by: 0.051)
            #expect(fixture.cache.entry(for: "a") == nil)
            try fixture.cache.store(bytes(11), for: "b")
        }
        #expect(fixture.log.events == [.recreated(path: fixture.folder.path)])
        #expect(fixture.cache.entry(for: "a") == nil)
        #expect(fixture.folder.files.contains("v3/index.sqlite-wal"))
        try fixture.cache.close()
        let other = try DiskCacheFixture(in: fixture.folder)
        #expect(other.cache.entry(for: "b")?.body == bytes(11))
        #expect(try other.cache.verify().isSound)
    }

    @Test("an index is made anew without the log that an earlier one has left")
    func leftLog() throws {
        let fixture = try DiskCacheFixture()
        try fixture.cache.store(bytes(10), for: "a")
        try FileManager.default.removeItem(atPath: fixture.folder.index)
        let log = try POSIXFileSystem().status(at: fixture.folder.index + "-shm").inode
        try fixture.cache.store(bytes(11), for: "b")
        #expect(try POSIXFileSystem().status(at: fixture.folder.index + "-shm").inode != log)
        #expect(fixture.cache.entry(for: "a") == nil)
        #expect(fixture.cache.entry(for: "b")?.body == bytes(11))
        #expect(try fixture.cache.verify().isSound)
    }

    @Test("a folder that vanished is noticed after a store, a miss, and when the clock has moved", arguments: 0..<3)
    func vanishedSinceLookUp(kind: Int) throws {
        let fixture = try DiskCacheFixture()
        try fixture.cache.store(bytes(10), for: "a")
        for _ in 0..<2 { #expect(fixture.cache.entry(for: "a") != nil) }
        if kind == 0 { try fixture.cache.store(bytes(10), for: "b") }
        try FileManager.default.removeItem(atPath: fixture.folder.path)
        if kind == 1 { #expect(fixture.cache.entry(for: "b") == nil) }
        if kind == 2 { fixture.clock.advance(by: 0.004) }
        #expect(fixture.cache.entry(for: "a") == nil)
        #expect(fixture.log.events == [.recreated(path: fixture.folder.path)])
    }

    @Test("a folder that was moved is noticed and keeps what it has", arguments: [10, 50_000], [0.0, 0.051])
    func movedFolder(size: Int, delay: Double) throws {
        let fixture = try DiskCacheFixture()
        try fixture.cache.store(bytes(size), for: "a")
        #expect(fixture.cache.entry(for: "a")?.body == bytes(size))
        let moved = fixture.folder.path + "-moved"
        try FileManager.default.moveItem(atPath: fixture.folder.path, toPath: moved)
        defer { try? FileManager.default.removeItem(atPath: moved) }
        fixture.clock.advance(by: delay)
        // For 50 ms a look-up may find what moved along; a body that is a file it cannot.
        if size > 16_384 || delay > 0 {
            #expect(fixture.cache.entry(for: "a") == nil)
            #expect(fixture.log.events == [.recreated(path: fixture.folder.path)])
        } else if let found = fixture.cache.entry(for: "a") {
            #expect(firstDifference(found.body, bytes(size)) == nil)
        }
        try fixture.cache.store(bytes(size, seed: 1), for: "b")
        #expect(fixture.cache.entry(for: "a") == nil)
        #expect(fixture.cache.entry(for: "b")?.body == bytes(size, seed: 1))
        var configuration = DiskCache.Configuration(folder: moved)
        configuration.clock = fixture.clock.clock
        let there = DiskCache(configuration)
        #expect(there.entry(for: "a")?.body == bytes(size))
        #expect(!there.contains("b"))
    }

    @Test("an index overwritten with garbage before it is opened is given up, once, and never throws from a read")
    func garbageBeforeOpening() throws {
        let folder = try TemporaryFolder()
        try DiskCacheFixture(in: folder).cache.store(bytes(50_000), for: "large")
        try bytes(40_000).write(to: URL(filePath: folder.index))
        let fixture = try DiskCacheFixture(in: folder)
        #expect(fixture.cache.entry(for: "large") == nil)
        #expect(fixture.cache.entry(for: "large") == nil)
        #expect(fixture.log.events.count == 1)
        try fixture.cache.store(bytes(50_000, seed: 2), for: "b")
        try fixture.cache.removeExpired()
        #expect(folder.bodyFiles.count == 1, "the bodies of the lost index are gone")
        #expect(fixture.cache.entry(for: "b")?.body == bytes(50_000, seed: 2))
        #expect(try fixture.cache.verify().isSound)
    }

    @Test("an index overwritten while it is open never gives wrong bytes, and the cache goes on")
    func garbageWhileOpen() throws {
        let fixture = try DiskCacheFixture()
        for number in 0..<200 { try fixture.cache.store(bytes(9_000, seed: number), for: "\(number)") }
        let descriptor = try #require(try? FileHandleForTests(fixture.folder.index))
        try descriptor.overwrite(with: bytes(3_000_000, seed: 77))
        for name in ["-wal", "-shm"] {
            try? bytes(100_000, seed: 78).write(to: URL(filePath: fixture.folder.index + name))
        }
        for number in 0..<200 {
            if let entry = fixture.cache.entry(for: "\(number)") {
                #expect(firstDifference(entry.body, bytes(9_000, seed: number)) == nil)
            }
        }
        for number in 0..<5 {
            _ = try? fixture.cache.store(bytes(9_000, seed: number), for: "new \(number)")
        }
        let later = try DiskCacheFixture(in: fixture.folder)
        try later.cache.store(bytes(9_000), for: "later")
        #expect(later.cache.entry(for: "later")?.body == bytes(9_000))
    }

    @Test("a database of another kind in place of the index is replaced")
    func foreignIndex() throws {
        let folder = try TemporaryFolder()
        do {
            let fixture = try DiskCacheFixture(in: folder)
            try fixture.cache.store(bytes(10), for: "a")
            try fixture.cache.close()
        }
        var content = try Data(contentsOf: URL(filePath: folder.index))
        // The version of the user, big-endian at offset 60 (SQLite database file format, section 1.3).
        content[63] = 99
        try content.write(to: URL(filePath: folder.index))
        let fixture = try DiskCacheFixture(in: folder)
        #expect(fixture.cache.entry(for: "a") == nil)
        #expect(try fixture.cache.store(bytes(10), for: "a"))
    }
}

/// Overwrites a file in place, as a program gone wrong may do.
struct FileHandleForTests {
    let path: String

    init(_ path: String) throws {
        self.path = path
        _ = try POSIXFileSystem().status(at: path)
    }

    func overwrite(with content: Data) throws {
        // Not atomic: the file stays the same one.
        try content.write(to: URL(filePath: path), options: [])
    }
}
