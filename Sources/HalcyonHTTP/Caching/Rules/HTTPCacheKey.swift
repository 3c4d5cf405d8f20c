internal import FoundationEssentials
internal import HalcyonFiles

/// The primary key of a response: the name of its URL (RFC 9111, section 2), and the digest of the
/// credential that the request carries. Only answers to GET are stored, so the method is no part of it.
struct HTTPCacheKey: Hashable {
    let text: String

    /// - Parameter credential: The digest of a credential; default none.
    init(_ url: URL, credential: String? = nil) {
        let address = url.name
        // No URL has a byte 0 in it.
        text = credential.map { "\(address)\0\($0)" } ?? address
    }

    /// Returns the keys that a successful request with an unsafe method makes invalid: its own, and those of the same
    /// origin that its response names (section 4.4), both for the entries that all share and for those of the
    /// credential that the request carries.
    static func invalidated(
        by request: TransferRequest,
        _ response: TransferResponse,
        credential: String?
    ) -> [HTTPCacheKey] {
        let origin = Origin(request.url.absoluteString)
        let named = [response.headers[.location], response.headers[.contentLocation]]
            .compactMap { $0.flatMap { URL(written: $0, relativeTo: request.url) } }
            .filter { Origin($0.absoluteString) == origin }
        let urls = [request.url] + named
        let keys = urls.map { HTTPCacheKey($0) }
        return credential == nil ? keys : keys + urls.map { HTTPCacheKey($0, credential: credential) }
    }
}
