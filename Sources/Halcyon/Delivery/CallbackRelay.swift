internal import Dispatch
internal import HalcyonSystem

/// Calls the functions of one load in the place of an executor: one at a time, progress before the end, and the end
/// exactly once. No lock is held meanwhile.
///
/// It holds no more than the latest progress and the end, however slow the place is.
final class CallbackRelay<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, any Error>

    private struct Functions {
        let progress: (@Sendable (ImageProgress) -> Void)?
        let completion: @Sendable (Outcome) -> Void
    }

    private enum Phase {
        case idle
        /// The executor was asked for a turn.
        case scheduled
        /// A function is being called.
        case calling
    }

    private enum Call {
        case progress(@Sendable (ImageProgress) -> Void, ImageProgress)
        case end(Functions, Outcome)
    }

    private struct State {
        var phase = Phase.idle
        /// `nil` from the moment the end is taken to be delivered.
        var functions: Functions?
        var progress: ImageProgress?
        var outcome: Outcome?

        var hasCalls: Bool { progress != nil || outcome != nil }

        /// Notes that a turn is needed.
        ///
        /// - Returns: Whether the executor has to be asked for one.
        mutating func schedule() -> Bool {
            guard phase == .idle, hasCalls else { return false }
            phase = .scheduled
            return true
        }
    }

    private let executor: CallbackExecutor
    private let state: Lock<State>

    init(
        _ executor: CallbackExecutor,
        progress: (@Sendable (ImageProgress) -> Void)?,
        completion: @escaping @Sendable (Outcome) -> Void
    ) {
        self.executor = executor
        state = Lock(State(functions: Functions(progress: progress, completion: completion)))
    }

    /// Reports progress, in place of an earlier one that is not delivered yet.
    func report(_ progress: ImageProgress) {
        let mustAsk = state.withLock { state -> Bool in
            guard state.functions?.progress != nil, state.outcome == nil else { return false }
            state.progress = progress
            return state.schedule()
        }
        if mustAsk { executor.execute(turn) }
    }

    /// Ends the load; does nothing if it has an end.
    func end(with outcome: Outcome) {
        let mustAsk = state.withLock { state -> Bool in
            guard state.functions != nil, state.outcome == nil else { return false }
            state.outcome = outcome
            return state.schedule()
        }
        if mustAsk { executor.execute(turn) }
    }

    /// Makes the calls that there are to make.
    private func turn() {
        let isOwn = state.withLock { state -> Bool in
            guard state.phase == .scheduled else { return false }
            state.phase = .calling
            return true
        }
        guard isOwn else { return }
        let queue = executor.queue
        while true {
            callNext()
            callNext()
            let mustGoOn = state.withLock { state -> Bool in
                guard state.hasCalls else {
                    state.phase = .idle
                    return false
                }
                state.phase = queue == nil ? .calling : .scheduled
                return true
            }
            guard mustGoOn else { return }
            // Other work of a queue gets its turn before the next call, however fast the calls come.
            if let queue { return queue.async(execute: turn) }
        }
    }

    private func callNext() {
        let call = state.withLock { state -> Call? in
            guard let functions = state.functions else { return nil }
            if let progress = state.progress, let function = functions.progress {
                state.progress = nil
                return .progress(function, progress)
            }
            guard let outcome = state.outcome else { return nil }
            (state.functions, state.outcome) = (nil, nil)
            return .end(functions, outcome)
        }
        switch call {
        case .progress(let function, let progress): function(progress)
        case .end(let functions, let outcome): functions.completion(outcome)
        case nil: break
        }
    }
}
