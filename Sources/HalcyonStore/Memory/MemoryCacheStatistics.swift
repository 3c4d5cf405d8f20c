/// The state and the history of a memory cache.
public struct MemoryCacheStatistics: Sendable, Hashable {
    /// Entries that hold a value, expired ones that were not yet swept included.
    public let count: Int
    /// The sum of their costs, in bytes.
    public let cost: Int
    /// Look-ups that found a value, the weak tier included.
    public let hits: Int
    /// Look-ups that found none, or one that had expired.
    public let misses: Int
    /// Values dropped to keep a limit.
    public let evictions: Int
    /// Values dropped because their time was over.
    public let expirations: Int
    /// Evicted entries that are found again if something else keeps their object alive.
    public let weakCount: Int
}
