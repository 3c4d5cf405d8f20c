internal import FoundationEssentials

/// The primary key of a response: its URL without the fragment (RFC 9111, section 2). Only what answers GET is stored, so
/// the method is no part of it.
struct HTTPCacheKey: Hashable {
    let text: String

    init(_ url: URL) {
        let absolute = url.absoluteString
        text = String(absolute.prefix { $0 != "#" })
    }

    /// The keys that a successful request with an unsafe method makes invalid: its own, and those of the same origin that
    /// its response names (section 4.4).
    static func invalidated(by request: TransferRequest, _ response: TransferResponse) -> [HTTPCacheKey] {
        let origin = Origin(request.url.absoluteString)
        let named = [response.headers[.location], response.headers[.contentLocation]]
            .compactMap { $0.flatMap { URL(string: $0, relativeTo: request.url) } }
            .filter { Origin($0.absoluteString) == origin }
        return [HTTPCacheKey(request.url)] + named.map(HTTPCacheKey.init)
    }
}
