internal import FoundationEssentials
package import HTTPTypes

/// The text that distinguishes one version of a resource from all others, byte for byte, as `If-Range` demands it
/// (RFC 9110, section 13.1.5).
package enum StrongValidator {
    /// Returns the strong validator of a response; `nil` if it has none.
    ///
    /// An `ETag`, if it is not weak. `Last-Modified` only where there is no `ETag` at all, as section 13.1.5 demands,
    /// and where it is strong in the sense of section 8.8.2.2: so much older than `Date` that clocks which differ do no
    /// harm, for which this takes 60 s.
    package static func value(of headers: HTTPFields) -> String? {
        if let tag = headers[.eTag] { return isStrongTag(tag) ? tag : nil }
        guard let modified = headers[.lastModified], let date = headers[.date],
            let modifiedAt = seconds(modified), let sentAt = seconds(date), sentAt - modifiedAt >= 60
        else { return nil }
        return modified
    }

    /// Returns whether a tag is `"`, visible characters other than `"`, `"` (section 8.8.3). Not all clients send those
    /// beyond ASCII back unharmed.
    static func isStrongTag(_ tag: String) -> Bool {
        let bytes = Array(tag.utf8)
        guard bytes.count >= 2, bytes.first == 0x22, bytes.last == 0x22 else { return false }
        return bytes.dropFirst().dropLast().allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 }
    }

    /// Returns the seconds since 1970 of a date as senders must write it, "Sun, 06 Nov 1994 08:49:37 GMT" (section
    /// 5.6.7). The two older forms make no strong validator here.
    static func seconds(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int? {
            range.reduce(Int?.some(0)) { value, index in
                guard let value, (0x30...0x39).contains(bytes[index]) else { return nil }
                return value * 10 + Int(bytes[index] - 0x30)
            }
        }
        guard bytes.count == 29, text.hasSuffix(" GMT"), bytes[3] == 0x2C, bytes[4] == 0x20, bytes[7] == 0x20,
            bytes[11] == 0x20, bytes[16] == 0x20, bytes[19] == 0x3A, bytes[22] == 0x3A,
            let day = number(5..<7), let year = number(12..<16), let hour = number(17..<19),
            let minute = number(20..<22), let second = number(23..<25),
            let month = months.firstIndex(of: String(decoding: bytes[8..<11], as: UTF8.self)),
            (1...31).contains(day), year >= 1970, hour < 24, minute < 60, second <= 60
        else { return nil }
        return days(year: year, month: month + 1, day: day) * 86_400 + hour * 3_600 + minute * 60 + second
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Returns the days since 1970-01-01 of the Gregorian calendar, whose year is taken to begin in March, so that the
    /// leap day is its last.
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return 365 * year + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }
}
