/// The pace at which new workers are started while they end without having done anything.
///
/// The first loss costs nothing; from the second on each new worker waits twice as long as the one before. After
/// ``lossLimit`` in a row none is started for a time, at whose end one is tried.
struct RestartPolicy {
    /// What may be done now.
    enum Admission: Equatable {
        case start
        /// After so many nanoseconds.
        case startAfter(Int64)
        case refuse(workersLost: Int)
    }

    static let lossLimit = 5
    private static let firstPause: Int64 = 10_000_000
    private static let longestPause: Int64 = 5_000_000_000

    private var losses = 0
    private var closedUntil: Int64 = .min

    mutating func recordLoss(now: Int64) {
        losses += 1
        if losses >= Self.lossLimit { closedUntil = now + pause }
    }

    /// Asks to start a worker. While none may be started, the end of each pause admits one.
    mutating func admit(now: Int64) -> Admission {
        if losses < 2 { return .start }
        if losses < Self.lossLimit { return .startAfter(pause) }
        guard now >= closedUntil else { return .refuse(workersLost: losses) }
        closedUntil = now + pause
        return .start
    }

    private var pause: Int64 {
        losses < 2 ? 0 : min(Self.longestPause, Self.firstPause << Int64(min(losses - 2, 20)))
    }
}
