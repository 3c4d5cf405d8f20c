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
        guard let date = HTTPDate.date(String(text) ?? "", now: now) else { return nil }
        let start = headers[.date].flatMap { HTTPDate.date($0, now: now) } ?? now
        return min(max(.zero, .seconds(date.timeIntervalSince(start).rounded(.up))), longest)
    }
}
