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
            let modifiedAt = self.date(modified), let sentAt = self.date(date),
            sentAt.timeIntervalSince(modifiedAt) >= 60
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

    /// Returns a date in the form that senders must use (section 5.6.7), which alone has 29 characters. The two older
    /// forms make no strong validator here.
    private static func date(_ text: String) -> Date? {
        // Only the older forms need the present date.
        text.utf8.count == 29 ? HTTPDate.date(text, now: .distantPast) : nil
    }
}
