import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import HalcyonHTTP

@Suite("A field Set-Cookie")
struct CookieParsingTests {
    private static let now = Date(timeIntervalSince1970: 1_767_225_600)

    private func cookie(_ text: String, from url: String = "https://www.example.com/a/b/c.png") throws -> Cookie? {
        let url = try #require(URL(string: url))
        let place = try #require(CookiePlace(url))
        let configuration = CookieStore.Configuration()
        return Cookie(text, from: place, now: Self.now, isPublicSuffix: configuration.isSuffix)
    }

    @Test("without attributes is for its host alone, the folder of its path, and the session")
    func plain() throws {
        let cookie = try #require(try cookie("sid = 31d4\t"))
        #expect(cookie.name == "sid" && cookie.value == "31d4")
        #expect(cookie.domain == "www.example.com" && cookie.isHostOnly && cookie.path == "/a/b")
        #expect(cookie.expires == nil && !cookie.isSecure && !cookie.isHTTPOnly)
    }

    @Test("with attributes in any case, the last of each name counting")
    func attributes() throws {
        let text = "a=b=c; PATH=/x; path=/y; Domain=.Example.COM; secure; HttpOnly; Max-Age=60; Expires=x; SameSite=Lax"
        let cookie = try #require(try cookie(text))
        #expect(cookie.value == "b=c" && cookie.path == "/y" && cookie.domain == "example.com" && !cookie.isHostOnly)
        #expect(cookie.isSecure && cookie.isHTTPOnly && cookie.expires == Self.now.addingTimeInterval(60))
    }

    @Test(
        "that is no cookie, or one that its host may not set, is refused",
        arguments: [
            "", "name", "=value", "; Path=/", "a=b\u{1}", "a=b\u{7F}", "a=b; Domain=example.org", "a=b; Domain=com",
            "a=b; Domain=ample.com", "a=b; Domain=images.www.example.com", "__Secure-a=b", "__Host-a=b; Secure",
            "__host-a=b; Path=/", "__Host-a=b; Secure; Path=/; Domain=www.example.com",
            "a=" + String(repeating: "v", count: 4_096),
        ]
    )
    func refused(text: String) throws {
        #expect(try cookie(text) == nil)
    }

    @Test("that is marked secure is refused where it does not come over TLS")
    func insecure() throws {
        #expect(try cookie("a=b; Secure", from: "http://example.com/") == nil)
        #expect(try cookie("__Secure-a=b; Secure", from: "https://example.com/") != nil)
        #expect(try cookie("__Host-a=b; Secure; Path=/", from: "https://example.com/") != nil)
    }

    @Test("for a single label or an address is for that host alone, and for no host below it")
    func singleLabels() throws {
        for (host, wanted) in [("localhost", "localhost"), ("127.0.0.1", "127.0.0.1"), ("[::1]", "[::1]")] {
            let cookie = try #require(try cookie("a=b; Domain=\(wanted)", from: "http://\(host)/"))
            #expect(cookie.isHostOnly && cookie.domain == host)
        }
        #expect(try cookie("a=b; Domain=0.0.1", from: "http://127.0.0.1/") == nil)
        #expect(try cookie("a=b; Domain=localhost", from: "http://www.localhost/") == nil)
    }

    @Test("for a public suffix is refused, where the program has a list")
    func publicSuffix() throws {
        let url = try #require(URL(string: "https://shop.co.uk/"))
        let place = try #require(CookiePlace(url))
        var configuration = CookieStore.Configuration()
        #expect(Cookie("a=b; Domain=co.uk", from: place, now: Self.now, isPublicSuffix: configuration.isSuffix) != nil)
        configuration.isPublicSuffix = { $0 == "co.uk" }
        #expect(Cookie("a=b; Domain=co.uk", from: place, now: Self.now, isPublicSuffix: configuration.isSuffix) == nil)
    }

    @Test("lasts no longer than 400 days, and an age of zero or less ends it")
    func lifetime() throws {
        let longest = Self.now.addingTimeInterval(400 * 86_400)
        #expect(try cookie("a=b; Max-Age=99999999999999999999")?.expires == longest)
        #expect(try cookie("a=b; Expires=Fri, 31 Dec 9999 23:59:59 GMT")?.expires == longest)
        for age in ["0", "-1"] {
            #expect(try #require(try cookie("a=b; Max-Age=\(age)")).isExpired(at: Self.now))
        }
        #expect(try cookie("a=b; Max-Age=1x; Expires=Fri, 02 Jan 2026 00:00:00 GMT")?.expires == Self.now + 86_400)
        #expect(try cookie("a=b; Max-Age=+5; Expires=nonsense")?.expires == nil)
    }

    @Test(
        "has a date in any of the forms that servers use",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            "6 november 94 8:49:37", "08:49:37 06 Nov 1994 PST", "Sun, 06-Nov-1994 08:49:37",
        ]
    )
    func dates(text: String) {
        #expect(CookieDate.date(text) == Date(timeIntervalSince1970: 784_111_777))
    }

    @Test(
        "has no date in other text",
        arguments: [
            "", "0", "06 Nov 1994", "08:49:37 06 Nov", "32 Nov 1994 08:49:37", "06 Nov 1994 24:00:00",
            "06 Nov 1994 08:49", "06 Nov 1600 08:49:37", "30 Feb 2020 00:00:00", "06 Xxx 1994 08:49:37",
        ]
    )
    func noDates(text: String) {
        #expect(CookieDate.date(text) == nil)
    }
}
