import FoundationEssentials
import HTTPTypes
import HalcyonConcurrency
import HalcyonTesting
import Testing

@testable import HalcyonHTTP

@Suite("A store of cookies")
struct CookieStoreTests {
    private let clock = ManualStoreClock()

    private func store(_ limits: CookieLimits = CookieLimits()) -> CookieStore {
        var configuration = CookieStore.Configuration()
        configuration.clock = clock.clock
        configuration.limits = limits
        return CookieStore(configuration: configuration)
    }

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    private func set(_ cookies: String..., in store: CookieStore, from text: String) throws {
        store.receive(
            HTTPFields(cookies.map { HTTPField(name: .setCookie, value: $0) }),
            from: try url(text)
        )
    }

    @Test("sends longer paths first, then what was set first, and keeps the place of what is set again")
    func order() throws {
        let store = store()
        try set("a=1; Path=/", "b=2; Path=/x", "c=3; Path=/", in: store, from: "https://example.com/")
        try set("a=4; Path=/", in: store, from: "https://example.com/")
        #expect(store.field(for: try url("https://example.com/x/y")) == "b=2; a=4; c=3")
        #expect(store.cookies(for: try url("https://example.com/xy")).map(\.name) == ["a", "c"])
        #expect(store.field(for: try url("https://example.com/x/%2e./y")) == "a=4; c=3", "sent as /y")
        #expect(store.field(for: try url("https://example.org/x")) == nil)
    }

    @Test("sends a cookie of a domain to the hosts below it, one of a host to that alone, and a secure one over TLS")
    func places() throws {
        let store = store()
        try set(
            "d=1; Domain=example.com; Path=/",
            "h=2; Path=/",
            "s=3; Secure; Path=/",
            in: store,
            from: "https://www.example.com/"
        )
        for (place, field) in [
            ("https://www.example.com/", "d=1; h=2; s=3"), ("http://www.example.com:8080/", "d=1; h=2"),
            ("https://example.com/", "d=1"), ("https://a.b.example.com/", "d=1"), ("https://badexample.com/", nil),
            ("https://WWW.Example.com/", "d=1; h=2; s=3"), ("https://com/", nil),
        ] {
            #expect(store.field(for: try url(place)) == field)
        }
    }

    @Test("ends cookies by its clock")
    func expiry() throws {
        let store = store()
        try set("a=1; Max-Age=60", "b=2", in: store, from: "https://example.com/")
        clock.advance(by: 59)
        #expect(store.field(for: try url("https://example.com/")) == "a=1; b=2")
        clock.advance(by: 1)
        #expect(store.field(for: try url("https://example.com/")) == "b=2")
        try set("b=; Max-Age=0", in: store, from: "https://example.com/")
        #expect(store.cookies.isEmpty)
    }

    @Test("lets no cookie without TLS take the place of a secure one, nor stand beside it")
    func secureOverlay() throws {
        let store = store()
        try set("a=1; Secure; Domain=example.com; Path=/x", in: store, from: "https://www.example.com/")
        try set(
            "a=2; Path=/x/y",
            "a=3; Domain=example.com; Path=/x",
            "b=4; Path=/x",
            in: store,
            from: "http://www.example.com/"
        )
        #expect(store.field(for: try url("https://www.example.com/x/y")) == "a=1; b=4")
        // A shorter path does not hide it.
        try set("a=5; Path=/", in: store, from: "http://www.example.com/")
        #expect(store.field(for: try url("https://www.example.com/x/y")) == "a=1; b=4; a=5")
    }

    @Test("lets a cookie without TLS take the place of a secure one that has expired")
    func expiredSecureCookie() throws {
        let store = store()
        try set("a=1; Secure; Max-Age=60; Path=/", in: store, from: "https://example.com/")
        clock.advance(by: 60)
        try set("a=2; Path=/", in: store, from: "http://example.com/")
        #expect(store.field(for: try url("http://example.com/")) == "a=2")
    }

    @Test("takes a value that only looks like the one it has")
    func equivalentValues() throws {
        let store = store()
        for value in ["caf\u{e9}", "cafe\u{301}"] {
            try set("a=\(value); Path=/", in: store, from: "https://example.com/")
            #expect(store.cookies.map { Array($0.value.utf8) } == [Array(value.utf8)])
        }
    }

    @Test("keeps the newest of a domain, and of all sites together those with few")
    func limits() throws {
        let store = store(CookieLimits(domainCount: 5, count: 32))
        for number in 0..<8 { try set("c\(number)=v; Path=/", in: store, from: "https://one.example/") }
        #expect(store.cookies.map(\.name) == (3..<8).map { "c\($0)" })
        // A site cannot push others out by hosts of its own.
        for number in 0..<100 { try set("e=v; Path=/", in: store, from: "https://h\(number).evil.example/") }
        #expect(store.cookies.count <= 32)
        #expect(store.cookies(for: try url("https://one.example/")).count == 5)
    }

    @Test("keeps no more bytes than its limit, and sends no longer field than servers take")
    func bytes() throws {
        let store = store(CookieLimits(byteCount: 40_000))
        let value = String(repeating: "v", count: 3_000)
        for number in 0..<40 {
            try set("c\(number)=\(value); Path=/", in: store, from: "https://a\(number % 4).example/")
        }
        #expect(store.cookies.reduce(0) { $0 + $1.byteCount } <= 40_000)
        let field = try #require(store.field(for: try url("https://a3.example/")))
        #expect(field.utf8.count <= CookieTable.maximumFieldBytes)
    }

    @Test("calls the program's rule of public suffixes with no lock held")
    func rule() throws {
        let holder = Holder()
        var configuration = CookieStore.Configuration()
        configuration.limits = CookieLimits(count: 2)
        configuration.isPublicSuffix = { _ in
            // Would not return if the lock were held.
            _ = holder.store?.cookies
            return false
        }
        let store = CookieStore(configuration: configuration)
        holder.set(store)
        for number in 0..<5 { try set("a=1", in: store, from: "https://h\(number).evil.example/") }
        #expect(store.cookies.count <= 2)
        holder.set(nil)
    }

    @Test("removes all, or what a program names")
    func removal() throws {
        let store = store()
        try set("a=1", "b=2", in: store, from: "https://example.com/")
        store.removeAll { $0.name == "a" }
        #expect(store.cookies.map(\.name) == ["b"])
        store.removeAll()
        #expect(store.cookies.isEmpty)
    }

    @Test("gives no value away in descriptions")
    func description() throws {
        let store = store()
        try set("a=secret", in: store, from: "https://example.com/")
        #expect(!store.cookies.map(\.debugDescription).joined().contains("secret"))
    }
}

/// Holds a store for a closure that is made before it.
private final class Holder: Sendable {
    private let box = Lock<CookieStore?>(nil)

    var store: CookieStore? { box.withLock { $0 } }

    func set(_ store: CookieStore?) { box.withLock { $0 = store } }
}
