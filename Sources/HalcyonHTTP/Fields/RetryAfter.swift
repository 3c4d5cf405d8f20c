public import FoundationEssentials
public import HTTPTypes

/// The delay that a server demands before the next request (RFC 9110, section 10.2.3).
public enum RetryAfter {
    /// The longest delay, to which a longer one is shortened: one day.
    public static let longest: Duration = .seconds(86_400)

    /// Returns the delay in a response's headers; `nil` if there is none, or none that is valid.
    ///
    /// A date is measured from the server's own `Date`, so that clocks that differ do no harm; without one from `now`.
    /// A date in the past demands no delay: zero.
    public static func delay(_ headers: HTTPFields, now: Date = Date()) -> Duration? {
        guard let field = headers[.retryAfter] else { return nil }
        let text = field.utf8.drop(while: \.isFieldSpace)
        let digits = text.prefix(while: \.isASCIIDigit)
        let rest = text[digits.endIndex...]
        if !digits.isEmpty, rest.allSatisfy(\.isFieldSpace) {
            // More digits than an Int holds stand for more than a day.
            guard let seconds = Int(String(digits) ?? "") else { return longest }
            return min(.seconds(seconds), longest)
        }
        guard let date = HTTPDate.date(String(text) ?? "", now: now) else { return nil }
        let start = headers[.date].flatMap { HTTPDate.date($0, now: now) } ?? now
        return min(max(.zero, .seconds(date.timeIntervalSince(start).rounded(.up))), longest)
    }
}
