internal import HalcyonConcurrency

/// The requests of an ``ImagePrefetcher`` and the tasks that load them: as many tasks as loads may run at the same
/// time, each of which takes the next request when it is done with one.
///
/// All decisions about what is loaded are made under one lock: taking a request, pausing, stopping. So no request is
/// taken twice, and none after a stop.
final class PrefetchWork: Sendable {
    private enum Phase {
        case idle
        case started
        case stopped
        case finished
    }

    private struct State {
        var phase = Phase.idle
        var isPaused = false
        /// The next request to be taken.
        var next = 0
        var workers: [Int: Task<Void, Never>] = [:]
        var nextWorker = 0
        var result = PrefetchResult()
        /// The progress that is not reported yet, in its order.
        var untold: [PrefetchProgress] = []
        var isTelling = false
        var waiters: [CheckedContinuation<PrefetchResult, Never>] = []
    }

    let priority: PriorityBox
    private let requests: [ImageRequest]
    private let maxConcurrentLoads: Int
    private let onProgress: (@Sendable (PrefetchProgress) -> Void)?
    private let onCompletion: (@Sendable (PrefetchResult) -> Void)?
    private let load: @Sendable (ImageRequest) async throws -> Bool
    private let state = Lock(State())

    /// - Parameter load: Returns whether the image had to be loaded.
    init(
        requests: [ImageRequest],
        maxConcurrentLoads: Int,
        priority: PriorityBox,
        onProgress: (@Sendable (PrefetchProgress) -> Void)?,
        onCompletion: (@Sendable (PrefetchResult) -> Void)?,
        load: @escaping @Sendable (ImageRequest) async throws -> Bool
    ) {
        var seen: Set<ImageRequest> = []
        self.requests = requests.filter { seen.insert($0).inserted }
        self.maxConcurrentLoads = max(1, maxConcurrentLoads)
        self.priority = priority
        self.onProgress = onProgress
        self.onCompletion = onCompletion
        self.load = load
    }

    var progress: PrefetchProgress { state.withLock { $0.result.progress(of: requests.count) } }

    var currentResult: PrefetchResult { state.withLock { $0.result } }

    var isPaused: Bool {
        get { state.withLock { $0.isPaused } }
        set {
            state.withLock { state in
                state.isPaused = newValue
                startWorkers(&state)
            }
        }
    }

    func start() {
        state.withLock { state in
            guard state.phase == .idle else { return }
            state.phase = .started
            startWorkers(&state)
        }
        finishIfDone()
    }

    func stop(onlyIfStarted: Bool = false) {
        // Cancelled after the lock is released, as this runs the cancellation handlers of the loads.
        let workers = state.withLock { state -> [Task<Void, Never>] in
            switch state.phase {
            case .idle where onlyIfStarted: return []
            case .idle, .started: state.phase = .stopped
            case .stopped, .finished: return []
            }
            return Array(state.workers.values)
        }
        for worker in workers { worker.cancel() }
        finishIfDone()
    }

    func wait() async -> PrefetchResult {
        await withCheckedContinuation { continuation in
            let result = state.withLock { state -> PrefetchResult? in
                if state.phase == .finished { return state.result }
                state.waiters.append(continuation)
                return nil
            }
            if let result { continuation.resume(returning: result) }
        }
    }

    private func startWorkers(_ state: inout State) {
        guard state.phase == .started, !state.isPaused else { return }
        let wanted = min(maxConcurrentLoads, state.workers.count + requests.count - state.next)
        while state.workers.count < wanted {
            let id = state.nextWorker
            state.nextWorker += 1
            // Owned by `workers` until it ends; made under the lock, so that it cannot end before it is stored there.
            state.workers[id] = Task.detached { await self.work(id) }
        }
    }

    private func work(_ id: Int) async {
        while let request = takeRequest(id) {
            let outcome: Result<Bool, any Error>
            do {
                outcome = .success(try await load(request))
            } catch {
                outcome = .failure(error)
            }
            state.withLock { state in
                switch outcome {
                case .success(true): state.result.completed.append(request)
                case .success(false): state.result.skipped.append(request)
                case .failure(let error):
                    state.result.failed.append(.init(request: request, error: error as? ImageError))
                }
                if onProgress != nil { state.untold.append(state.result.progress(of: requests.count)) }
            }
            tellProgress()
        }
        finishIfDone()
    }

    /// Reports progress. One worker reports at a time, so that progress never seems to go back; the others leave theirs
    /// to it. A worker takes its next request, or ends, only after that: so all progress is reported before the end.
    private func tellProgress() {
        guard let onProgress else { return }
        var isTeller = false
        while true {
            let next = state.withLock { state -> [PrefetchProgress] in
                guard isTeller || !state.isTelling else { return [] }
                isTeller = true
                state.isTelling = !state.untold.isEmpty
                defer { state.untold = [] }
                return state.untold
            }
            guard !next.isEmpty else { return }
            for progress in next { onProgress(progress) }
        }
    }

    /// Returns the next request; `nil` ends the worker.
    private func takeRequest(_ id: Int) -> ImageRequest? {
        state.withLock { state in
            guard state.phase == .started, !state.isPaused, state.next < requests.count else {
                state.workers[id] = nil
                return nil
            }
            defer { state.next += 1 }
            return requests[state.next]
        }
    }

    /// Ends the prefetcher once no worker is left and no request; the first caller does it.
    private func finishIfDone() {
        typealias End = (result: PrefetchResult, waiters: [CheckedContinuation<PrefetchResult, Never>])
        let end = state.withLock { state -> End? in
            let isStopped = state.phase == .stopped
            guard isStopped || state.phase == .started, state.workers.isEmpty,
                isStopped || state.next == requests.count
            else { return nil }
            state.result.failed += requests[state.next...].map { .init(request: $0, error: nil) }
            state.next = requests.count
            state.phase = .finished
            defer { state.waiters = [] }
            return (state.result, state.waiters)
        }
        guard let end else { return }
        onCompletion?(end.result)
        for waiter in end.waiters { waiter.resume(returning: end.result) }
    }
}
