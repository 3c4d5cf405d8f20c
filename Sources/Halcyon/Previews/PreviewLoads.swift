internal import HalcyonSystem

/// The loads of the previews of one image, of which those of no more use are cancelled.
final class PreviewLoads: Sendable {
    private struct State {
        var tasks: [Int: Task<Void, Never>] = [:]
        /// The quality of the best preview that was loaded.
        var best: Int
        var isOver = false
    }

    private let state: Lock<State>

    init(best: Int) {
        state = Lock(State(best: best))
    }

    /// Starts the load of the preview with a quality, unless there is a better one.
    func start(_ quality: Int, _ load: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            guard !state.isOver, quality > state.best else { return }
            // Owned by `tasks` until it ends; made under the lock, so that it cannot end before it is stored there.
            // Detached, so that it inherits neither the priority nor the task-local values of the load of the image.
            state.tasks[quality] = Task.detached {
                await load()
                self.state.withLock { $0.tasks[quality] = nil }
            }
        }
    }

    /// Notes that a preview is loaded, and cancels the loads of worse ones.
    func succeeded(_ quality: Int) {
        let tasks = state.withLock { state -> [Task<Void, Never>] in
            state.best = max(state.best, quality)
            return state.tasks.filter { $0.key < quality }.map(\.value)
        }
        for task in tasks { task.cancel() }
    }

    /// Cancels all loads; none begins any more.
    func cancelAll() {
        let tasks = state.withLock { state in
            state.isOver = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }
}
