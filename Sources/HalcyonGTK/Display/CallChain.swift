/// The place of a call in a chain of calls, each of which was made by the completion handler of the one before: because that
/// has failed, or for what is shown already.
///
/// The handlers of a long chain are called ever later. A handler that makes the same call again, whose failure is known or
/// comes at once, would keep the main loop busy, and two that supersede each other would call each other without end.
@MainActor
struct CallChain {
    /// The clock of the pauses.
    static var clock: any Clock<Duration> = ContinuousClock()
    /// The chain of the call whose handlers are being called, and whether the call has failed.
    private static var present: (length: Int, hasFailed: Bool)?
    /// The longest chain without a pause: enough for other sources, one after the other.
    private static let freeLength = 2
    private static let longestPause = Duration.seconds(1)

    /// The number of calls before this one.
    private let length: Int

    /// - Parameter isRepeated: Whether the call is for the same as the one before. Default: `false`.
    init(isRepeated: Bool = false) {
        guard let present = Self.present, present.hasFailed || isRepeated else {
            length = 0
            return
        }
        length = present.length + 1
    }

    /// Calls the handlers of a call that has ended.
    func callHandlers(hasFailed: Bool, _ handlers: @escaping @MainActor () -> Void) {
        let pause = pause
        guard pause > .zero else { return call(hasFailed: hasFailed, handlers) }
        let clock = Self.clock
        Task {
            try? await clock.sleep(for: pause)
            call(hasFailed: hasFailed, handlers)
        }
    }

    /// Calls handlers without a pause.
    ///
    /// - Parameter hasFailed: Default: `true`.
    func call(hasFailed: Bool = true, _ handlers: @MainActor () -> Void) {
        let outer = Self.present
        Self.present = (length, hasFailed)
        defer { Self.present = outer }
        handlers()
    }

    /// Twice that of the call before, from 1 ms on.
    private var pause: Duration {
        guard length > Self.freeLength else { return .zero }
        return min(.milliseconds(1 << min(length - Self.freeLength - 1, 10)), Self.longestPause)
    }
}
