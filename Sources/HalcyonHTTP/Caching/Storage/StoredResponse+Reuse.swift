internal import FoundationEssentials
internal import HTTPTypes

extension StoredResponse {
    /// This response with only the headers that decide whether it may be used again.
    package var forReuse: StoredResponse {
        var response = self
        response.headers = [:]
        for field in headers where Self.reuseFields.contains(field.name) { response.headers.append(field) }
        return response
    }

    /// The number of bytes of its text.
    package var byteCount: Int {
        headers.reduce(url.absoluteString.utf8.count) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count }
            + selectingFields.reduce(0) { $0 + $1.name.rawName.utf8.count + ($1.value?.utf8.count ?? 0) }
    }

    /// The fields of the age, of the lifetime, and of what may be done when that is over. The fields that the response
    /// varies by are kept apart.
    private static let reuseFields: Set<HTTPField.Name> = [.age, .cacheControl, .date, .expires, .lastModified]
}
