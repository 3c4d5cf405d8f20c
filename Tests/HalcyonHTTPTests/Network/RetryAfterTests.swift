import FoundationEssentials
import HTTPTypes
import HalcyonHTTP
import Testing

@Suite("Retry-After")
struct RetryAfterTests {
    private let now = Date(timeIntervalSince1970: 784_111_777)

    private func delay(_ value: String, date: String? = nil) -> Duration? {
        var headers: HTTPFields = [.retryAfter: value]
        if let date { headers[.date] = date }
        return RetryAfter.delay(headers, now: now)
    }

    @Test("in seconds is that many seconds", arguments: [("0", 0), ("120", 120), (" 7 ", 7), ("0009", 9)])
    func seconds(text: String, seconds: Int) {
        #expect(delay(text) == .seconds(seconds))
    }

    @Test(
        "as a date is read in all three forms (RFC 9110, section 5.6.7)",
        arguments: [
            "Sun, 06 Nov 1994 08:50:37 GMT", "Sunday, 06-Nov-94 08:50:37 GMT", "Sun Nov  6 08:50:37 1994",
        ]
    )
    func dates(text: String) {
        #expect(delay(text) == .seconds(60))
    }

    @Test("as a date is measured from the server's own clock")
    func serverClock() {
        #expect(delay("Fri, 01 Jan 2038 00:00:10 GMT", date: "Fri, 01 Jan 2038 00:00:00 GMT") == .seconds(10))
        #expect(delay("Thu, 29 Feb 2024 00:00:00 GMT", date: "Wed, 28 Feb 2024 23:59:00 GMT") == .seconds(60))
    }

    @Test("in the past asks for nothing")
    func past() {
        #expect(delay("Sun, 06 Nov 1994 08:00:00 GMT") == .zero)
    }

    @Test(
        "never asks for more than a day",
        arguments: ["86401", "99999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"]
    )
    func capped(text: String) {
        #expect(delay(text) == RetryAfter.longest)
    }

    @Test(
        "that makes no sense is none",
        arguments: [
            "", " ", "-1", "1.5", "soon", "12 s", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 25:00:00 GMT",
            "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 99 Nov 1994 08:49:37 GMT", "Nov Nov Nov Nov Nov", ", , , , ,",
            "Sun, 06 Nov 99999999999999999999 08:49:37 GMT", "Sun, 06 Nov 1994 8:4 GMT", "\u{661}\u{662}",
        ]
    )
    func nonsense(text: String) {
        #expect(delay(text) == nil)
    }

    @Test("that is missing is none")
    func missing() {
        #expect(RetryAfter.delay([:], now: now) == nil)
    }
}
