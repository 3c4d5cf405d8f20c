import FoundationEssentials
import HalcyonTesting
import Testing

@testable import HalcyonStore

@Suite("A file with an extension")
struct DiskCacheNamedFileTests {
    private func contents(_ path: String?) -> Data? { path.flatMap { FileManager.default.contents(atPath: $0) } }

    @Test("has the body, whether it lay in the index or in a file", arguments: [10, 20_000], [false, true])
    func body(size: Int, isStaged: Bool) throws {
        let fixture = try DiskCacheFixture()
        let body = bytes(size)
        try fixture.cache.store(
            body,
            for: "a",
            metadata: Data([1]),
            expiration: .seconds(60),
            durability: isStaged ? .none : .normal
        )
        let before = try #require(fixture.cache.entry(for: "a"))
        let path = try #require(try fixture.cache.fileLocation(for: "a", fileExtension: "jpg"))
        #expect(path.hasPrefix(fixture.folder.path) && path.hasSuffix(".jpg"))
        #expect(contents(path) == body)
        #expect(try fixture.cache.fileLocation(for: "a", fileExtension: "jpg") == path)
        #expect(try contents(fixture.cache.fileLocation(for: "a", fileExtension: "png")) == body)
        let entry = try #require(fixture.cache.entry(for: "a"))
        #expect(entry.body == body && entry.metadata == Data([1]))
        #expect(entry.version == before.version && entry.expiresAt == before.expiresAt)
        #expect(fixture.folder.bodyFiles.count == 1)
        let report = try fixture.cache.verify(repair: false)
        #expect(report.isSound, "\(report)")
        #expect(try fixture.cache.statistics().fileCount == 1)
        fixture.clock.advance(by: 60)
        #expect(try fixture.cache.fileLocation(for: "a", fileExtension: "jpg") == nil)
    }

    @Test(
        "is on the device before the body leaves the index",
        arguments: [FaultInjectingFileSystem.Call.synchronize, .synchronizeFolder]
    )
    func durability(call: FaultInjectingFileSystem.Call) throws {
        let fileSystem = FaultInjectingFileSystem(.errorFromNowOn(.inputOutput), atCall: 1, of: [call])
        let fixture = try DiskCacheFixture { $0.fileSystem = fileSystem }
        try fixture.cache.store(bytes(10), for: "a")
        #expect(throws: DiskCacheError.self) { try fixture.cache.fileLocation(for: "a", fileExtension: "jpg") }
        #expect(fixture.cache.entry(for: "a")?.body == bytes(10))
        #expect(fixture.folder.bodyFiles.isEmpty)
        #expect(try fixture.cache.statistics().fileCount == 0)
    }

    @Test("is gone with its entry, and its link with the next clean")
    func removal() throws {
        let fixture = try DiskCacheFixture()
        for key in ["a", "b"] { try fixture.cache.store(bytes(10, seed: key == "a" ? 1 : 2), for: key) }
        let path = try #require(try fixture.cache.fileLocation(for: "a", fileExtension: "jpg"))
        let other = try #require(try fixture.cache.fileLocation(for: "b", fileExtension: "jpg"))
        try fixture.cache.remove(for: "a")
        #expect(contents(path) == nil)
        #expect(fixture.folder.bodyFiles.count == 1)
        try fixture.cache.removeOrphans()
        let names = try POSIXFileSystem().names(inFolder: DiskLayout(folder: fixture.folder.path).named)
        #expect(names == other.split(separator: "/").suffix(1).map(String.init))
        #expect(contents(other) == bytes(10, seed: 2))
    }

    @Test("leads to the new body when the entry was replaced")
    func replacement() throws {
        let fixture = try DiskCacheFixture()
        try fixture.cache.store(bytes(10, seed: 1), for: "a")
        let path = try #require(try fixture.cache.fileLocation(for: "a", fileExtension: "jpg"))
        try fixture.cache.store(bytes(10, seed: 2), for: "a")
        let next = try #require(try fixture.cache.fileLocation(for: "a", fileExtension: "jpg"))
        #expect(path != next && contents(path) == nil && contents(next) == bytes(10, seed: 2))
    }

    @Test("is one for all entries with equal bodies, and stays for the last of them")
    func sharing() throws {
        let fixture = try DiskCacheFixture()
        for key in ["a", "b"] { try fixture.cache.store(bytes(20_000), for: key) }
        let path = try #require(try fixture.cache.fileLocation(for: "a", fileExtension: "jpg"))
        #expect(try fixture.cache.fileLocation(for: "b", fileExtension: "jpg") == path)
        try fixture.cache.remove(for: "a")
        #expect(contents(path) == bytes(20_000))
    }

    @Test(
        "keeps of the extension what is safe in a name",
        arguments: [
            ("jpg", "jpg"), (".jpg", "jpg"), ("../../etc/passwd", "etcpasswd"), ("a\0b/c", "abc"),
            ("tar.gz.", "tar.gz"),
            (String(repeating: "é", count: 40), String(repeating: "é", count: 16)),
            ("a" + String(repeating: "é", count: 40), "a" + String(repeating: "é", count: 15)), ("\n", ""), ("..", ""),
        ]
    )
    func sanitized(fileExtension: String, expected: String) throws {
        #expect(DiskCache.sanitized(fileExtension) == expected)
        let fixture = try DiskCacheFixture()
        try fixture.cache.store(bytes(10), for: "a")
        let path = try #require(try fixture.cache.fileLocation(for: "a", fileExtension: fileExtension))
        #expect(path.hasSuffix(expected.isEmpty ? "" : "." + expected))
        #expect(contents(path) == bytes(10))
    }

    @Test("leaves the entry readable whichever call to the file system fails")
    func faults() throws {
        var number = 0
        while true {
            number += 1
            let folder = try TemporaryFolder()
            let filled = try DiskCacheFixture(in: folder)
            try filled.cache.store(bytes(10), for: "a")
            try filled.cache.close()
            let fileSystem = FaultInjectingFileSystem(.error(.inputOutput), atCall: number)
            let faulty = try DiskCacheFixture(in: folder) { $0.fileSystem = fileSystem }
            _ = try? faulty.cache.fileLocation(for: "a", fileExtension: "jpg")
            try? faulty.cache.close()
            let after = try DiskCacheFixture(in: folder)
            #expect(after.cache.entry(for: "a")?.body == bytes(10), "call \(number)")
            #expect(try contents(after.cache.fileLocation(for: "a", fileExtension: "jpg")) == bytes(10))
            try after.cache.removeOrphans()
            #expect(folder.bodyFiles.count == 1)
            if !fileSystem.hasFired { break }
        }
        #expect(number > 5)
    }

    @Test("is refused with an error where the folder is only read")
    func readOnly() throws {
        let folder = try TemporaryFolder()
        let filled = try DiskCacheFixture(in: folder)
        try filled.cache.store(bytes(20_000), for: "a")
        try filled.cache.close()
        let fixture = try DiskCacheFixture(in: folder) { $0.isReadOnly = true }
        #expect(throws: DiskCacheError.self) { try fixture.cache.fileLocation(for: "a", fileExtension: "jpg") }
        #expect(try contents(fixture.cache.fileLocation(for: "a")) == bytes(20_000))
    }
}
