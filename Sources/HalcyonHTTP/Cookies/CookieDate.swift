internal import FoundationEssentials

/// The dates of cookies, which servers write in many ways (RFC 6265, section 5.1.1). ``HTTPDate`` reads those of other
/// fields, strictly.
enum CookieDate {
    /// Returns the date that text stands for; `nil` if it is none.
    static func date(_ text: String) -> Date? {
        var (day, month, year): (Int?, Int?, Int?)
        var time: (hour: Int, minute: Int, second: Int)?
        for token in text.utf8.split(whereSeparator: isDelimiter).prefix(16) {
            if time == nil, let found = clock(token) {
                time = found
            } else if day == nil, let found = number(token, digits: 1...2) {
                day = found
            } else if month == nil, let found = self.month(token) {
                month = found
            } else if year == nil, let found = number(token, digits: 2...4) {
                year = found
            }
        }
        guard let day, let month, var year, let time else { return nil }
        if (70...99).contains(year) { year += 1_900 }
        if (0...69).contains(year) { year += 2_000 }
        let civil = CivilTime(
            year: year,
            month: month,
            day: day,
            hour: time.hour,
            minute: time.minute,
            second: time.second
        )
        guard year >= 1_601, time.second < 60, civil.isValid else { return nil }
        return Date(timeIntervalSince1970: Double(civil.secondsSince1970))
    }

    private typealias Token = Substring.UTF8View

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// Reads "08:49:37", each part of one or two digits; any text may follow.
    private static func clock(_ token: Token) -> (hour: Int, minute: Int, second: Int)? {
        let parts = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, isDigits(parts[0]), isDigits(parts[1]), let hour = number(parts[0], digits: 1...2),
            let minute = number(parts[1], digits: 1...2), let second = number(parts[2], digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    /// Reads a month by its first three letters.
    private static func month(_ token: Token) -> Int? {
        let name = token.prefix(3).map { $0 | 0x20 }
        return CivilTime.months.firstIndex { $0.utf8.map { $0 | 0x20 } == name }.map { $0 + 1 }
    }

    /// Reads the digits at the beginning of a token, after which no further digit may come.
    private static func number(_ token: Token, digits: ClosedRange<Int>) -> Int? {
        let found = token.prefix { isDigit($0) }
        guard digits.contains(found.count) else { return nil }
        return found.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func isDigits(_ token: Token) -> Bool { token.allSatisfy { isDigit($0) } }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
