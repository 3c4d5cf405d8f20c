internal import Dispatch

/// Runs blocking or long work on a bounded number of threads of its own, the most urgent first.
///
/// Disk access, decoding and processing run here and never on Swift's cooperative pool, which has one thread a core
/// and must not be blocked.
package final class WorkQueue: Sendable {
    private struct Item: Sendable {
        let run: @Sendable () -> Void
    }

    private struct State {
        var waiting = PriorityQueue<Item>()
        /// Numbers of the threads without work; the one that worked last is taken first.
        var idleThreads: [Int]
    }

    /// The number of pieces of work that run at the same time.
    package let width: Int
    private let state: Lock<State>
    /// Serial queues, each of which is a thread while it works. One concurrent queue would share the threads of Swift's
    /// pool, of which there is one a core, and work that blocks would keep every task of the program waiting.
    private let threads: [DispatchQueue]

    package init(name: String, width: Int) {
        precondition(width > 0, "a work queue needs at least one thread")
        self.width = width
        state = Lock(State(idleThreads: Array((0..<width).reversed())))
        threads = (0..<width).map { DispatchQueue(label: "\(name).\($0)") }
    }

    /// Pieces of work that wait for a thread.
    package var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs `body` on a thread of this queue and gives back its result.
    ///
    /// If the calling task is cancelled while `body` waits, it never runs; while it runs, its flag is set, and what it
    /// then returns or throws is passed on.
    ///
    /// - Parameters:
    ///   - priority: Of `body`, which may change while it waits.
    ///   - isContinuation: `true` if `body` continues work that holds memory until it is done, so that it runs before
    ///     what begins work of the same priority. Default: `false`.
    /// - Throws: The error of `body`, or `CancellationError`.
    package func run<Result: Sendable>(
        priority: PriorityBox,
        isContinuation: Bool = false,
        _ body: @escaping @Sendable (CancellationFlag) throws -> Result
    ) async throws -> Result {
        let job = Job<Result>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard job.begin(continuation) else { return }
                let id = enqueue(Item { job.run(body) }, priority: priority.value, isContinuation)
                let isOver = job.isQueued(
                    id: id,
                    observer: priority.addObserver { [weak self] in
                        self?.state.withLock { $0.waiting.setPriority(priority.value, of: id) }
                    },
                    of: priority
                )
                let cancelled = state.withLock { state -> Item? in
                    // Cancelled before its place was known.
                    if isOver { return state.waiting.remove(id) }
                    // The priority may have changed between being read and being observed.
                    state.waiting.setPriority(priority.value, of: id)
                    return nil
                }
                withExtendedLifetime(cancelled) {}
            }
        } onCancel: {
            if let id = job.cancel() {
                _ = state.withLock { $0.waiting.remove(id) }
            }
        }
    }

    /// Runs `body` on a thread of this queue, at some time. Nothing waits for it, and nothing cancels it.
    package func schedule(priority: LoadPriority, _ body: @escaping @Sendable () -> Void) {
        _ = enqueue(Item(run: body), priority: priority, false)
    }

    private func enqueue(_ item: Item, priority: LoadPriority, _ isContinuation: Bool) -> PriorityQueue<Item>.ID {
        let (id, thread) = state.withLock { state in
            let id =
                isContinuation
                ? state.waiting.prepend(item, priority: priority)
                : state.waiting.append(item, priority: priority)
            return (id, state.idleThreads.popLast())
        }
        if let thread {
            threads[thread].async { self.drain(on: thread) }
        }
        return id
    }

    /// Runs waiting work until there is none.
    private func drain(on thread: Int) {
        while true {
            let item = state.withLock { state -> Item? in
                if let item = state.waiting.popFirst() { return item }
                state.idleThreads.append(thread)
                return nil
            }
            guard let item else { return }
            item.run()
        }
    }
}

/// One piece of work: its continuation is resumed exactly once, by the thread that takes it out of the state first.
private final class Job<Result: Sendable>: Sendable {
    private enum Phase {
        case created
        case waiting(CheckedContinuation<Result, any Error>)
        case running(CheckedContinuation<Result, any Error>)
        case ended
    }

    private struct State {
        var phase = Phase.created
        var id: UInt64?
        var stopObserving: (@Sendable () -> Void)?
    }

    private let state = Lock(State())
    private let flag = CancellationFlag()

    /// Takes the continuation; `false` if the job was cancelled before, and the continuation has been resumed.
    func begin(_ continuation: CheckedContinuation<Result, any Error>) -> Bool {
        let isCancelled = state.withLock { state -> Bool in
            if case .ended = state.phase { return true }
            state.phase = .waiting(continuation)
            return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
        return !isCancelled
    }

    /// Notes where the job waits, and says whether it does not wait any more: it runs, or is over.
    func isQueued(id: UInt64, observer: PriorityBox.ObserverID, of priority: PriorityBox) -> Bool {
        let stop: @Sendable () -> Void = { priority.removeObserver(observer) }
        let isOver = state.withLock { state -> Bool in
            guard case .waiting = state.phase else { return true }
            state.id = id
            state.stopObserving = stop
            return false
        }
        if isOver { stop() }
        return isOver
    }

    func run(_ body: @Sendable (CancellationFlag) throws -> Result) {
        typealias Start = (stop: (@Sendable () -> Void)?, continuation: CheckedContinuation<Result, any Error>)
        let start = state.withLock { state -> Start? in
            guard case .waiting(let continuation) = state.phase else { return nil }
            state.phase = .running(continuation)
            defer { state.stopObserving = nil }
            return (state.stopObserving, continuation)
        }
        guard let start else { return }
        start.stop?()
        let result = Swift.Result { try flag.asCurrent { try body(flag) } }
        state.withLock { $0.phase = .ended }
        start.continuation.resume(with: result)
    }

    /// Ends the job if it waits and gives back its place in the queue; sets its flag if it runs.
    func cancel() -> UInt64? {
        flag.cancel()
        typealias End = (
            id: UInt64?, stop: (@Sendable () -> Void)?, continuation: CheckedContinuation<Result, any Error>?
        )
        let end = state.withLock { state -> End in
            switch state.phase {
            case .created:
                state.phase = .ended
                return (nil, nil, nil)
            case .waiting(let continuation):
                state.phase = .ended
                defer { state.stopObserving = nil }
                return (state.id, state.stopObserving, continuation)
            case .running, .ended:
                return (nil, nil, nil)
            }
        }
        end.stop?()
        end.continuation?.resume(throwing: CancellationError())
        return end.id
    }
}
