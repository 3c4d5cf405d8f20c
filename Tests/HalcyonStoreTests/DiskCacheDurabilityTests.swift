import FoundationEssentials
import HalcyonStore
import HalcyonTesting
import Testing

@Suite("Full durability of the disk cache")
struct DiskCacheDurabilityTests {
    /// Makes the folders of all bodies, as stores without durability may have.
    private func makeBodyFolders(in folder: TemporaryFolder) throws {
        let digits = (0..<16).map { String($0, radix: 16) }
        for first in digits {
            for second in digits {
                try FileManager.default.createDirectory(
                    atPath: "\(folder.path)/v3/bodies/\(first)/\(second)",
                    withIntermediateDirectories: true
                )
            }
        }
    }

    @Test("the names of folders that were there already are seen to as well", arguments: 1...4)
    func earlierFolders(call: Int) throws {
        let folder = try TemporaryFolder()
        try makeBodyFolders(in: folder)
        let fileSystem = FaultInjectingFileSystem(.error(.inputOutput), atCall: call, of: [.synchronizeFolder])
        let fixture = try DiskCacheFixture(in: folder) { $0.fileSystem = fileSystem }
        let error = #expect(throws: DiskCacheError.self) {
            try fixture.cache.store(bytes(50_000), for: "a", durability: .full)
        }
        #expect(error?.operation == .write)
        #expect(error?.code == FileSystemError.inputOutput.code)
        // What is not known to be on the device is there all the same, and whole.
        #expect(fixture.cache.entry(for: "a")?.body == bytes(50_000))
        try fixture.cache.store(bytes(50_000, seed: 1), for: "a", durability: .full)
        #expect(fixture.cache.entry(for: "a")?.body == bytes(50_000, seed: 1))
        #expect(folder.bodyFiles.count == 1)
        #expect(try fixture.cache.verify().isSound)
    }

    @Test("a store without full durability waits for no folder")
    func others() throws {
        let fileSystem = FaultInjectingFileSystem(
            .errorFromNowOn(.inputOutput),
            atCall: 1,
            of: [.synchronizeFolder, .synchronize]
        )
        let fixture = try DiskCacheFixture { $0.fileSystem = fileSystem }
        for durability in [DiskCache.Durability.none, .normal] {
            try fixture.cache.store(bytes(50_000), for: "a", durability: durability)
            #expect(fixture.cache.entry(for: "a")?.body == bytes(50_000))
        }
    }
}
