internal import FoundationEssentials
internal import HalcyonHTTP

/// Gets the original of a source that no cache has.
protocol OriginalFetching: Sendable {
    /// Returns the encoded bytes of a request's original.
    ///
    /// - Throws: ``ImageError``, `CancellationError`.
    func fetch(_ request: ResolvedRequest, context: WorkContext) async throws -> FetchedOriginal
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

/// The fetcher of bytes at hand.
struct DataFetcher: OriginalFetching {
    let data: Data

    func fetch(_ request: ResolvedRequest, context: WorkContext) -> FetchedOriginal {
        FetchedOriginal(data: data, source: .data)
    }
}

/// The fetcher for a URL that names nothing, which throws.
struct InvalidSource: OriginalFetching {
    let url: String

    func fetch(_ request: ResolvedRequest, context: WorkContext) throws -> FetchedOriginal {
        throw ImageError(stage: .source, reason: .invalidURL(url), source: url)
    }
}
