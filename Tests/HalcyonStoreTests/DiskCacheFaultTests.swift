import FoundationEssentials
import HalcyonTesting
import Testing

@testable import HalcyonStore

@Suite("A disk cache whose file system fails at each call in turn")
struct DiskCacheFaultTests {
    static let faults: [FaultInjectingFileSystem.Fault] = [
        .error(.inputOutput), .error(.noSpace), .errorFromNowOn(.noSpace), .halfDone, .flippedBit, .crash,
        .error(FileSystemError(code: 24)), .errorFromNowOn(FileSystemError(code: 30)),
        .error(FileSystemError(code: 13)), .error(.notFound),
    ]

    @Test("never gives a wrong body, opens again, and leaves no orphan after a clean", arguments: faults)
    func eachCall(fault: FaultInjectingFileSystem.Fault) throws {
        var number = 1
        while true {
            let folder = try TemporaryFolder()
            let fileSystem = FaultInjectingFileSystem(fault, atCall: number)
            try work(in: folder, fileSystem)
            try examine(folder, "\(fault) at call \(number), \(String(describing: fileSystem.firedAt))")
            if !fileSystem.hasFired { break }
            number += 1
        }
        #expect(number > 40, "the work makes more calls than that")
    }

    /// What each key may hold; an error leaves the entry absent, old or new, and never mixed.
    private static let versions: [String: [Data]] = [
        "small": [bytes(10, seed: 1), bytes(11, seed: 2)],
        "large": [bytes(20_000, seed: 3), bytes(140_000, seed: 4)],
        "grown": [bytes(12, seed: 6), bytes(30_000, seed: 7)],
    ]

    private let durabilities: [String: DiskCache.Durability] = ["large": .full, "small": .none]

    private func work(in folder: TemporaryFolder, _ fileSystem: FaultInjectingFileSystem) throws {
        let fixture = try DiskCacheFixture(in: folder) { $0.fileSystem = fileSystem }
        let cache = fixture.cache
        for (key, versions) in Self.versions.sorted(by: { $0.key < $1.key }) {
            for version in versions {
                _ = try? cache.store(version, for: key, durability: durabilities[key] ?? .normal)
                check(cache, key)
            }
        }
        for key in Self.versions.keys.sorted() { check(cache, key) }
        _ = try? cache.remove(for: "large")
        _ = try? cache.verify(repair: true)
        _ = try? cache.removeExpired()
        _ = try? cache.store(Self.versions["large"]?[0] ?? Data(), for: "large")
    }

    private func check(_ cache: DiskCache, _ key: String) {
        guard let entry = cache.entry(for: key) else { return }
        #expect(Self.versions[key]?.contains(entry.body) == true, "wrong body for \(key)")
    }

    private func examine(_ folder: TemporaryFolder, _ what: String) throws {
        let fixture = try DiskCacheFixture(in: folder)
        for key in Self.versions.keys { check(fixture.cache, key) }
        try fixture.cache.removeExpired()
        let report = try fixture.cache.verify()
        #expect(report.isSound, "\(what): \(report)")
        let statistics = try fixture.cache.statistics()
        #expect(folder.bodyFiles.count == statistics.fileCount, "\(what)")
        try fixture.cache.store(bytes(20_000), for: "after")
        #expect(fixture.cache.entry(for: "after")?.body == bytes(20_000), "\(what)")
    }

    @Test("a full disk refuses large bodies with an error that says so, and goes on serving")
    func fullDisk() throws {
        let fileSystem = FaultInjectingFileSystem(.errorFromNowOn(.noSpace), atCall: 2, of: [.write])
        let fixture = try DiskCacheFixture { $0.fileSystem = fileSystem }
        try fixture.cache.store(bytes(20_000), for: "a")
        for _ in 0..<2 {
            let error = #expect(throws: DiskCacheError.self) {
                try fixture.cache.store(bytes(20_000, seed: 1), for: "b")
            }
            #expect(error?.operation == .write)
            #expect(error?.code == FileSystemError.noSpace.code)
        }
        #expect(fixture.cache.entry(for: "a")?.body == bytes(20_000))
        #expect(fixture.folder.bodyFiles.count == 1)
        #expect(try fixture.cache.verify().isSound)
    }

    @Test("a folder that cannot be made is told once by look-ups, and thrown by stores")
    func unusableFolder() throws {
        let refused = FileSystemError(code: 13)
        let fileSystem = FaultInjectingFileSystem(.errorFromNowOn(refused), atCall: 1, of: [.createFolder])
        let fixture = try DiskCacheFixture { $0.fileSystem = fileSystem }
        #expect(fixture.cache.entry(for: "a") == nil)
        #expect(fixture.cache.entry(for: "a") == nil)
        #expect(fixture.log.events.count == 1)
        #expect(throws: DiskCacheError.self) { try fixture.cache.store(bytes(1), for: "a") }
        #expect(throws: DiskCacheError.self) { try fixture.cache.open() }
    }

    @Test("a clean leaves alone what another cache is writing, and removes it once that one is dead")
    func livingWriter() throws {
        let fileSystem = FaultInjectingFileSystem(.crash, atCall: 1, of: [.removeFolder])
        let writing = try DiskCacheFixture { $0.fileSystem = fileSystem }
        try writing.cache.open()
        let file = try IncomingFile(writing.cache.layout, fileSystem)
        defer { file.close() }
        let cleaning = try DiskCacheFixture(in: writing.folder)
        try cleaning.cache.removeExpired()
        try cleaning.cache.removeAll()
        #expect(writing.folder.bodyFiles.count == 1)
        #expect(throws: FileSystemError.self) { try fileSystem.removeFolder("/nowhere") }
        try cleaning.cache.removeExpired()
        #expect(writing.folder.bodyFiles.isEmpty)
    }

    /// ENOSPC, EIO, EROFS, EACCES and EMFILE.
    static let errors = [28, 5, 30, 13, 24].map { FileSystemError(code: $0) }

    @Test("a device that fails to read is told once, until a look-up succeeds again", arguments: errors)
    func failingReads(error: FileSystemError) throws {
        let folder = try TemporaryFolder()
        try DiskCacheFixture(in: folder).cache.store(bytes(20_000), for: "a")
        let fileSystem = FaultInjectingFileSystem(.errorFromNowOn(error), atCall: 1, of: [.read])
        let fixture = try DiskCacheFixture(in: folder) { $0.fileSystem = fileSystem }
        for _ in 0..<3 { #expect(fixture.cache.entry(for: "a") == nil) }
        guard case .failure(let failure) = try #require(fixture.log.events.first) else {
            Issue.record("\(fixture.log.events)")
            return
        }
        #expect(fixture.log.events.count == 1)
        #expect(failure.operation == .read)
        #expect(failure.code == error.code)
        // The entry may well be sound, and is not given up.
        #expect(try DiskCacheFixture(in: folder).cache.entry(for: "a")?.body == bytes(20_000))
    }

    @Test("a store that a device refuses throws what it met, and changes nothing", arguments: errors)
    func failingPuts(error: FileSystemError) throws {
        let fileSystem = FaultInjectingFileSystem(.errorFromNowOn(error), atCall: 2, of: [.create, .write])
        let fixture = try DiskCacheFixture { $0.fileSystem = fileSystem }
        try fixture.cache.store(bytes(10), for: "small")
        let failure = #expect(throws: DiskCacheError.self) { try fixture.cache.store(bytes(20_000), for: "a") }
        #expect(failure?.operation == .write)
        #expect(failure?.code == error.code)
        #expect(fixture.log.events.isEmpty, "who is thrown an error needs no event")
        #expect(fixture.cache.entry(for: "small")?.body == bytes(10))
        #expect(fixture.cache.entry(for: "a") == nil)
        #expect(fixture.folder.bodyFiles.isEmpty)
    }

    @Test("files that cannot be removed keep no limit from being kept, and go with a later clean", arguments: errors)
    func failingTrims(error: FileSystemError) throws {
        let folder = try TemporaryFolder()
        let fileSystem = FaultInjectingFileSystem(.errorFromNowOn(error), atCall: 1, of: [.removeFile])
        let fixture = try DiskCacheFixture(in: folder) {
            $0.fileSystem = fileSystem
            $0.sizeLimit = 50_000
        }
        for number in 0..<10 { try fixture.cache.store(bytes(20_000, seed: number), for: "\(number)") }
        #expect(try fixture.cache.statistics().bytes <= 50_000)
        try fixture.cache.trim(to: 0)
        #expect(try fixture.cache.statistics().count == 0)
        #expect(!folder.bodyFiles.isEmpty)
        try DiskCacheFixture(in: folder).cache.removeExpired()
        #expect(folder.bodyFiles.isEmpty)
    }
}
