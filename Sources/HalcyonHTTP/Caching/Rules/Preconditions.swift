internal import FoundationEssentials
internal import HTTPTypes

/// The conditions of a request that a cache may answer from what it has stored (RFC 9111, section 4.3.2).
struct Preconditions {
    private let tags: [Substring]?
    private let date: Date?

    /// Reads the conditions of a request; `nil` if it has none.
    init?(_ request: TransferRequest, now: Date) {
        let lines = request.headers[values: .ifNoneMatch]
        tags = lines.isEmpty ? nil : FieldList.entityTags(lines)
        date = request.headers[.ifModifiedSince].flatMap { HTTPDate.date($0, now: now) }
        if tags == nil, date == nil { return nil }
    }

    /// Returns whether a request has conditions that only the origin may answer.
    static func areForOrigin(_ request: TransferRequest) -> Bool {
        request.headers[.ifMatch] != nil || request.headers[.ifUnmodifiedSince] != nil
    }

    /// Returns whether a stored response is the one that the request has already, so that the answer is 304.
    ///
    /// Conditions count only where the answer without them would be a success (RFC 9110, section 13.2.1).
    static func areMet(_ request: TransferRequest, by response: StoredResponse, now: Date) -> Bool {
        guard (200..<300).contains(response.status), let conditions = Preconditions(request, now: now) else {
            return false
        }
        return conditions.areMet(by: response)
    }

    private func areMet(by response: StoredResponse) -> Bool {
        guard let tags else {
            // Without a date of its own, a response is not older than its `Date` (RFC 9110, section 13.1.3).
            let modified = response.headers[.lastModified].flatMap { HTTPDate.date($0, now: response.responseTime) }
            return date.map { (modified ?? response.date) <= $0 } ?? false
        }
        if tags == ["*"] { return true }
        guard let own = response.headers.entityTag else { return false }
        return tags.contains { EntityTag($0)?.matchesWeakly(own) ?? false }
    }
}
