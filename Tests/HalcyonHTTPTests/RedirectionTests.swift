import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import HalcyonTesting
import Testing

@Suite("the rules of redirects")
struct RedirectionTests {
    private func redirection(
        from url: String = "http://a.test/dir/page?q=1",
        to target: String,
        status: Int = 302,
        count: Int = 0,
        change: (inout TransferRequest) -> Void = { _ in }
    ) throws -> Redirection? {
        var request = TransferRequest(url: try #require(URL(string: url)))
        change(&request)
        let response = TransferResponse(status: status, headers: [.location: target], url: request.url)
        return try Redirection(response, to: request, after: count)
    }

    @Test(
        "a target is resolved against the request's URL (RFC 9110, section 10.2.2; RFC 3986, section 5)",
        arguments: [
            ("/x", "http://a.test/x"),
            ("x", "http://a.test/dir/x"),
            ("../x?y=z", "http://a.test/x?y=z"),
            ("./", "http://a.test/dir/"),
            ("?z", "http://a.test/dir/page?z"),
            ("//b.test/x", "http://b.test/x"),
            ("http://b.test", "http://b.test"),
            ("HTTPS://B.test:8443/x", "HTTPS://B.test:8443/x"),
            ("/a b/ü", "http://a.test/a%20b/%C3%BC"),
            ("/a%20b%2Fc", "http://a.test/a%20b%2Fc"),
        ]
    )
    func resolution(target: String, expected: String) throws {
        #expect(try redirection(to: target)?.request.url.absoluteString == expected)
    }

    @Test(
        "slashes before a host may be more or fewer, and a scheme without a host is that of the request (WHATWG URL)",
        arguments: [
            ("http:///b.test/x", "http://b.test/x"), ("///b.test/x", "http://b.test/x"),
            ("https:b.test/x", "https://b.test/x"), ("https:/b.test/x", "https://b.test/x"),
            ("http:x", "http://a.test/dir/x"), ("HTTP:/x", "http://a.test/x"), ("http:?z", "http://a.test/dir/page?z"),
            ("http:\\\\b.test\\x", "http://b.test/x"), ("http:////\u{FC}.test/", "http://xn--tda.test/"),
        ]
    )
    func slashes(target: String, expected: String) throws {
        #expect(try redirection(to: target)?.request.url.absoluteString == expected)
    }

    @Test("a relative target is resolved against the URL as it was sent, without dot segments")
    func dotSegments() throws {
        for base in ["http://a.test/a/b/..?q", "http://a.test/a/%2e/b/%2E%2e?q"] {
            #expect(try redirection(from: base, to: "c")?.request.url.absoluteString == "http://a.test/a/c")
            #expect(try redirection(from: base, to: "?d")?.request.url.absoluteString == "http://a.test/a/?d")
        }
        let next = try #require(try redirection(to: "/x/%2e%2e/y?z=/..")).request.url
        #expect(next.sent.absoluteString == "http://a.test/y?z=/..")
    }

    @Test("a fragment is inherited unless the target has one")
    func fragment() throws {
        let base = "http://a.test/page#old"
        #expect(try redirection(from: base, to: "/x")?.request.url.absoluteString == "http://a.test/x#old")
        #expect(try redirection(from: base, to: "/x#new")?.request.url.absoluteString == "http://a.test/x#new")
        #expect(try redirection(from: base, to: "http://b.test/")?.request.url.absoluteString == "http://b.test/#old")
    }

    @Test("an URL without a path has an empty one")
    func emptyPath() throws {
        #expect(try redirection(from: "http://a.test", to: "x")?.request.url.absoluteString == "http://a.test/x")
        #expect(try redirection(from: "http://a.test", to: "?x")?.request.url.absoluteString == "http://a.test?x")
    }

    @Test(
        "methods",
        arguments: [
            (301, "GET", "GET"), (302, "GET", "GET"), (303, "GET", "GET"), (307, "GET", "GET"), (308, "GET", "GET"),
            (301, "HEAD", "HEAD"), (303, "HEAD", "HEAD"), (307, "HEAD", "HEAD"),
            (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (307, "POST", "POST"),
            (308, "POST", "POST"), (301, "PUT", "PUT"), (302, "DELETE", "DELETE"), (303, "PUT", "GET"),
            (308, "PUT", "PUT"),
        ]
    )
    func methods(status: Int, before: String, after: String) throws {
        let next = try redirection(to: "/x", status: status) { request in
            request.method = HTTPRequest.Method(before) ?? .get
            request.body = Data([1])
            request.headers = [.contentType: "a/b", .contentEncoding: "gzip", .accept: "*/*"]
        }
        #expect(next?.request.method.rawValue == after)
        #expect(next?.request.body == (before == after ? Data([1]) : nil))
        #expect(next?.request.headers[.contentType] == (before == after ? "a/b" : nil))
        #expect(next?.request.headers[.contentEncoding] == (before == after ? "gzip" : nil))
        #expect(next?.request.headers[.accept] == "*/*")
    }

    @Test(
        "credentials stay within scheme, host and port",
        arguments: [
            ("/x", true), ("http://a.test:80/x", true), ("http://A.TEST/x", true), ("https://a.test/x", false),
            ("http://a.test:81/x", false), ("http://b.a.test/", false), ("//b.test/", false),
            ("http://a.test@b.test/", false), (#"http://a.test\@b.test/"#, true), (#"http://b.test\@a.test/"#, false),
        ]
    )
    func credentials(target: String, areKept: Bool) throws {
        let credential = Credential.bearer("secret")
        let next = try #require(
            try redirection(to: target) { request in
                request.credential = credential
                request.headers = [
                    .authorization: "a", .cookie: "b", .proxyAuthorization: "c", HTTPField.Name("Host")!: "d",
                    .accept: "e",
                ]
            }
        )
        #expect(next.leavesOrigin == !areKept)
        #expect(next.request.credential == (areKept ? credential : nil))
        #expect(next.request.headers.count == (areKept ? 5 : 1))
        #expect(next.request.headers[.accept] == "e")
    }

    @Test(
        "headers that may be a secret stay within their origin, whatever their name; those that say what is wanted go on"
    )
    func privateHeaders() throws {
        let wanted: HTTPFields = [
            .accept: "image/avif", .acceptLanguage: "eo", .range: "bytes=0-1", .ifNoneMatch: "\"1\"", .userAgent: "x",
            .referer: "http://c.test/", HTTPField.Name("Sec-CH-DPR")!: "2", HTTPField.Name("traceparent")!: "00",
        ]
        var headers = wanted
        for name in ["X-Api-Key", "apikey", "X-Amz-Security-Token", "Private-Token", "X-Forwarded-For", "Origin"] {
            headers[HTTPField.Name(name)!] = "secret"
        }
        let there = try #require(try redirection(to: "http://b.test/") { $0.headers = headers })
        #expect(there.request.headers == wanted)
        let within = try #require(try redirection(to: "/x") { $0.headers = headers })
        #expect(within.request.headers == headers)
    }

    @Test("what left its origin has nothing left to bring back")
    func thereAndBack() throws {
        let away = try #require(try redirection(to: "http://b.test/") { $0.headers = [.cookie: "a"] })
        let response = TransferResponse(status: 302, headers: [.location: "http://a.test/"], url: away.request.url)
        let back = try #require(try Redirection(response, to: away.request, after: 1))
        #expect(back.request.headers.isEmpty)
    }

    @Test("user information comes from the request, never from the target")
    func userInformation() throws {
        let base = "http://user:p%40ss@a.test/page"
        #expect(
            try redirection(from: base, to: "/x")?.request.url.absoluteString == "http://user:p%40ss@a.test/x"
        )
        #expect(
            try redirection(from: base, to: "http://other:word@a.test/x")?.request.url.absoluteString
                == "http://user:p%40ss@a.test/x"
        )
        #expect(try redirection(from: base, to: "http://b.test/x")?.request.url.absoluteString == "http://b.test/x")
        #expect(try redirection(to: "http://u:p@b.test/x")?.request.url.absoluteString == "http://b.test/x")
    }

    @Test("statuses that are none, and redirects without a target", arguments: [200, 300, 304, 305, 306, 399, 404])
    func plainResponses(status: Int) throws {
        #expect(try redirection(to: "/x", status: status) == nil)
        #expect(try redirection(to: "", status: 302) == nil)
        let url = try #require(URL(string: "http://a.test/"))
        #expect(try Redirection(.init(status: 302, url: url), to: .init(url: url), after: 0) == nil)
    }

    @Test("other schemes are refused", arguments: ["file:///etc/passwd", "ftp://a/b", "data:,x", "javascript:x"])
    func schemes(target: String) throws {
        #expect {
            _ = try redirection(to: target)
        } throws: { error in
            guard case TransferError.redirectRefused(let message) = error else { return false }
            return message.contains(target) && message.contains("a.test:80")
        }
    }

    @Test("targets that are no URL are errors", arguments: ["http://", "http:///", "https://a.test:99999/", "http:"])
    func malformed(target: String) throws {
        #expect {
            _ = try redirection(to: target)
        } throws: { error in
            guard case TransferError.malformedResponse = error else { return false }
            return true
        }
    }

    @Test("two targets are an error, one said twice is not")
    func twoTargets() throws {
        let url = try #require(URL(string: "http://a.test/"))
        func redirection(_ targets: String...) throws -> Redirection? {
            var headers = HTTPFields()
            for target in targets { headers.append(HTTPField(name: .location, value: target)) }
            return try Redirection(.init(status: 302, headers: headers, url: url), to: .init(url: url), after: 0)
        }
        #expect(try redirection("/x", "/x")?.request.url.absoluteString == "http://a.test/x")
        #expect(throws: TransferError.self) { _ = try redirection("/x", "/y") }
    }

    @Test("the limit counts redirects, not requests", arguments: [0, 1, 10])
    func limit(maximum: Int) throws {
        #expect(throws: TransferError.tooManyRedirects(maximum: maximum)) {
            _ = try redirection(to: "/x", count: maximum) { $0.limits.redirects = maximum }
        }
        guard maximum > 0 else { return }
        #expect(try redirection(to: "/x", count: maximum - 1) { $0.limits.redirects = maximum } != nil)
    }
}
