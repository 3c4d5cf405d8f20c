import FoundationEssentials
import HTTPTypes
import Testing

@testable import HalcyonHTTP

@Suite("the rules of resuming")
struct ResumeRulesTests {
    private static func url(_ text: String = "http://example.com/a.png?x=1") -> URL {
        URL(string: text).unsafelyUnwrapped
    }

    private static func response(
        _ status: Int = 200,
        _ headers: HTTPFields,
        url: URL = url(),
        length: Int? = 1000
    ) -> TransferResponse {
        TransferResponse(status: status, headers: headers, url: url, expectedBodyBytes: length)
    }

    @Test(
        "a response is kept with a strong entity tag, or a date that is strong by RFC 9110, 8.8.2.2, alone",
        arguments: [
            ([.eTag: "\"a\""], "\"a\""),
            ([.eTag: "\"\""], "\"\""),
            ([.eTag: "W/\"a\""], nil),
            ([.eTag: "a"], nil),
            ([.eTag: "\"a"], nil),
            ([.eTag: "\"a\"b\""], nil),
            ([.eTag: "\"a b\""], nil),
            ([:], nil),
            (
                [.lastModified: "Sun, 06 Nov 1994 08:49:37 GMT", .date: "Sun, 06 Nov 1994 08:50:37 GMT"],
                "Sun, 06 Nov 1994 08:49:37 GMT"
            ),
            ([.lastModified: "Sun, 06 Nov 1994 08:49:37 GMT", .date: "Sun, 06 Nov 1994 08:50:36 GMT"], nil),
            ([.lastModified: "Sun, 06 Nov 1994 08:49:37 GMT"], nil),
            ([.lastModified: "Sunday, 06-Nov-94 08:49:37 GMT", .date: "Mon, 06 Nov 1995 08:50:37 GMT"], nil),
            (
                [
                    .eTag: "W/\"a\"", .lastModified: "Sun, 06 Nov 1994 08:49:37 GMT",
                    .date: "Mon, 06 Nov 1995 08:49:37 GMT",
                ], nil
            ),
            ([.eTag: "\"a\"", .lastModified: "Sun, 06 Nov 1994 08:49:37 GMT"], "\"a\""),
        ] as [(HTTPFields, String?)]
    )
    func validator(headers: HTTPFields, wanted: String?) {
        #expect(PartialResponse(keeping: Self.response(200, headers))?.validator == wanted)
    }

    @Test(
        "a response is not kept that is coded, not to be stored, without ranges, or no 200",
        arguments: [
            (200, [:], true),
            (200, [.contentEncoding: "identity"], true),
            (200, [.contentEncoding: "gzip"], false), (200, [.contentEncoding: "none, x-gzip"], false),
            (200, [.contentEncoding: "none"], true), (200, [.contentEncoding: "aws-chunked"], true),
            (200, [.acceptRanges: "bytes"], true),
            (200, [.acceptRanges: "none"], false),
            (200, [.cacheControl: "max-age=3, private"], true),
            (200, [.cacheControl: "private, No-Store"], false),
            (206, [:], false), (203, [:], false), (404, [:], false), (500, [:], false),
        ] as [(Int, HTTPFields, Bool)]
    )
    func kept(status: Int, headers: HTTPFields, isKept: Bool) {
        var headers = headers
        headers[.eTag] = "\"a\""
        #expect((PartialResponse(keeping: Self.response(status, headers)) != nil) == isKept)
    }

    @Test("dates are counted right, leap years included")
    func dates() {
        func validator(modified: String, sent: String) -> String? {
            StrongValidator.value(of: [.lastModified: modified, .date: sent])
        }
        let leapDay = "Tue, 29 Feb 2000 23:59:59 GMT"
        #expect(validator(modified: leapDay, sent: "Wed, 01 Mar 2000 00:00:59 GMT") == leapDay)
        #expect(validator(modified: leapDay, sent: "Wed, 01 Mar 2000 00:00:58 GMT") == nil)
        for wrong in [
            "", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ] {
            #expect(validator(modified: wrong, sent: leapDay) == nil, "\(wrong)")
        }
    }

    @Test("cookies and the connection's headers are not kept, and the request asks on condition")
    func head() throws {
        let headers: HTTPFields = [
            .eTag: "\"a\"", .contentType: "image/png", .setCookie: "secret", .connection: "close",
            .contentLength: "1000",
        ]
        let partial = try #require(PartialResponse(keeping: Self.response(200, headers)))
        #expect(partial.headers == [.eTag: "\"a\"", .contentType: "image/png"])
        #expect(partial.totalBytes == 1000)
        let request = partial.request(TransferRequest(url: Self.url()), after: 400)
        #expect(request.headers == [.range: "bytes=400-", .ifRange: "\"a\""])
    }

    @Test("requests share a kept body only if URL, headers and credential are the same; a fragment does not count")
    func key() {
        func key(_ url: String = "http://a/b", _ headers: HTTPFields = [:], _ credential: Credential? = nil)
            -> PartialBodyKey?
        {
            var request = TransferRequest(url: Self.url(url), headers: headers)
            request.credential = credential
            return PartialBodyKey(request)
        }
        let different = [
            key(), key("http://a/b?c"), key("http://a/b", [.accept: "image/png"]), key("http://a/b", [.accept: "*/*"]),
            key("http://a/b", [.authorization: "x"]), key("http://a/b", [:], .bearer("x")),
            key("http://a/b", [:], .basic(user: "x", password: "y")),
            key("http://a/b", [:], .digest(user: "x", password: "y")),
            // Over a transport with the cookies of a user.
            PartialBodyKey(TransferRequest(url: Self.url("http://a/b")), scope: "/cookies.txt"),
            PartialBodyKey(TransferRequest(url: Self.url("http://a/b")), of: "name"),
        ]
        #expect(Set(different).count == different.count && !different.contains(nil))
        #expect(key() == key("http://a/b#c"))
        #expect(key() == PartialBodyKey(TransferRequest(url: Self.url("http://a/b")), of: "http://a/b"))
        #expect(
            key("http://a/b", [.accept: "1", .acceptLanguage: "2"])
                == key("http://a/b", [.acceptLanguage: "2", .accept: "1"])
        )
    }

    @Test(
        "a request with a range, a condition, no-store, a body or another method is never gone on with",
        arguments: [
            [.range: "bytes=1-"], [.ifRange: "\"a\""], [.ifNoneMatch: "\"a\""], [.ifMatch: "*"],
            [.ifModifiedSince: "x"], [.ifUnmodifiedSince: "x"], [.cacheControl: "no-store"],
        ] as [HTTPFields]
    )
    func noKey(headers: HTTPFields) {
        #expect(PartialBodyKey(TransferRequest(url: Self.url(), headers: headers)) == nil)
        #expect(PartialBodyKey(TransferRequest(url: Self.url(), method: .head)) == nil)
        #expect(PartialBodyKey(TransferRequest(url: Self.url(), body: Data())) == nil)
    }

    @Test(
        "Content-Range is read strictly",
        arguments: [
            ("bytes 5-9/10", .bytes(5...9, total: 10)), ("Bytes 5-9/10", .bytes(5...9, total: 10)),
            ("bytes 5-9/*", .bytes(5...9, total: nil)), ("bytes */10", .unsatisfied(total: 10)),
            ("bytes */*", nil), ("bytes 9-5/10", nil), ("bytes 5-10/10", nil), ("bytes=5-9/10", nil),
            ("bytes 5-9", nil), ("bytes -9/10", nil), ("bytes +5-9/10", nil), ("bytes 5-9/10 ", nil),
            ("bytes  5-9/10", nil), ("items 5-9/10", nil), ("5-9/10", nil), ("", nil),
            ("bytes 5-9/10, bytes 1-2/3", nil),
            ("bytes 0-99999999999999999999/999999999999999999999", nil), ("bytes ٥-9/10", nil),
        ] as [(String, ContentRange?)]
    )
    func contentRange(text: String, wanted: ContentRange?) {
        #expect(ContentRange(text) == wanted)
    }

    private enum Wanted { case resumes, isComplete, startsOver, asksAgain, isUnrelated }

    private static let partial = PartialResponse(
        url: "http://example.com/a.png?x=1",
        headers: [.eTag: "\"a\"", .contentType: "image/png", .cacheControl: "max-age=1"],
        validator: "\"a\"",
        totalBytes: 1000
    )

    private func judgement(_ response: TransferResponse, _ partial: PartialResponse = partial, held: Int = 400)
        -> Wanted
    {
        switch partial.judge(response, heldBytes: held) {
        case .resumes: .resumes
        case .isComplete: .isComplete
        case .startsOver: .startsOver
        case .asksAgain: .asksAgain
        case .isUnrelated: .isUnrelated
        }
    }

    @Test("a part that fits is gone on with, as the 200 it would have been")
    func resumes() {
        let part = Self.response(
            206,
            [.contentRange: "bytes 400-999/1000", .eTag: "\"a\"", .cacheControl: "max-age=2", .contentLength: "600"],
            url: Self.url("http://example.com/a.png?x=2"),
            length: 600
        )
        let whole = TransferResponse(
            status: 200,
            headers: [.contentType: "image/png", .eTag: "\"a\"", .cacheControl: "max-age=2", .contentLength: "1000"],
            url: Self.url("http://example.com/a.png?x=2"),
            expectedBodyBytes: 1000
        )
        #expect(Self.partial.judge(part, heldBytes: 400) == .resumes(whole))
    }

    @Test(
        "a part that does not fit is never mixed in",
        arguments: [
            [.contentRange: "bytes 400-999/1000", .eTag: "\"b\""],
            [.contentRange: "bytes 400-999/1000", .eTag: "W/\"a\""],
            // Of any version: a part has the tag that the whole would have (RFC 9110, section 15.3.7).
            [.contentRange: "bytes 400-999/1000"],
            [.contentRange: "bytes 0-599/1000"], [.contentRange: "bytes 401-999/1000"],
            [.contentRange: "bytes 400-998/1000"], [.contentRange: "bytes 400-1099/1100"],
            [.contentRange: "bytes 400-999/*"], [.contentRange: "bytes */1000"], [:],
            [.contentRange: "bytes 400-999/1000", .contentEncoding: "gzip"],
            [.contentRange: "bytes 400-999/1000", .contentType: "multipart/byteranges; boundary=x"],
        ] as [HTTPFields]
    )
    func parts(headers: HTTPFields) {
        #expect(judgement(Self.response(206, headers, length: nil)) == .asksAgain)
    }

    @Test("a part of another length than it says, or from elsewhere, is never mixed in")
    func otherParts() {
        let headers: HTTPFields = [.contentRange: "bytes 400-999/1000", .eTag: "\"a\""]
        #expect(judgement(Self.response(206, headers, length: 600)) == .resumes)
        #expect(judgement(Self.response(206, headers, length: 599)) == .asksAgain)
        #expect(
            judgement(Self.response(206, headers, url: Self.url("http://other.com/a.png?x=1"), length: 600))
                == .asksAgain
        )
        // From where it was, however that is spelled.
        let spelled = Self.url("HTTP://example.com:80/%61.png?x=2#a")
        #expect(judgement(Self.response(206, headers, url: spelled, length: 600)) == .resumes)
        var unknown = Self.partial
        unknown.totalBytes = nil
        #expect(judgement(Self.response(206, headers, length: 600), unknown) == .resumes)
    }

    @Test(
        "a part of everything has the length that it states, unless the transport undoes a coding",
        arguments: [("none", 3), ("identity", 3), ("gzip", nil), ("none, deflate", nil)] as [(String, Int?)]
    )
    func unaskedPart(coding: String, length: Int?) throws {
        let response = Self.response(206, [.contentRange: "bytes 0-2/3", .contentEncoding: coding], length: nil)
        let whole = try #require(response.whole(for: .get))
        #expect(whole.status == 200 && whole.expectedBodyBytes == length)
    }

    @Test("other statuses: 200 is new, 416 may mean that all is there, the rest says nothing")
    func statuses() {
        #expect(judgement(Self.response(200, [.eTag: "\"a\""])) == .startsOver)
        #expect(judgement(Self.response(416, [.contentRange: "bytes */1000"]), held: 1000) == .isComplete)
        #expect(judgement(Self.response(416, [.contentRange: "bytes */1000"])) == .asksAgain)
        #expect(judgement(Self.response(416, [.contentRange: "bytes */400"])) == .asksAgain)
        #expect(
            judgement(Self.response(416, [.contentRange: "bytes */1000", .eTag: "\"b\""]), held: 1000) == .asksAgain
        )
        #expect(judgement(Self.response(416, [:]), held: 1000) == .asksAgain)
        for status in [204, 302, 304, 401, 404, 429, 500, 503] {
            #expect(judgement(Self.response(status, [:])) == .isUnrelated, "\(status)")
        }
    }
}
