internal import FoundationEssentials
internal import HalcyonHTTP

/// Encoded bytes and their provenance.
struct Original: Sendable {
    let data: Data
    let source: ImageResponse.Source
    let timings: ImageTimings
    let metrics: TransferMetrics?
    /// The head of its response, as received or as stored; `nil` if there is none.
    var head: TransferResponse?
    let caching: OriginalCaching
    /// The permits to store the original and what is made of it, from the time at which it was asked for.
    let permits: StorePermits
    let age: ContentAge
    /// The age of the response that confirmed it; `nil` if it came with its own response, or no server was asked.
    var confirmation: ContentAge?
    /// A Boolean value that indicates whether the bytes are the response to another request, to another credential, or under
    /// another configuration than the load shows, so that a failure to decode them says nothing about equal requests.
    var isForHiddenRequest = false

    /// Returns the claim of a load to store what it makes of this original.
    func claim(of load: StorePermits?) -> StoreClaim {
        StoreClaim(load: load, original: permits, age: age, confirmation: confirmation)
    }
}

extension Original {
    /// Creates the original of a source whose caching no server decides.
    init(_ fetched: FetchedOriginal, for request: ResolvedRequest, permits: StorePermits, timings: ImageTimings) {
        self.init(
            data: fetched.data,
            source: fetched.source,
            timings: timings,
            metrics: fetched.metrics,
            head: fetched.head,
            caching: fetched.effect == .store
                ? OriginalCaching(storingAs: request.key.originalDiskKey) : OriginalCaching(fetched.effect),
            permits: permits,
            age: fetched.age
        )
    }
}
