internal import FoundationEssentials
internal import HalcyonHTTP

/// Encoded bytes and their provenance.
///
/// A class: as a value it had 750 bytes, several times in the frame of each asynchronous call that hands it on, all of
/// which a load keeps until it ends.
final class Original: Sendable {
    let data: Data
    let source: ImageResponse.Source
    let timings: ImageTimings
    let metrics: TransferMetrics?
    /// The head of its response, as received or as stored; `nil` if there is none.
    let head: TransferResponse?
    let caching: OriginalCaching
    /// The number of the transfer that brought or confirmed it; `nil` if no server was asked.
    let transfer: UInt64?
    /// The digest of the bytes; `nil` if they are those of a part of the original.
    let digest: ContentDigest?
    /// A Boolean value that indicates whether the bytes came under another configuration of the downloader than the one that
    /// the load is known by, so that a failure to decode them says nothing about equal requests.
    let isOfOtherConfiguration: Bool

    init(
        data: Data,
        source: ImageResponse.Source,
        timings: ImageTimings,
        metrics: TransferMetrics?,
        head: TransferResponse? = nil,
        caching: OriginalCaching,
        transfer: UInt64? = nil,
        isPart: Bool = false,
        isOfOtherConfiguration: Bool = false
    ) {
        self.data = data
        self.source = source
        self.timings = timings
        self.metrics = metrics
        self.head = head
        self.caching = caching
        self.transfer = transfer
        digest = isPart ? nil : caching.source?.content.digest ?? ContentDigest(of: data)
        self.isOfOtherConfiguration = isOfOtherConfiguration
    }

    /// A Boolean value that indicates whether its response, if it has one, stated the number of its bytes.
    var statesLength: Bool { head?.statesLength ?? true }

    /// Returns the claim of a load to store this original, and what it makes of it.
    func claim(of request: ResolvedRequest) -> ContentClaim {
        ContentClaim(
            registrations: request.registrations,
            transfer: digest == nil ? nil : transfer,
            digest: digest,
            representation: caching.validity?.representation ?? "",
            requestTime: caching.validity?.response.requestTime,
            found: caching.found,
            isPart: digest == nil
        )
    }
}

extension TransferResponse {
    /// A Boolean value that indicates whether the response stated the number of its bytes. In HTTP/1, a connection that
    /// is cut looks otherwise like one that ends.
    var statesLength: Bool { expectedBodyBytes != nil || headers[.contentLength] != nil }
}

extension Original {
    /// Creates the original of a source whose caching no server decides.
    convenience init(
        _ fetched: FetchedOriginal,
        for request: ResolvedRequest,
        number: UInt64,
        timings: ImageTimings,
        found: ContentClaim.Found?
    ) {
        var caching =
            fetched.effect == .store
            ? OriginalCaching(storingAs: request.key.originalDiskKey) : OriginalCaching(fetched.effect)
        caching.found = found
        self.init(
            data: fetched.data,
            source: fetched.source,
            timings: timings,
            metrics: fetched.metrics,
            head: fetched.head,
            caching: caching,
            transfer: fetched.transfer ?? number,
            isPart: !request.source.isWhole
        )
    }
}

/// Encoded bytes from a source.
struct FetchedOriginal: Sendable {
    let data: Data
    let source: ImageResponse.Source
    var metrics: TransferMetrics?
    /// The head of the server's response; `nil` for other sources.
    var head: TransferResponse?
    /// The effect on the images that caches have under the name of the original.
    var effect = OriginalCaching.Effect.store
    /// The number of the transfer that brought it; `nil` for what came without one.
    var transfer: UInt64?
}
