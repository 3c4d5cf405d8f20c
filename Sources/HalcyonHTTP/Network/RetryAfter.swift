public import FoundationEssentials
public import HTTPTypes

/// How long a server asks to be left alone (RFC 9110, section 10.2.3).
public enum RetryAfter {
    /// What a longer wish is cut to: one day.
    public static let longest: Duration = .seconds(86_400)

    /// The wish in a response's headers; `nil` if there is none, or none that makes sense.
    ///
    /// A date is measured from the server's own `Date`, so that clocks that differ do no harm; without one from `now`.
    /// A date in the past asks for nothing: zero.
    public static func delay(_ headers: HTTPFields, now: Date = Date()) -> Duration? {
        guard let field = headers[.retryAfter] else { return nil }
        let text = field.utf8.drop { $0 == 0x20 || $0 == 0x09 }
        let digits = text.prefix { (0x30...0x39).contains($0) }
        let rest = text[digits.endIndex...]
        if !digits.isEmpty, rest.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) {
            // More digits than an Int holds ask for more than a day.
            guard let seconds = Int(String(digits) ?? "") else { return longest }
            return min(.seconds(seconds), longest)
        }
        guard let date = secondsSince1970(String(text) ?? "") else { return nil }
        let start = headers[.date].flatMap(secondsSince1970) ?? Int(now.timeIntervalSince1970.rounded(.down))
        return min(max(.zero, .seconds(date - start)), longest)
    }

    /// Reads a date in any of the three forms a recipient has to know (RFC 9110, section 5.6.7).
    private static func secondsSince1970(_ text: String) -> Int? {
        var words = text.split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
        guard words.count >= 5 else { return nil }
        words.removeFirst()
        // "Sun Nov  6 08:49:37 1994" has the month first and the year last; the others are day, month, year, time.
        let isAsctime = months[words[0]] != nil
        let (day, month, year, time) =
            isAsctime ? (words[1], words[0], words[3], words[2]) : (words[0], words[1], words[2], words[3])
        guard let day = Int(day), let month = months[month], var year = Int(year), (1...31).contains(day),
            (0...9_999).contains(year)
        else { return nil }
        // Two digits are of the last or of this century (RFC 6265, section 5.1.1, has the same rule).
        if words[isAsctime ? 3 : 2].count == 2 { year += year < 70 ? 2_000 : 1_900 }
        let parts = time.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) ?? -1 }
        guard parts.count == 3, (0...23).contains(parts[0]), (0...59).contains(parts[1]), (0...60).contains(parts[2])
        else { return nil }
        return days(year, month, day) * 86_400 + parts[0] * 3_600 + parts[1] * 60 + parts[2]
    }

    /// Days from 1970-01-01 to a day of the Gregorian calendar, years counted from March so that the leap day is last.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        let monthFromMarch = (month + 9) % 12
        let leapDays = year / 4 - year / 100 + year / 400
        return year * 365 + leapDays + (monthFromMarch * 153 + 2) / 5 + day - 719_469
    }

    private static let months: [String: Int] = [
        "Jan": 1, "Feb": 2, "Mar": 3, "Apr": 4, "May": 5, "Jun": 6,
        "Jul": 7, "Aug": 8, "Sep": 9, "Oct": 10, "Nov": 11, "Dec": 12,
    ]
}
