import FoundationEssentials
import Glibc
import HalcyonStore
import HalcyonTesting
import Testing

@Suite("Where caches lie whose folder nobody named")
struct CacheLocationTests {
    private let temporary: TemporaryFolder
    private let fileSystem = POSIXFileSystem()

    init() throws {
        temporary = try TemporaryFolder()
        // As the system's own.
        chmod(temporary.path, 0o1777)
    }

    private func location(
        _ variables: [String: String] = [:],
        home: String? = nil,
        user: UInt32 = geteuid()
    ) -> CacheLocation {
        CacheLocation(environment: { variables[$0] }, home: home, user: user, temporaryFolder: temporary.path)
    }

    @Test("the variables, then the user database, then a folder of the user's own")
    func order() {
        #expect(location(["XDG_CACHE_HOME": "/c", "HOME": "/h"], home: "/d").root == "/c/halcyon")
        #expect(location(["XDG_CACHE_HOME": "c", "HOME": "/h"], home: "/d").root == "/h/.cache/halcyon")
        #expect(location(["XDG_CACHE_HOME": "", "HOME": ""], home: "/d").root == "/d/.cache/halcyon")
        #expect(location(home: "/d").root == "/d/.cache/halcyon")
        #expect(location(user: 7).root == temporary.path + "/halcyon-7")
        #expect(location(user: 7).isShared)
        #expect(location(["XDG_CACHE_HOME": "/c"]).userCaches == "/c")
        #expect(location(home: "/d").userCaches == "/d/.cache")
        #expect(location(user: 7).userCaches == nil)
        #expect(!location(home: "/d").isShared)
        #expect(location(home: "/d").folder(named: "../a") == "/d/.cache/halcyon/.._a")
        #expect(location(home: "/d").folder(named: "..") == "/d/.cache/halcyon/_")
        #expect(DiskCache.Configuration(name: "a").folder == CacheLocation().folder(named: "a"))
    }

    private func cache(_ location: CacheLocation) -> DiskCache {
        var configuration = DiskCache.Configuration(folder: location.folder(named: "a"))
        configuration.sizeLimit = 1 << 20
        configuration.location = location
        return DiskCache(configuration)
    }

    @Test("a folder in a shared one is made for this user alone")
    func made() throws {
        let location = location()
        for _ in 0..<2 {
            let cache = cache(location)
            try cache.store(bytes(1), for: "a")
            #expect(cache.entry(for: "a") != nil)
            #expect(try fileSystem.status(at: location.root).permissions == 0o700)
        }
    }

    enum Foreign: CaseIterable {
        case link
        case readable
        case writable
        case file
        case otherUser
        case replaceable
    }

    @Test("a folder that another user may have made is not used, nor a link followed", arguments: Foreign.allCases)
    func foreign(kind: Foreign) throws {
        let own = try TemporaryFolder()
        let user = kind == .otherUser ? geteuid() + 1 : geteuid()
        let location = location(user: user)
        switch kind {
        case .link: try FileManager.default.createSymbolicLink(atPath: location.root, withDestinationPath: own.path)
        case .readable: mkdir(location.root, 0o755)
        case .writable:
            mkdir(location.root, 0o700)
            chmod(location.root, 0o777)
        case .file: try Data().write(to: URL(fileURLWithPath: location.root))
        case .otherUser:
            mkdir(location.root, 0o700)
            #expect(throws: FileSystemError.notPermitted) {
                try location.prepare(location.folder(named: "a"), user: user, fileSystem)
            }
            return
        case .replaceable: chmod(temporary.path, 0o777)
        }
        let before = try FileManager.default.subpathsOfDirectory(atPath: temporary.path)
        let cache = cache(location)
        let error = #expect(throws: DiskCacheError.self) { try cache.store(bytes(1), for: "a") }
        #expect(error?.reason.contains("another user") == true)
        #expect(cache.entry(for: "a") == nil)
        #expect(own.files.isEmpty)
        if kind != .replaceable {
            #expect(try FileManager.default.subpathsOfDirectory(atPath: temporary.path) == before)
        }
    }

    @Test("a folder that was named is nobody's business")
    func named() throws {
        chmod(temporary.path, 0o777)
        var configuration = DiskCache.Configuration(folder: temporary.path + "/named")
        configuration.location = location()
        try DiskCache(configuration).store(bytes(1), for: "a")
    }
}
