import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import HalcyonHTTP

@Suite("the hosts of URLs")
struct HostNameTests {
    @Test(
        "are sent in ASCII, whatever the locale",
        arguments: [
            ("münchen.localhost", "xn--mnchen-3ya.localhost"), ("MÜNCHEN.De", "xn--mnchen-3ya.de"),
            ("m%C3%BCnchen.de", "xn--mnchen-3ya.de"), ("faß.de", "xn--fa-hia.de"),
            ("münchen。de.", "xn--mnchen-3ya.de."),
            ("例え.jp", "xn--r8jz45g.jp"), ("u\u{308}.de", "xn--tda.de"), ("a_b.ü", "a_b.xn--tda"),
            ("xn--mnchen-3ya.de", "xn--mnchen-3ya.de"), ("XN--Mnchen-3YA.de", "xn--mnchen-3ya.de"),
            ("ex%61mple%2ECOM", "example.com"), ("１２７.0.0.1", "127.0.0.1"), ("①②⑦.0.0.1", "127.0.0.1"),
            ("[::1]", "[::1]"), ("[FE80::1%25eth0]", "[fe80::1%25eth0]"), ("a_b.test", "a_b.test"),
        ]
    )
    func ascii(host: String, expected: String) {
        #expect(HostName.ascii(host) == expected)
    }

    @Test(
        "that have no such form are none",
        arguments: [
            "-ü.de", "ü-.de", "xn--ü.de", "xn--a.ü", "ü／evil.test", "ü%2Fevil.test", "a%2Fb", "a%40b", "a%00b", "a%20b",
            "%zz",
            "a%3A80", "%FF%FE", "\u{200C}ü.de", "", "a%25b", String(repeating: "ü", count: 100),
            String(repeating: "ü", count: 2_000),
        ]
    )
    func invalid(host: String) async throws {
        #expect(HostName.ascii(host) == nil)
        guard let url = URL(string: "http://\(host)/") else { return }
        #expect(Origin(url.absoluteString) == nil)
        let transport = CurlTransport()
        defer { transport.shutdown() }
        #expect(await receive(transport, .patient(url: url)).failure()?.code == "invalidURL")
    }

    @Test(
        "are read from text as browsers do",
        arguments: [
            (" http://a.test/x\r\n", "http://a.test/x"), ("\u{1}\t http://a.test/x \u{0}", "http://a.test/x"),
            ("ht\ntp://a.te\tst/x\ry", "http://a.test/xy"), ("http://a.test/x y", "http://a.test/x%20y"),
            ("http://münchen.de:8080/ü?ä#ö", "http://xn--mnchen-3ya.de:8080/%C3%BC?%C3%A4#%C3%B6"),
            ("HTTPS://u:p%C3%A9@MÜNCHEN.de", "HTTPS://u:p%C3%A9@xn--mnchen-3ya.de"),
            ("http://ü@a.test/", "http://%C3%BC@a.test/"),
            ("http://a.test/@ü:80/", "http://a.test/@%C3%BC:80/"), ("http://a.test?@ü", "http://a.test?@%C3%BC"),
            ("http://[::1]:80/ü", "http://[::1]:80/%C3%BC"), ("http://ex%61mple.com/%61", "http://example.com/%61"),
            ("http:\\\\a.test\\x?\\", "http://a.test/x?%5C"), ("http://a.test\\@b.test/", "http://a.test/@b.test/"),
            ("//a.test\\@b.test/", "//a.test/@b.test/"),
            ("http://a.test\\\u{301}@b.test/", "http://a.test/%CC%81@b.test/"),
            ("\\x", "/x"), ("ftp://a.test/\\", "ftp://a.test/%5C"),
            ("//münchen.de/x", "//xn--mnchen-3ya.de/x"), ("ü/x", "%C3%BC/x"),
            ("http://a.test/?u=http://ü/", "http://a.test/?u=http://%C3%BC/"),
            // What is an escape stays one, whatever there is to escape beside it.
            ("http://a.test/a%20b|c", "http://a.test/a%20b%7Cc"),
            ("http://a.test/a%20é[1]", "http://a.test/a%20%C3%A9%5B1%5D"),
            ("/i?u=https%3A%2F%2Fx&t=é", "/i?u=https%3A%2F%2Fx&t=%C3%A9"),
            ("http://a.test/%e7%9F ü#%20|#", "http://a.test/%e7%9F%20%C3%BC#%20%7C%23"),
            ("http://a.test/?w=100%&t=a%20b%2", "http://a.test/?w=100%25&t=a%20b%252"),
            ("file:///a%20é.png", "file:///a%20%C3%A9.png"),
        ]
    )
    func written(text: String, expected: String) {
        #expect(URL(written: text)?.absoluteString == expected)
    }

    @Test("that are international are what redirects, policies, credentials and cookies are about")
    func transfers() async throws {
        var configuration = CurlTransport.Configuration()
        configuration.addresses = .publicOnly(allowing: ["localhost", "MÜNCHEN.localhost"])
        configuration.credentials = ["münchen.localhost": .basic(user: "a", password: "b")]
        try await withServer(configuration: configuration) { request in
            let host = request.headers.first { $0.name.canonicalName == "host" }?.value ?? ""
            let port = host.split(separator: ":").last ?? ""
            switch request.path {
            case "/first": return Self.redirect(to: "\t http://münchen.localhost:\(port)/sec\tond ")
            case "/second":
                return Self.redirect(
                    to: "//M%C3%BCnchen.localhost:\(port)/third",
                    cookie: "a=1; Domain=xn--mnchen-3ya.localhost"
                )
            case "/third": return Self.redirect(to: "http://grün.localhost:\(port)/refused")
            default: return .init(body: Array(host.utf8))
            }
        } _: { server, transport in
            let first = try #require(URL(string: "http://localhost:\(server.port)/first"))
            let receiver = await receive(transport, .patient(url: first))
            #expect(await receiver.failure()?.code == "addressRefused")
            let name = "xn--mnchen-3ya.localhost:\(server.port)"
            let hosts = server.requests.map { $0.headers.first { $0.name.canonicalName == "host" }?.value }
            #expect(hosts == ["localhost:\(server.port)", name, name])
            #expect(server.requests.map(\.path) == ["/first", "/second", "/third"])
            #expect(server.requests.map { $0.headers[.authorization] } == [nil, "Basic YTpi", "Basic YTpi"])
            #expect(server.requests.map { $0.headers[.cookie] } == [nil, nil, "a=1"])

            let url = try #require(URL(string: "http://m%C3%BCnchen.localhost:\(server.port)/"))
            let direct = await receive(transport, .patient(url: url))
            #expect(direct.body == Data(name.utf8))
        }
    }

    /// A redirect whose target is sent byte by byte, as no field of HTTPTypes would have it.
    private static func redirect(to target: String, cookie: String? = nil) -> OriginServer.Response {
        let cookie = cookie.map { "Set-Cookie: \($0)\r\n" } ?? ""
        return .init(steps: [
            .bytes(Array("HTTP/1.1 302 Found\r\n\(cookie)Location: \(target)\r\nContent-Length: 0\r\n\r\n".utf8))
        ])
    }
}
