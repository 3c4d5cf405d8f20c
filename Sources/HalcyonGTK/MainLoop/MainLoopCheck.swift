internal import CGTK
internal import Dispatch

/// Finds out once whether the main actor runs while GLib's main loop does, and how late, and warns if it does not run at
/// once: nothing would ever be shown, or each image late, without an error.
@MainActor
enum MainLoopCheck {
    /// A measurement under way: the moment at which the loop has turned.
    private final class Sample {
        var turn: ContinuousClock.Instant?
    }

    private static var hasBegun = false
    private static var hasRun = false
    /// The times that blocks of the main actor came later than turns of the loop.
    private static var delays: [Duration] = []

    /// Begins the check, unless it has begun before.
    static func begin() {
        guard !hasBegun else { return }
        hasBegun = true
        DispatchQueue.main.async { MainActor.assumeIsolated { hasRun = true } }
        // At moments that do not keep step with a loop that polls.
        for milliseconds: guint in [203, 317, 446, 551, 672, 789, 914] {
            onTimeout(milliseconds) { measure() }
        }
        // The block above was there long before, so that one turn of a loop that runs the main actor suffices. The second
        // is that of a program's start.
        onTimeout(1_000) { if let advice = advice(hasRun: hasRun, delays: delays) { warn(advice) } }
    }

    /// Returns what a program is told.
    ///
    /// - Parameters:
    ///   - hasRun: Whether the main actor runs at all.
    ///   - delays: The times that it ran later than the loop.
    nonisolated static func advice(hasRun: Bool, delays: [Duration]) -> String? {
        guard hasRun else {
            return "the main actor does not run in this main loop; call MainLoopBridge.install() before it"
        }
        let delays = delays.sorted()
        // The one in the middle: a single one may be a turn that took long.
        guard !delays.isEmpty, delays[delays.count / 2] > .milliseconds(10) else { return nil }
        let milliseconds = delays[delays.count / 2].components.attoseconds / 1_000_000_000_000_000
        return "the main actor runs \(milliseconds) ms late in this main loop; MainLoopBridge.install() runs it at once"
    }

    private static func measure() {
        let sample = Sample()
        onNextTurn { sample.turn = .now }
        DispatchQueue.main.async {
            MainActor.assumeIsolated {
                // Where the loop is busy, both are late.
                let turn = sample.turn ?? .now
                delays.append(max(.zero, .now - turn))
            }
        }
    }
}

/// Writes a warning to GLib's log, in the domain `Halcyon`.
func warn(_ message: String) {
    cgtk_warn(message)
}
