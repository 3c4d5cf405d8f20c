/// Stops the calls of a node that fails repeatedly, but for one a second.
///
/// The breaker of downloads (`CircuitBreaker`) tells servers, statuses and `Retry-After` apart; a node has failures alone.
struct EngineBreaker: Sendable {
    /// The failures in a row that open it.
    static let threshold = 5
    /// The time between two trial calls.
    static let interval = Duration.seconds(1)

    private var failures = 0
    private var nextTrial: ContinuousClock.Instant?

    /// `true` while calls are stopped.
    var isOpen: Bool { nextTrial != nil }

    /// Returns whether a call may be made now.
    mutating func admits(at now: ContinuousClock.Instant) -> Bool {
        guard let trial = nextTrial else { return true }
        guard now >= trial else { return false }
        nextTrial = now + Self.interval
        return true
    }

    mutating func succeed() {
        self = EngineBreaker()
    }

    mutating func fail(at now: ContinuousClock.Instant) {
        failures += 1
        if failures >= Self.threshold { nextTrial = now + Self.interval }
    }
}
