/// How many transfers may start in a time: a bucket of tokens that is filled at a steady rate.
public struct StartRate: Sendable, Hashable {
    /// Tokens that come back each second; a start takes one.
    public var startsPerSecond: Double
    /// Starts that may follow each other at once after a rest, at least 1.
    public var burst: Int

    /// A rate. The defaults are what lists want that are scrolled fast: 80 a second, 25 at once.
    public init(startsPerSecond: Double = 80, burst: Int = 25) {
        self.startsPerSecond = startsPerSecond
        self.burst = burst
    }
}
