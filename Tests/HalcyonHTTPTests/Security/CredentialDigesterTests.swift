import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

@testable import HalcyonHTTP

@Suite("the digest of a credential")
struct CredentialDigesterTests {
    private let digester = CredentialDigester()
    private let url = URL(string: "https://images.example/a")

    private func request(_ change: (inout TransferRequest) -> Void = { _ in }) throws -> TransferRequest {
        var request = TransferRequest(url: try #require(url))
        change(&request)
        return request
    }

    @Test("is the same for the same credential, and different for any other")
    func distinction() throws {
        let requests: [TransferRequest] = try [
            request { $0.headers[.authorization] = "a" }, request { $0.headers[.authorization] = "b" },
            request { $0.headers[.cookie] = "a" },
            request {
                $0.headers[.authorization] = "a"
                $0.headers[.cookie] = "a"
            },
            request { $0.credential = .bearer("a") }, request { $0.credential = .basic(user: "a", password: "b") },
            request { $0.credential = .basic(user: "ab", password: "") },
            request { $0.credential = .digest(user: "a", password: "b") },
            request { $0.url = URL(string: "https://u@images.example/a") ?? $0.url },
        ]
        let digests = requests.map { digester.digest(of: $0) }
        #expect(!digests.contains(nil))
        #expect(Set(digests).count == requests.count)
        #expect(digests == requests.map { digester.digest(of: $0) })
        // With another key nothing is the same.
        let other = CredentialDigester()
        #expect(Set(digests).isDisjoint(with: requests.map { other.digest(of: $0) }))
    }

    @Test("is of what is sent: the header goes before the credential, that before the URL's")
    func precedence() throws {
        let header = try request { $0.headers[.authorization] = "a" }
        let both = try request {
            $0.headers[.authorization] = "a"
            $0.credential = .bearer("b")
        }
        #expect(digester.digest(of: header) == digester.digest(of: both))
    }

    @Test("is none where nothing says who asks, or only to a proxy that makes a tunnel")
    func none() throws {
        #expect(try digester.digest(of: request()) == nil)
        #expect(try digester.digest(of: request { $0.headers[.accept] = "image/png" }) == nil)
        #expect(try digester.digest(of: request { $0.proxyCredential = .bearer("a") }) == nil)
        let plain = try request {
            $0.url = URL(string: "http://images.example/a@b") ?? $0.url
        }
        #expect(digester.digest(of: plain) == nil)
        var proxied = plain
        proxied.proxyCredential = .bearer("a")
        #expect(digester.digest(of: proxied) != nil)
    }

    @Test("is that of SipHash-2-4 with 128 bits, as its authors' vectors are")
    func vectors() {
        let hash = KeyedHash(key: UInt8(0)..<16)
        let expected: [(count: UInt8, bytes: [UInt8])] = [
            (0, [0xA3, 0x81, 0x7F, 0x04, 0xBA, 0x25, 0xA8, 0xE6, 0x6D, 0xF6, 0x72, 0x14, 0xC7, 0x55, 0x02, 0x93]),
            (1, [0xDA, 0x87, 0xC1, 0xD8, 0x6B, 0x99, 0xAF, 0x44, 0x34, 0x76, 0x59, 0x11, 0x9B, 0x22, 0xFC, 0x45]),
            (7, [0xA1, 0xF1, 0xEB, 0xBE, 0xD8, 0xDB, 0xC1, 0x53, 0xC0, 0xB8, 0x4A, 0xA6, 0x1F, 0xF0, 0x82, 0x39]),
            (8, [0x3B, 0x62, 0xA9, 0xBA, 0x62, 0x58, 0xF5, 0x61, 0x0F, 0x83, 0xE2, 0x64, 0xF3, 0x14, 0x97, 0xB4]),
            (9, [0x26, 0x44, 0x99, 0x06, 0x0A, 0xD9, 0xBA, 0xAB, 0xC4, 0x7F, 0x8B, 0x02, 0xBB, 0x6D, 0x71, 0xED]),
            (15, [0x54, 0x93, 0xE9, 0x99, 0x33, 0xB0, 0xA8, 0x11, 0x7E, 0x08, 0xEC, 0x0F, 0x97, 0xCF, 0xC3, 0xD9]),
            (16, [0x6E, 0xE2, 0xA4, 0xCA, 0x67, 0xB0, 0x54, 0xBB, 0xFD, 0x33, 0x15, 0xBF, 0x85, 0x23, 0x05, 0x77]),
            (63, [0x51, 0x50, 0xD1, 0x77, 0x2F, 0x50, 0x83, 0x4A, 0x50, 0x3E, 0x06, 0x9A, 0x97, 0x3F, 0xBD, 0x7C]),
        ]
        for (count, bytes) in expected {
            let words = hash.hash(of: Array(0..<count))
            let found =
                withUnsafeBytes(of: words.0.littleEndian) { Array($0) }
                + withUnsafeBytes(of: words.1.littleEndian) { Array($0) }
            #expect(found == bytes)
        }
    }
}

@Suite("the secret of an installation")
struct InstallationSecretTests {
    private let folder = "/tmp/halcyon-secret-\(UUID().uuidString)/state/halcyon"

    private func withFolder(_ body: () throws -> Void) rethrows {
        defer { try? FileManager.default.removeItem(atPath: String(folder.dropLast("/state/halcyon".count))) }
        try body()
    }

    @Test("is the same the next time, and its owner's alone")
    func persistence() throws {
        try withFolder {
            let key = try #require(InstallationSecret.key(in: folder))
            #expect(InstallationSecret.key(in: folder) == key)
            var status = stat()
            #expect(stat(folder + "/credential-key", &status) == 0 && status.st_mode & 0o777 == 0o600)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["credential-key"])
        }
    }

    @Test("is one for all who look for it first at the same time")
    func race() async {
        let folder = folder
        let keys = await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { InstallationSecret.key(in: folder) } }
            return await group.reduce(into: Set<[UInt8]?>()) { $0.insert($1) }
        }
        withFolder { #expect(keys.count == 1 && !keys.contains(nil)) }
    }

    @Test("is made anew where others can read it, or where it is damaged")
    func damage() throws {
        try withFolder {
            let path = folder + "/credential-key"
            let first = try #require(InstallationSecret.key(in: folder))
            chmod(path, 0o644)
            let second = try #require(InstallationSecret.key(in: folder))
            #expect(second != first)
            truncate(path, 3)
            let third = try #require(InstallationSecret.key(in: folder))
            #expect(third != second && InstallationSecret.key(in: folder) == third)
        }
    }

    @Test("is none where there is no place for it")
    func noPlace() {
        #expect(InstallationSecret.key(in: "/dev/null/halcyon") == nil)
        #expect(InstallationSecret.folder(home: nil) { _ in nil } == nil)
    }

    @Test("lies where the variables say, then in the home of the user database")
    func place() {
        func folder(_ variables: [String: String]) -> String? {
            InstallationSecret.folder(home: "/d") { variables[$0] }
        }
        #expect(folder(["HOME": "/h"]) == "/h/.local/state/halcyon")
        #expect(folder(["HOME": "/h", "XDG_STATE_HOME": "relative"]) == "/h/.local/state/halcyon")
        #expect(folder(["HOME": "/h", "XDG_STATE_HOME": "/s"]) == "/s/halcyon")
        for variables in [[:], ["HOME": ""], ["HOME": "h"]] { #expect(folder(variables) == "/d/.local/state/halcyon") }
    }
}
