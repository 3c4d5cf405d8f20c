import FoundationEssentials
import Glibc
import HTTPTypes
import HalcyonTesting
import Testing

@testable import HalcyonHTTP

@Suite("A file of cookies")
struct CookieFileTests {
    private let clock = ManualStoreClock()
    /// Never moves, so that only `flush` writes.
    private let writeClock = ManualClock()
    private let folder = CookieFolder()

    private var path: String { folder.path + "/inner/cookies.txt" }
    private let origin = "https://example.com/"

    private func configuration(_ fileSystem: (any FileSystem)? = nil) -> CookieStore.Configuration {
        var configuration = CookieStore.Configuration()
        configuration.clock = clock.clock
        configuration.writeClock = writeClock
        if let fileSystem { configuration.fileSystem = fileSystem }
        return configuration
    }

    private func store(_ fileSystem: (any FileSystem)? = nil) throws -> CookieStore {
        try CookieStore(file: path, configuration: configuration(fileSystem))
    }

    private func set(_ cookie: String, in store: CookieStore) throws {
        store.receive([.setCookie: cookie], from: try #require(URL(string: origin)))
    }

    private func field(_ store: CookieStore) throws -> String? {
        store.field(for: try #require(URL(string: origin + "x")))
    }

    private func permissions() -> UInt32 {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test("keeps cookies with all their attributes for the next process, and those of the session on request")
    func roundTrip() async throws {
        let first = try store()
        try set("a=1; Max-Age=60; Path=/; Secure; HttpOnly", in: first)
        try set("d=2; Max-Age=90; Domain=example.com; Path=/x", in: first)
        try set("session=3", in: first)
        try await first.flush()
        #expect(permissions() == 0o600)
        let second = try store()
        #expect(second.cookies == first.cookies.filter { $0.expires != nil })
        clock.advance(by: 60)
        #expect(try store().cookies.map(\.name) == ["d"])
        var keeping = configuration()
        keeping.keepsSessionCookies = true
        let third = try CookieStore(file: path, configuration: keeping)
        try set("session=4", in: third)
        try await third.flush()
        #expect(try CookieStore(file: path, configuration: keeping).cookies.map(\.name) == ["d", "session"])
    }

    @Test("is written some time after a change, and what came meanwhile with it")
    func delay() async throws {
        let first = try store()
        try set("a=1; Max-Age=60", in: first)
        try set("b=2; Max-Age=60", in: first)
        await writeClock.waitForSleepers(1)
        #expect(try store().cookies.isEmpty)
        writeClock.advance(by: .seconds(1))
        while try store().cookies.count != 2 { await Task.yield() }
        #expect(writeClock.sleeperCount == 0)
    }

    @Test("has the changes of several stores, and each sees those of the others once it writes")
    func severalStores() async throws {
        let (first, second) = (try store(), try store())
        try set("a=1; Max-Age=60", in: first)
        try set("s=0", in: first)
        try await first.flush()
        try set("b=2; Max-Age=60", in: second)
        try await second.flush()
        #expect(Set(second.cookies.map(\.name)) == ["a", "b"])
        try await first.flush()
        #expect(Set(first.cookies.map(\.name)) == ["a", "b", "s"])
        // The same order as before, since the field is a part of identities.
        #expect(try field(first) == "a=1; s=0; b=2")
        try set("a=; Max-Age=0", in: second)
        try await second.flush()
        try await first.flush()
        #expect(Set(first.cookies.map(\.name)) == ["b", "s"])
        first.removeAll()
        try await first.flush()
        try await second.flush()
        #expect(first.cookies.isEmpty && second.cookies.isEmpty)
    }

    @Test("is read as curl writes it, without the lines that are none")
    func foreign() throws {
        let text = """
            # Netscape HTTP Cookie File
            # https://curl.se/docs/http-cookies.html

            #HttpOnly_.example.com\tTRUE\t/\tTRUE\t1893456000\ta\t1
            example.com\tFALSE\t/x\tFALSE\t0\tb\t
            example.com\tFALSE\t/x\tFALSE\t1893456000\tc
            example.com\tFALSE\t/\u{301}\tFALSE\t1893456000\tcombining\t1
            nonsense
            example.com\tFALSE\t/x\tFALSE\t-1\td\t1
            example.com\tFALSE\tx\tFALSE\t1893456000\te\t1
            \tFALSE\t/\tFALSE\t1893456000\tf\t1
            ..example.com\tFALSE\t/\tFALSE\t1893456000\tg\t1
            """
        let cookies = CookieFile.cookies(Data(text.utf8), maximumCount: 100)
        #expect(cookies.map(\.name) == ["a", "b", "c", "combining"])
        #expect(
            cookies[0].isHTTPOnly && cookies[0].isSecure && !cookies[0].isHostOnly && cookies[0].domain == "example.com"
        )
        #expect(cookies[1].expires == nil && cookies[1].isHostOnly)
        #expect(CookieFile.cookies(CookieFile.data(cookies), maximumCount: 100) == cookies)
    }

    @Test(
        "with an expiry beyond every date is read, and written again",
        arguments: ["9223372036854775807", "253402300800"]
    )
    func latestExpiry(seconds: String) async throws {
        let folder = path.replacing("/cookies.txt", with: "")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data("example.com\tFALSE\t/\tFALSE\t\(seconds)\ta\t1\n".utf8).write(to: URL(filePath: path))
        #expect(chmod(path, 0o600) == 0)
        let store = try store()
        try set("b=2; Max-Age=60; Path=/", in: store)
        try await store.flush()
        #expect(try field(store) == "a=1; b=2")
        #expect(try self.store().cookies == store.cookies)
    }

    @Test("that others may write, a link, and one that is too long are refused")
    func refused() async throws {
        let first = try store()
        try set("a=1; Max-Age=60", in: first)
        try await first.flush()
        chmod(path, 0o620)
        #expect(throws: PrivateFileError(path: path, reason: .notPrivate)) { try store() }
        chmod(path, 0o600)
        let link = folder.path + "/link"
        symlink(path, link)
        #expect(throws: PrivateFileError(path: link, reason: .notPrivate)) { try CookieStore(file: link) }
        var small = configuration()
        small.limits = CookieLimits(count: 1, byteCount: 1)
        try Data(repeating: 0x23, count: 1 << 20).write(to: URL(filePath: path))
        #expect(throws: PrivateFileError(path: path, reason: .tooLong)) {
            try CookieStore(file: path, configuration: small)
        }
    }

    @Test("is the old one or the new one, whichever call fails or ends the process", arguments: [false, true])
    func faults(crashes: Bool) async throws {
        let first = try store()
        try set("a=1; Max-Age=60", in: first)
        try await first.flush()
        let fault: FaultInjectingFileSystem.Fault = crashes ? .crash : .error(.noSpace)
        var number = 0
        while true {
            number += 1
            let files = FaultInjectingFileSystem(fault, atCall: number)
            do {
                let second = try store(files)
                try set("b=\(number); Max-Age=60", in: second)
                try await second.flush()
                if files.firedAt == nil { break }
            } catch {
                let _: PrivateFileError = try #require(error as? PrivateFileError)
            }
            let names = try store().cookies.map(\.name)
            #expect(names == ["a"] || names == ["a", "b"])
        }
        #expect(number > 5)
        #expect(try store().cookies.map(\.value) == ["1", "\(number)"])
    }

    @Test("gets the changes of a write that failed with the next one")
    func failedWrite() async throws {
        _ = try await {
            let first = try store()
            try set("a=1; Max-Age=60", in: first)
            try await first.flush()
        }()
        // The reads of opening come first.
        let files = FaultInjectingFileSystem(.error(.noSpace), atCall: 1, of: [.rename])
        let second = try store(files)
        try set("b=2; Max-Age=60", in: second)
        await #expect(throws: PrivateFileError.self) { try await second.flush() }
        #expect(try store().cookies.map(\.name) == ["a"])
        #expect(Set(second.cookies.map(\.name)) == ["a", "b"])
        try await second.flush()
        #expect(try store().cookies.map(\.name) == ["a", "b"])
    }
}

/// A folder of one test, which goes with it.
private final class CookieFolder: Sendable {
    let path: String

    init() {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        path = "\(parent)/halcyon-cookies-\(UUID().uuidString)"
        mkdir(path, 0o700)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
