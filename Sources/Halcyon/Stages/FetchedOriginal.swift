internal import FoundationEssentials
internal import HalcyonHTTP

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
