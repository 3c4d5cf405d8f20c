/// The numbers of cookies that a ``CookieStore`` keeps.
public struct CookieLimits: Sendable, Hashable {
    /// The largest number for one domain, of which the oldest go first. Default: 50 (RFC 6265, section 6.1).
    public var domainCount: Int
    /// The largest number in all; the sites with the most cookies lose their oldest first. Default: 3,000.
    public var count: Int
    /// The largest number of bytes in all: names, values, domains and paths. Default: 1 MiB.
    public var byteCount: Int

    /// Creates limits with a default for each; less than 1 counts as 1.
    public init(domainCount: Int = 50, count: Int = 3_000, byteCount: Int = 1 << 20) {
        self.domainCount = max(1, domainCount)
        self.count = max(1, count)
        self.byteCount = max(1, byteCount)
    }
}
