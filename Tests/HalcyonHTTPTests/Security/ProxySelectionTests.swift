import Testing

@testable import HalcyonHTTP

@Suite("the environment's proxy")
struct ProxySelectionTests {
    @Test(
        "is found by the variables curl reads, in lower case first",
        arguments: [
            (["http_proxy": "a:1"], "a:1", nil), (["HTTP_PROXY": "a:1"], nil, nil),
            (["https_proxy": "a:1"], nil, "a:1"), (["HTTPS_PROXY": "a:1"], nil, "a:1"),
            (["https_proxy": "a:1", "HTTPS_PROXY": "b:2"], nil, "a:1"), (["all_proxy": "a:1"], "a:1", "a:1"),
            (["ALL_PROXY": "a:1", "http_proxy": "b:2"], "b:2", "a:1"), (["http_proxy": "", "all_proxy": ""], nil, nil),
        ] as [([String: String], String?, String?)]
    )
    func variables(environment: [String: String], plain: String?, secure: String?) throws {
        let selection = ProxySelection(.environment, environment: environment)
        #expect(try selection.proxy(for: origin("http://x.example/"))?.description == plain)
        #expect(try selection.proxy(for: origin("https://x.example/"))?.description == secure)
    }

    @Test(
        "is read from a URL as curl reads it",
        arguments: [
            ("proxy", Proxy(.http, host: "proxy", port: 1080)), ("proxy:3128", Proxy(.http, host: "proxy", port: 3128)),
            ("http://proxy:80", Proxy(.http, host: "proxy", port: 80)),
            ("https://proxy/", Proxy(.https, host: "proxy", port: 443)),
            ("HTTPS://Proxy:8443/x?y", Proxy(.https, host: "proxy", port: 8443)),
            ("socks5://proxy", Proxy(.socks5, host: "proxy", port: 1080)),
            ("socks5h://[::1]:9050", Proxy(.socks5, host: "::1", port: 9050)),
            ("[::1]", Proxy(.http, host: "::1", port: 1080)),
            (
                "u:p@proxy:1",
                Proxy(.http, host: "proxy", port: 1, credential: .basic(user: "u", password: "p"))
            ),
            (
                "http://u%3a%40@proxy:1",
                Proxy(.http, host: "proxy", port: 1, credential: .basic(user: "u:@", password: ""))
            ),
            ("socks4://proxy", nil), ("ftp://proxy", nil), ("http://", nil), ("http://proxy:port", nil), ("", nil),
            ("::::", nil), ("::1", nil),
        ] as [(String, Proxy?)]
    )
    func url(text: String, expected: Proxy?) {
        #expect(Proxy(text) == expected)
    }

    @Test("that cannot be understood is an error, not a way around it, and keeps its password")
    func unreadable() throws {
        let selection = ProxySelection(.environment, environment: ["all_proxy": "socks4://me:secret@proxy:1"])
        let origin = try origin("http://x.example/")
        let error = #expect(throws: TransferError.self) { try selection.proxy(for: origin) }
        #expect(error?.code == "cannotConnect")
        #expect(error?.description.contains("proxy:1") == true && error?.description.contains("secret") == false)
    }

    @Test(
        "is left out for the hosts of no_proxy",
        arguments: [
            ("example.com", "http://example.com/", true), ("example.com", "http://a.example.com./", true),
            (".example.com", "http://example.com/", true), ("*.example.com", "http://a.example.com/", true),
            ("example.com", "http://badexample.com/", false), ("example.com", "http://example.com.evil/", false),
            ("EXAMPLE.com", "http://eXample.COM/", true), ("a, b c", "http://c/", true), ("a,,b", "http://x/", false),
            ("*", "http://anything/", true), ("", "http://anything/", false), ("host:81", "http://host:81/", true),
            ("host:81", "http://host/", false), ("10.0.0.0/8", "http://10.1.2.3/", true),
            ("10.0.0.0/8", "http://11.1.2.3/", false), ("127.0.0.1", "http://127.1/", true),
            ("127.0.0.1:8080", "http://127.0.0.1:8080/", true), ("127.0.0.1:8080", "http://127.0.0.1/", false),
            ("::1", "http://[::1]/", true), ("[::1]:80", "http://[::1]/", true), ("[::1]:81", "http://[::1]/", false),
            ("fd00::/8", "http://[fd00::1]/", true), ("0.0.1", "http://127.0.0.1/", false),
            ("10.0.0.0/8", "http://10.example/", false),
        ]
    )
    func exceptions(list: String, url: String, isLeftOut: Bool) throws {
        let environment = ["all_proxy": "proxy:1", "no_proxy": list]
        let selection = ProxySelection(.environment, environment: environment)
        #expect(try selection.proxy(for: origin(url)) == (isLeftOut ? nil : Proxy(host: "proxy", port: 1)))
    }

    private func origin(_ url: String) throws -> Origin {
        try #require(Origin(url))
    }
}
