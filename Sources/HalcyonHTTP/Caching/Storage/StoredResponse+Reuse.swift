internal import FoundationEssentials
internal import HTTPTypes

extension StoredResponse {
    /// This response with the headers alone that decide whether it may be used again.
    package var forReuse: StoredResponse {
        var response = self
        response.headers = [:]
        for field in headers where Self.reuseFields.contains(field.name) { response.headers.append(field) }
        return response
    }

    /// The bytes of text that it consists of.
    package var byteCount: Int {
        headers.reduce(url.absoluteString.utf8.count) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count }
            + selectingFields.reduce(0) { $0 + $1.name.rawName.utf8.count + ($1.value?.utf8.count ?? 0) }
    }

    /// Of the age, of the lifetime, and of what may be done when that is over. What the response varies by is kept apart.
    private static let reuseFields: Set<HTTPField.Name> = [.age, .cacheControl, .date, .expires, .lastModified]
}
