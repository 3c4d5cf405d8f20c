internal import FoundationEssentials
internal import HTTPTypes

extension StoredResponse {
    /// Returns whether a 304 is about this response, and not about another one with the same name: it came from the
    /// same URL, user and fragment aside, and a tag that it has is this one's (section 4.3.4).
    func isValidated(by response: TransferResponse) -> Bool {
        guard response.url.name == url.name else { return false }
        guard let tag = response.headers.entityTag, let own = headers.entityTag else { return true }
        return tag.matchesWeakly(own)
    }

    /// Returns this response with the changed fields of a 304 (section 3.2), and whether it may still be stored.
    func updated(
        by response: TransferResponse,
        to request: TransferRequest,
        requestTime: Date,
        responseTime: Date
    ) -> (head: StoredResponse, isStorable: Bool) {
        var updated = self
        let fresh = response.headers.storable
        // They describe the moment of the response, and would be wrong for any other.
        updated.headers[.age] = nil
        updated.headers[.date] = HTTPDate.string(responseTime)
        for name in Set(fresh.map(\.name)).subtracting(Self.contentFields) {
            updated.headers[fields: name] = fresh[fields: name]
        }
        updated.headers.add(response.redirects)
        updated.redirectLifetime = response.redirects?.lifetime
        updated.requestTime = requestTime
        updated.responseTime = responseTime
        let control = updated.cacheControl
        let selectingFields = Self.selectingFields(of: request, vary: updated.headers)
        updated.selectingFields = selectingFields ?? []
        return (updated, selectingFields != nil && (!control.noStore || control.mustUnderstand))
    }

    /// The fields that describe the stored body, and not a message that has none (section 3.2).
    private static let contentFields: Set<HTTPField.Name> = [.contentLength, .contentEncoding, .contentRange]
}
