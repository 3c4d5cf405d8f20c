internal import FoundationEssentials
internal import HalcyonHTTP

extension TransferRequest {
    /// A Boolean value that indicates whether it is a GET without a body, so that its server decides about caching.
    var isCacheable: Bool { method == .get && body == nil }

    /// Returns the head of a response that was stored without one: as received at that time from a server that said nothing
    /// about it. `nil` if no server decides.
    func headWithoutStatements(receivedAt date: Date) -> StoredResponse? {
        isCacheable ? StoredResponse(url: url, responseTime: date) : nil
    }
}

/// The time and the requests for which an original, and every image that was made of it, may be used.
///
/// It keeps the statements of the server, not the conclusions of one request: each request has rules of its own.
///
/// A class, so that one reference is counted where an image in memory is looked at.
final class OriginalValidity: Sendable {
    /// The head of the response, as far as reuse depends on it.
    let response: StoredResponse
    /// The date from which a request that follows the server has to ask it again.
    let freshUntil: Date
    /// A Boolean value that indicates whether the server stated nothing about it, so that the default lifetime holds,
    /// after which the cache has it no longer.
    let isSilent: Bool
    /// A Boolean value that indicates whether the image is for some requests alone.
    let isVarying: Bool
    /// The number of bytes that this value takes in memory.
    let byteCount: Int

    /// Makes the validity that the head of a response states.
    init(_ head: StoredResponse) {
        response = head.forReuse
        byteCount = response.byteCount
        let freshness = head.freshness(at: head.responseTime, rules: .images)
        let mustAsk = head.cacheControl.forbidsReuse
        freshUntil = mustAsk ? .distantPast : head.freshUntil(rules: .images)
        isVarying = head.isVarying
        isSilent = !mustAsk && !freshness.isExplicit && freshness.isFresh && !head.isVarying
    }

    /// The date from which an image about which the server stated nothing has to be asked for again, however often it
    /// was used; `nil` for others.
    var silentEnd: Date? { isSilent ? freshUntil : nil }

    /// A Boolean value that indicates whether failures of the server make the stale image usable.
    var mayBeUsedStale: Bool { !response.cacheControl.forbidsStaleUse }
}
