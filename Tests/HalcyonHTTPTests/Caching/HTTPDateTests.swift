import FoundationEssentials
import Testing

@testable import HalcyonHTTP

@Suite("HTTP dates")
struct HTTPDateTests {
    /// 2026-01-01 00:00 UTC
    private let now = Date(timeIntervalSince1970: 1_767_225_600)

    @Test(
        "are read in the three forms of RFC 9110",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777),
            ("Wed Nov 16 08:49:37 1994", 784_975_777),
            ("sUN, 06 nOV 1994 08:49:37 gmt", 784_111_777),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
            ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
            ("Mon, 29 Feb 2016 23:59:60 GMT", 1_456_790_400),
            ("Tue, 19 Jan 2038 03:14:08 GMT", 2_147_483_648),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
            ("Wednesday, 01-Jan-76 00:00:00 GMT", 3_345_062_400),
            ("Saturday, 01-Jan-77 00:00:00 GMT", 220_924_800),
        ]
    )
    func valid(text: String, seconds: Int) {
        #expect(HTTPDate.date(text, now: now) == Date(timeIntervalSince1970: Double(seconds)))
    }

    @Test(
        "are nothing in any other form",
        arguments: [
            "", "0", "-1", "now", "784111777", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06  Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
            "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov 1994 08.49.37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
            "Sun, 29 Feb 1900 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Foo, 06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT, x", " Sun, 06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov ١٩٩٤ 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37", "Sun Nov 6 08:49:37 1994",
        ]
    )
    func invalid(text: String) {
        #expect(HTTPDate.date(text, now: now) == nil)
    }

    @Test("read back as they were written, over four thousand years")
    func roundTrip() {
        for seconds in stride(from: -62_135_596_800, through: 64_000_000_000, by: 86_400 * 37 + 12_345) {
            let date = Date(timeIntervalSince1970: Double(seconds))
            #expect(HTTPDate.date(HTTPDate.string(date), now: now) == date)
        }
        let date = Date(timeIntervalSince1970: 784_111_777)
        #expect(HTTPDate.string(date) == "Sun, 06 Nov 1994 08:49:37 GMT")
        let noDate = Date(timeIntervalSince1970: .nan)
        #expect(HTTPDate.string(noDate) == "Sat, 01 Jan 0000 00:00:00 GMT")
    }
}
