/// The rate at which transfers may start: a bucket of tokens that is filled at a steady rate.
public struct StartRate: Sendable, Hashable {
    /// The tokens that come back each second; a start takes one.
    public var startsPerSecond: Double
    /// The starts that may follow each other at once after a rest, at least 1.
    public var burst: Int

    /// Creates a rate. The defaults suit lists that are scrolled fast: 80 a second, 25 at once.
    public init(startsPerSecond: Double = 80, burst: Int = 25) {
        self.startsPerSecond = startsPerSecond
        self.burst = burst
    }
}
