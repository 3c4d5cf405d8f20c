public import FoundationEssentials
public import HalcyonStore
internal import HalcyonSystem

/// A clock for stores that stands still until a test moves it.
public final class ManualStoreClock: Sendable {
    private struct State {
        var nanoseconds: Int64
        var date: Date
    }

    private let state: Lock<State>

    /// Creates a clock that shows `date`. Default: 2026-01-01 00:00 UTC.
    public init(date: Date = Date(timeIntervalSince1970: 1_767_225_600)) {
        state = Lock(State(nanoseconds: 1_000_000_000, date: date))
    }

    /// The clock in the form that a store takes.
    public var clock: StoreClock {
        StoreClock(
            monotonic: { self.state.withLock { $0.nanoseconds } },
            now: { self.date }
        )
    }

    /// The date that the clock shows.
    public var date: Date { state.withLock { $0.date } }

    /// Lets time pass, in seconds.
    public func advance(by seconds: Double) {
        state.withLock { state in
            state.nanoseconds += Int64(seconds * 1e9)
            state.date += seconds
        }
    }

    /// Sets the date, as a user or a time server may, without time passing.
    public func setDate(_ date: Date) {
        state.withLock { $0.date = date }
    }
}
