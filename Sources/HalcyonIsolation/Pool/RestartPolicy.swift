/// The pace at which new workers are started while they end without having done anything.
///
/// Workers that end before they are ready are the machine's fault: from the second in a row on each new one waits twice as long
/// as the one before, and only one is tried at a time. Workers that their images end are those images' fault: the others
/// wait a little once many have ended in a row, so that files that end workers do not take the whole machine, and are never
/// refused.
struct RestartPolicy {
    /// What may be done now.
    enum Admission: Equatable {
        case start
        /// After so many nanoseconds.
        case startAfter(Int64)
        /// Nothing: after so many nanoseconds at the latest it is to be asked again.
        case wait(Int64)
    }

    /// The images that may end workers in a row before others wait.
    static let imageLimit = 16
    private static let firstPause: Int64 = 10_000_000
    private static let longestPause: Int64 = 5_000_000_000
    private static let longestPauseForImages: Int64 = 80_000_000

    /// The workers in a row that ended before they were ready.
    private(set) var failedStartCount = 0
    private var lostImageCount = 0
    private var closedUntil: Int64 = .min

    /// Counts a worker that ended before it was ready, or for no reason that its image has given.
    mutating func recordFailedStart(now: Int64) {
        failedStartCount += 1
        closedUntil = now + Self.pause(failedStartCount - 2, atMost: Self.longestPause)
    }

    /// Counts a worker that its image has ended.
    mutating func recordLostImage() {
        lostImageCount += 1
    }

    /// Asks to start a worker. After failed starts the end of each pause admits one.
    mutating func admit(now: Int64) -> Admission {
        if now < closedUntil { return .wait(closedUntil - now) }
        if failedStartCount > 1 {
            closedUntil = now + Self.pause(failedStartCount - 2, atMost: Self.longestPause)
        }
        guard lostImageCount >= Self.imageLimit else { return .start }
        return .startAfter(Self.pause(lostImageCount - Self.imageLimit, atMost: Self.longestPauseForImages))
    }

    /// The first pause, doubled so many times; none before it.
    private static func pause(_ doublings: Int, atMost longest: Int64) -> Int64 {
        doublings < 0 ? 0 : min(longest, firstPause << Int64(min(doublings, 20)))
    }
}
