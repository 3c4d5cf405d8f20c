/// The time that drives players.
public struct AnimationClock: Sendable {
    /// The time since some moment.
    let now: @Sendable () -> Duration
    /// Waits until a time; `nil` if the program drives players itself.
    let sleep: (@Sendable (Duration) async throws -> Void)?

    /// A clock. Players wait on it until their next frame is due.
    public init(_ clock: some Clock<Duration>) {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }

    /// The system's clock, which stands still while the machine sleeps.
    public static let system = AnimationClock(SuspendingClock())

    /// A time that the program follows itself, as that of the frames of a display: it calls
    /// ``AnimationPlayer/update()`` before each.
    ///
    /// - Parameter now: Returns the time since some moment. Where it goes back, players stand still for that step.
    public static func driven(now: @escaping @Sendable () -> Duration) -> AnimationClock {
        AnimationClock(now: now)
    }

    private init(now: @escaping @Sendable () -> Duration) {
        self.now = now
        sleep = nil
    }
}
