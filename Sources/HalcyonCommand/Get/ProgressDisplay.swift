internal import Halcyon
internal import HalcyonSystem

/// A progress bar on the error output, redrawn a few times a second while a round goes on: the images that are done and
/// that failed, the bytes and their rate, and the time that is left.
final class ProgressDisplay: Sendable {
    private struct State {
        var running: [Int: @Sendable () -> ImageProgress] = [:]
        var lastBar = 0
        /// `nil` while the number of images is not known.
        var total: Int?
        var finishedCount = 0
        /// The finished images that were there already; they say nothing about the time that others take.
        var skippedCount = 0
        var failedCount = 0
        var finishedBytes = 0
        var isDrawn = false
        var isOver = false
    }

    let isShown: Bool
    private let state: Lock<State>
    private let start = ContinuousClock.now
    private let redrawing = Lock<Task<Void, Never>?>(nil)

    /// - Parameter total: The number of images; `nil` if it is not known, or not yet.
    init(total: Int?, isShown: Bool) {
        state = Lock(State(total: total))
        self.isShown = isShown
        guard isShown else { return }
        let task = Task { [weak self] in
            while let self, !self.state.withLock({ $0.isOver }) {
                self.draw()
                try? await Task.sleep(for: .milliseconds(80))
            }
        }
        redrawing.withLock { $0 = task }
    }

    /// Begins to show a load.
    ///
    /// - Parameter progress: Returns its progress so far. It is called with a lock, and takes none but its own.
    /// - Returns: The number for ``end(_:)``.
    func begin(_ progress: @escaping @Sendable () -> ImageProgress) -> Int {
        state.withLock { state in
            state.lastBar += 1
            state.running[state.lastBar] = progress
            return state.lastBar
        }
    }

    func end(_ bar: Int) {
        state.withLock { state in
            let progress = state.running.removeValue(forKey: bar)?()
            state.finishedBytes += progress?.receivedBytes ?? 0
        }
    }

    /// Counts an image that has ended.
    func count(isSkipped: Bool) {
        state.withLock { state in
            state.finishedCount += 1
            if isSkipped { state.skippedCount += 1 }
        }
    }

    func setTotal(_ total: Int) {
        state.withLock { $0.total = total }
    }

    func fail() {
        state.withLock { $0.failedCount += 1 }
    }

    /// Removes the bar, runs `body`, which writes lines, and draws the bar again with the next tick.
    func interrupt(_ body: () -> Void) {
        state.withLock { state in
            erase(&state)
            body()
        }
    }

    /// Removes the bar for good.
    func finish() {
        redrawing.withLock { $0?.cancel() }
        state.withLock { state in
            state.isOver = true
            erase(&state)
        }
    }

    private func erase(_ state: inout State) {
        guard state.isDrawn else { return }
        Terminal.writeError("\r\u{1B}[K")
        state.isDrawn = false
    }

    private func draw() {
        state.withLock { state in
            guard !state.isOver else { return }
            let progress = state.running.values.map { $0() }
            let byteCount = state.finishedBytes + progress.reduce(0) { $0 + $1.receivedBytes }
            let partial = progress.reduce(0.0) { $0 + ($1.fraction ?? 0) }
            let seconds = max((ContinuousClock.now - start).milliseconds / 1000, 0.001)
            let done = Double(state.finishedCount - state.skippedCount) + partial
            let failed = state.failedCount > 0 ? ", \(state.failedCount) failed" : ""
            var text =
                " \(state.finishedCount)\(state.total.map { "/\($0)" } ?? "")\(failed)  \(Format.bytes(byteCount))"
                + "  \(Format.bytes(Int(Double(byteCount) / seconds)))/s"
            var fraction = 0.0
            if let total = state.total {
                let rest = max(0, Double(total - state.skippedCount) - done)
                fraction = 1 - rest / Double(max(total, 1))
                // Before the first image is done, nothing is known.
                if done >= 1, rest > 0 { text += "  \(Format.time(seconds: rest * seconds / done)) left" }
            }
            // A line that wraps could not be erased.
            let width = state.total == nil ? 0 : max(0, min(40, Terminal.width - text.count - 1))
            let filled = min(width, Int(fraction * Double(width)))
            let bar = String(repeating: "━", count: filled) + String(repeating: "╌", count: width - filled)
            Terminal.writeError("\r\u{1B}[K\((bar + text).prefix(max(0, Terminal.width - 1)))")
            state.isDrawn = true
        }
    }
}
