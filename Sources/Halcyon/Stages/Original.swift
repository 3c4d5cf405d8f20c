internal import FoundationEssentials
internal import HalcyonHTTP

/// Encoded bytes and where they came from.
struct Original: Sendable {
    let data: Data
    let source: ImageResponse.Source
    let timings: ImageTimings
    let metrics: TransferMetrics?
    let caching: OriginalCaching
    /// The right to store it and what is made of it, since it was asked for.
    let permits: StorePermits
    let age: ContentAge
    /// The age of the answer that confirmed it; `nil`: it came with its own answer, or no server was asked.
    var confirmation: ContentAge?

    /// The right of a load to store what it makes of this.
    func claim(of load: StorePermits?) -> StoreClaim {
        StoreClaim(load: load, original: permits, age: age, confirmation: confirmation)
    }
}
