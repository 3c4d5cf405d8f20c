/// The value of a `Content-Range` field (RFC 9110, section 14.4), read strictly: text not exactly of its form is none.
package enum ContentRange: Sendable, Hashable {
    /// `bytes FIRST-LAST/TOTAL`; the total is `nil` where the server wrote `*`.
    case bytes(ClosedRange<Int>, total: Int?)
    /// `bytes */TOTAL`: there is no such part.
    case unsatisfied(total: Int)

    /// Reads a value; `nil` if it is not of the form.
    package init?(_ value: String) {
        let words = value.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let total = Self.number(parts[1])
        if parts[0] == "*" {
            guard let total else { return nil }
            self = .unsatisfied(total: total)
            return
        }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last,
            parts[1] == "*" || total.map({ last < $0 }) ?? false
        else { return nil }
        self = .bytes(first...last, total: total)
    }

    /// Reads a number of digits alone, and no more than fit.
    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int(text)
    }
}
