public import FoundationEssentials
public import HTTPTypes

/// What a cache keeps of a response besides its body.
public struct StoredResponse: Sendable, Hashable {
    /// A field that chose between several representations, with what the request had (RFC 9111, section 4.1).
    struct SelectingField: Sendable, Hashable {
        let name: HTTPField.Name
        /// Normalised; `nil` if the request had no such field.
        let value: String?
    }

    /// 200, 404, …
    public internal(set) var status: Int
    /// Those that may be stored (RFC 9111, section 3.1), in order.
    public internal(set) var headers: HTTPFields
    /// Where the response came from, after all redirects.
    public internal(set) var url: URL
    /// Whether the transport followed redirects on the way to it. What those said about themselves is not known.
    var isRedirected: Bool
    /// When the request that it answers, or that validated it last, was sent.
    public internal(set) var requestTime: Date
    /// When the response, or the last validation, arrived.
    public internal(set) var responseTime: Date
    /// What the fields that `Vary` names were in the request.
    var selectingFields: [SelectingField]

    /// The same response under a URL that is known to name the same thing. One that redirects led to keeps its own.
    package func named(_ url: URL) -> StoredResponse {
        guard !isRedirected else { return self }
        var response = self
        response.url = url
        return response
    }

    /// The directives of its `Cache-Control`.
    package var cacheControl: CacheControl { CacheControl(headers) }
}
