package import FoundationEssentials
package import HTTPTypes

/// The part of a response that a cache keeps besides its body.
package struct StoredResponse: Sendable, Hashable {
    /// A field that chose between several representations, with its value in the request (RFC 9111, section 4.1).
    struct SelectingField: Sendable, Hashable {
        let name: HTTPField.Name
        /// The normalised value; `nil` if the request had no such field.
        let value: String?
    }

    /// The status: 200, 404, …
    package internal(set) var status: Int
    /// The headers that may be stored (RFC 9111, section 3.1), in order.
    package internal(set) var headers: HTTPFields
    /// The URL from which the response came, after all redirects.
    package internal(set) var url: URL
    /// A Boolean value that indicates whether the transport followed redirects on the way to it. What they demand beside a
    /// lifetime is in ``headers``.
    var isRedirected: Bool
    /// The seconds after ``requestTime`` for which the redirects are fresh; `nil` if none states a time.
    var redirectLifetime: Int?
    /// The time at which the request that it answers, or that last validated it, was sent.
    package internal(set) var requestTime: Date
    /// The time at which the response, or the last validation, arrived.
    package internal(set) var responseTime: Date
    /// The fields that `Vary` names, with their values in the request.
    var selectingFields: [SelectingField]

    /// Returns the same response under a URL that is known to name the same resource. One that redirects led to keeps
    /// its own.
    package func named(_ url: URL) -> StoredResponse {
        guard !isRedirected else { return self }
        var response = self
        response.url = url
        return response
    }

    /// A Boolean value that indicates whether the cache that has it answers many users. It is no part of the metadata, as
    /// several caches may have one folder. Default: `false`.
    package internal(set) var isShared = false

    /// The directives of the response's `Cache-Control`, as a cache like this one obeys them.
    package var cacheControl: CacheControl {
        let control = CacheControl(headers)
        return isShared ? control.forSharedCache : control
    }

    /// The same response in the cache of one user.
    package var forOneUser: StoredResponse {
        var response = self
        response.isShared = false
        return response
    }
}
