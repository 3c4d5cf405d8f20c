import FoundationEssentials
import Halcyon
import HalcyonTesting
import Testing

@testable import HalcyonServer

@Suite("The sources of a server")
struct SourceRulesTests {
    private func rules(_ change: (inout SourceRules) -> Void = { _ in }) -> SourceRules {
        var rules = SourceRules()
        change(&rules)
        return rules
    }

    private func url(_ text: String, _ rules: SourceRules) throws -> String? {
        try rules.source(text).url?.absoluteString
    }

    @Test(
        "What begins like an allowed URL as text, and is another host or folder, is refused",
        arguments: [
            "https://good.test.evil.test/photos/a.jpg", "https://good.test@evil.test/photos/a.jpg",
            "https://good.testevil/photos/a.jpg",
            "http://good.test/photos/a.jpg", "https://good.test:444/photos/a.jpg", "https://good.test/other/a.jpg",
            "https://good.test/photos/../other/a.jpg", "https://good.test/photos/%2e%2e/other/a.jpg",
            "https://good.test/photos/..%2fother/a.jpg",
            // Characters that take in the slash before or behind them.
            "https://good.test/photos/../%CC%B8%D8%80/../other/a.jpg",
            "https://good.test/photos/..%2F%CC%B8/other/a.jpg", "https://good.test/photos/\u{600}/..\u{600}/../a.jpg",
            "https://good.test/photos/%FF/../../other/a.jpg", "https://good.test/photos%CC%B8/a.jpg",
            "file:///etc/passwd", "ftp://good.test/photos/a.jpg", "data:image/png;base64,AAAA",
            "//good.test/photos/a.jpg", "photos/a.jpg",
            "local:///a.jpg", "gopher://good.test/", "https:///photos/a.jpg",
        ]
    )
    func refused(_ text: String) {
        let rules = rules { $0.allowed = ["https://good.test/photos/"] }
        #expect(throws: SourceRefusal.self) { try rules.source(text) }
    }

    @Test("Allowed hosts, folders and names below a domain are taken, in any spelling of the host")
    func allowed() throws {
        let rules = rules { $0.allowed = ["https://good.test/photos/", "https://*.cdn.test"] }
        #expect(try url("https://GOOD.test/photos/a.jpg?x=1", rules) != nil)
        #expect(try url("https://good.test:443/photos/a.jpg", rules) != nil)
        #expect(try url("https://a.cdn.test/b.jpg", rules) != nil)
        #expect(throws: SourceRefusal.self) { try rules.source("https://cdn.test/b.jpg") }
        #expect(throws: SourceRefusal.self) { try rules.source("https://evilcdn.test/b.jpg") }
    }

    @Test("A source without a scheme is below the base, and does not leave it")
    func base() throws {
        let rules = rules {
            $0.base = "https://good.test/photos"
            $0.allowed = ["https://other.test/photos/"]
        }
        #expect(try url("a b.jpg", rules) == "https://good.test/photos/a%20b.jpg")
        #expect(try url("/2024/a.jpg", rules) == "https://good.test/photos/2024/a.jpg")
        #expect(throws: SourceRefusal.self) { try rules.source("../secret.jpg") }
        #expect(throws: SourceRefusal.self) { try rules.source("https://good.test/photos-secret/a.jpg") }
        #expect(throws: SourceRefusal.self) { try rules.source("https://other.test/a.jpg") }
    }

    @Test("A base alone forbids no other source")
    func baseAlone() throws {
        let rules = rules { $0.base = "https://good.test/photos" }
        #expect(try url("a.jpg", rules) == "https://good.test/photos/a.jpg")
        #expect(try url("https://other.test/a.jpg", rules) == "https://other.test/a.jpg")
        #expect(throws: SourceRefusal.self) { try rules.source("../secret.jpg") }
    }

    @Test(
        "Addresses that may be asked are names, addresses and networks",
        arguments: [
            ("10.1.0.0/16", true), ("fd00::/8", true), ("127.0.0.1", true), ("::1", true), ("store.internal", true),
            ("10.1.0.0/33", false), ("10.1/16", false), ("10.1.0", false), ("http://store.internal", false),
            ("store.internal:9000", false), ("*.internal", false), ("fd00::/129", false), ("10.1.0.0/", false),
        ]
    )
    func addresses(_ text: String, _ isValid: Bool) {
        let rules = rules { $0.allowedAddresses = [text] }
        #expect(((try? rules.check()) != nil) == isValid)
    }

    @Test("Without rules, every web server is taken, and nothing else")
    func open() throws {
        #expect(try url("https://any.test/a.jpg", rules()) == "https://any.test/a.jpg")
        #expect(throws: SourceRefusal.self) { try rules().source("file:///etc/passwd") }
    }

    @Test(
        "Characters that a URL must not have as they are become escapes, and escapes stay",
        arguments: [
            ("https://any.test/a%20b.jpg", "a%20b.jpg"), ("https://any.test/a%20b c.jpg", "a%20b%20c.jpg"),
            ("https://any.test/ä%C3%A4.jpg", "%C3%A4%C3%A4.jpg"), ("https://any.test/100%.jpg", "100%25.jpg"),
            ("https://any.test/a?b=%7C|", "a?b=%7C%7C"), ("https://any.test/[a]%2F", "%5Ba%5D%2F"),
            ("https://any.test/a#b#c", "a#b%23c"),
        ]
    )
    func escapes(_ text: String, _ expected: String) throws {
        #expect(try url(text, rules()) == "https://any.test/" + expected)
    }

    @Test(
        "A source with dot segments is refused by them",
        arguments: ["https://any.test/a/../b", "https://any.test/%2e/b"]
    )
    func dotSegments(_ text: String) {
        let refusal = #expect(throws: SourceRefusal.self) { try rules().source(text) }
        #expect(refusal?.message.contains("..") == true)
    }

    @Test("Addresses and international names are hosts of sources")
    func hosts() throws {
        #expect(try url("http://[2001:db8::1]:90/a b", rules()) == "http://[2001:db8::1]:90/a%20b")
        #expect(try url("https://bücher.test/a b%20c", rules())?.hasSuffix("/a%20b%20c") == true)
    }

    @Test("Local sources stay within the root, also by links, and are files")
    func local() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "root-\(UInt64.random(in: 0 ... .max))")
            .path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let files = FileManager.default
        try files.createDirectory(atPath: folder + "/root/sub", withIntermediateDirectories: true)
        for path in ["/root/sub/a.jpg", "/secret.jpg", "/rootlike.jpg"] {
            try Data("x".utf8).write(to: URL(filePath: folder + path))
        }
        try files.createSymbolicLink(atPath: folder + "/root/in.jpg", withDestinationPath: "sub/a.jpg")
        try files.createSymbolicLink(atPath: folder + "/root/out.jpg", withDestinationPath: folder + "/secret.jpg")
        try files.createSymbolicLink(atPath: folder + "/root/up", withDestinationPath: "..")
        let rules = rules { $0.localRoot = folder + "/root" }
        for path in ["/sub/a.jpg", "/in.jpg", "/sub/../sub/a.jpg"] {
            #expect(try rules.source("local://" + path).url?.path.hasSuffix("/root/sub/a.jpg") == true)
        }
        for path in [
            "/out.jpg", "/up/secret.jpg", "/../secret.jpg", "/../rootlike.jpg", "/sub", "/none.jpg", "sub/a.jpg", "",
        ] {
            let refusal = #expect(throws: SourceRefusal.self) { try rules.source("local://" + path) }
            #expect(refusal?.status == 404)
        }
    }

    @Test("A redirect out of the allowed sources is a 403")
    func redirect() async throws {
        let hooks = OriginHooks(rules: rules { $0.allowed = ["https://good.test/"] })
        let inside = TransferRequest(url: try #require(URL(string: "https://good.test/b.jpg")))
        let outside = TransferRequest(url: try #require(URL(string: "https://evil.test/b.jpg")))
        let response = TransferResponse(status: 302, headers: [:], url: inside.url)
        #expect(try await hooks.request(after: response, proposed: inside) == inside)
        #expect(try await hooks.request(after: response, proposed: outside) == nil)
    }

    @Test("Headers of an origin go to its own URLs alone, and over HTTP only where that is said")
    func headers() async throws {
        let secret = ["Authorization": "secret"]
        let hooks = OriginHooks(rules: rules { $0.headers = ["Good.test": secret, "http://inner.test:90/a/": secret] })
        func header(_ url: String) async throws -> String? {
            let request = TransferRequest(url: try #require(URL(string: url)))
            return try await hooks.modified(request)?.headers[.authorization]
        }
        for url in ["https://Good.test/b.jpg", "https://good.test:443/b.jpg", "http://inner.test:90/a/b.jpg"] {
            #expect(try await header(url) == "secret", "\(url)")
        }
        for url in [
            "https://other.test/b.jpg", "http://good.test/b.jpg", "https://good.test:444/b.jpg",
            "http://inner.test:90/b.jpg", "https://a.good.test/b.jpg",
        ] {
            #expect(try await header(url) == nil, "\(url)")
        }
    }
}
