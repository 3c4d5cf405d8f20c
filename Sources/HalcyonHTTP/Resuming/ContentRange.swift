internal import HTTPTypes

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
        guard !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit)
        else { return nil }
        return Int(text)
    }
}

extension TransferResponse {
    /// Returns the response with status 200 if it is a part that holds everything, as some servers send without being asked
    /// for a range; `nil` if it holds less, or contradicts itself.
    func whole(for method: HTTPRequest.Method) -> TransferResponse? {
        // As stated: the transport has no length for HEAD, for chunks, and for codings that it undoes.
        let length = headers[.contentLength].flatMap { Int($0) }
        // Without a total, nothing tells a part from the whole.
        guard case .bytes(let range, let count?)? = headers[.contentRange].flatMap(ContentRange.init),
            range.lowerBound == 0, range.upperBound == count - 1,
            length ?? count == count, !headers.isMultipart
        else { return nil }
        var whole = self
        whole.status = 200
        whole.headers[.contentRange] = nil
        if method != .head, !headers.hasContentCoding { whole.expectedBodyBytes = count }
        return whole
    }
}
