internal import HalcyonSystem

/// The requests of an ``ImagePrefetcher`` and the tasks that load them: at most as many tasks as loads may run at the
/// same time, each of which takes the next request when it is done with one.
///
/// All decisions about what is loaded are made under one lock: taking a request, pausing, stopping. So no request is
/// taken twice, and none after a stop. Requests of a sequence are taken by one worker at a time; once it has one, the
/// next worker takes the following.
///
/// There is no task before the start, none while it is paused, and no more of the sequence than one request for each
/// task.
final class PrefetchWork: Sendable {
    let priority: PriorityBox
    private let onProgress: (@Sendable (PrefetchProgress) -> Void)?
    private let onCompletion: (@Sendable (PrefetchResult) -> Void)?
    private let stages: PipelineStages
    private let destination: ImagePrefetcher.Destination
    private let state: Lock<State>

    init(
        _ rest: Rest,
        of pipeline: ImagePipeline,
        to destination: ImagePrefetcher.Destination,
        maxConcurrentLoads: Int,
        priority: LoadPriority,
        collectsResults: Bool,
        onProgress: (@Sendable (PrefetchProgress) -> Void)?,
        onCompletion: (@Sendable (PrefetchResult) -> Void)?
    ) {
        self.priority = PriorityBox(priority)
        self.onProgress = onProgress
        self.onCompletion = onCompletion
        stages = pipeline.stages
        self.destination = destination
        var state = State(
            width: max(1, maxConcurrentLoads),
            rest: rest,
            collectsResults: collectsResults,
            reportsProgress: onProgress != nil
        )
        if case .list(let items, _) = rest { state.result.counts.totalCount = items.count }
        self.state = Lock(state)
    }

    var progress: PrefetchProgress { state.withLock { $0.result.counts } }

    var currentResult: PrefetchResult { state.withLock { $0.result } }

    /// The number of tasks.
    var taskCount: Int { state.withLock { $0.workers.count } }

    var isPaused: Bool {
        get { state.withLock { $0.isPaused } }
        set {
            state.withLock { state in
                state.isPaused = newValue
                startWorkers(&state)
            }
        }
    }

    var maxConcurrentLoads: Int {
        get { state.withLock { $0.width } }
        set {
            state.withLock { state in
                state.width = max(1, newValue)
                startWorkers(&state)
            }
        }
    }

    func start() {
        let steps = Interception.current
        state.withLock { state in
            guard state.phase == .idle else { return }
            state.phase = .started
            state.steps = steps
            startWorkers(&state)
        }
        finishIfDone()
    }

    func stop(onlyIfStarted: Bool = false) {
        // Cancelled after the lock is released, as this runs the cancellation handlers of the loads.
        let workers = state.withLock { state -> [Task<Void, Never>] in
            switch state.phase {
            // A reader of events waits for the end.
            case .idle where onlyIfStarted && state.subscribers.isEmpty: return []
            case .idle, .started: state.phase = .stopped
            case .stopped, .finished: return []
            }
            defer {
                // It may wait for a sequence that takes no notice of cancellation.
                if let puller = state.puller { state.workers[puller] = nil }
            }
            return Array(state.workers.values)
        }
        for worker in workers { worker.cancel() }
        finishIfDone()
    }

    func wait() async -> PrefetchResult {
        await withCheckedContinuation { continuation in
            let result = state.withLock { state -> PrefetchResult? in
                if state.phase == .finished, state.isEndDelivered { return state.result }
                state.waiters.append(continuation)
                return nil
            }
            if let result { continuation.resume(returning: result) }
        }
    }

    /// Returns a stream of the events from now on, which ends after that of the end.
    func events(limit: Int) -> AsyncStream<PrefetchEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: PrefetchEvent.self,
            bufferingPolicy: .bufferingNewest(limit)
        )
        typealias Joined = (id: Int?, result: PrefetchResult?)
        let joined = state.withLock { state -> Joined in
            if state.phase == .finished { return (nil, state.result) }
            state.lastSubscriber += 1
            state.subscribers[state.lastSubscriber] = continuation
            return (state.lastSubscriber, nil)
        }
        if let result = joined.result {
            continuation.yield(.finished(result))
            continuation.finish()
        } else if let id = joined.id {
            continuation.onTermination = { [weak self] _ in
                _ = self?.state.withLock { $0.subscribers.removeValue(forKey: id) }
            }
        }
        return stream
    }

    private func startWorkers(_ state: inout State) {
        while state.workers.count < state.width {
            let id = state.lastWorker + 1
            guard let turn = state.claimTurn(for: id) else { return }
            state.lastWorker = id
            // Owned by `workers` until it ends; made under the lock, so that it cannot end before it is stored there.
            state.workers[id] = Task.detached { await self.work(id, beginningWith: turn) }
        }
    }

    private func work(_ id: Int, beginningWith first: Turn) async {
        let steps = state.withLock { $0.steps }
        var turn = first
        var pullCount = 0
        while true {
            switch turn {
            case .load(let item):
                let outcome: Result<Bool, any Error>
                do {
                    outcome = .success(try await Interception.within(steps) { try await load(item) })
                } catch {
                    outcome = .failure(error)
                }
                let mustDeliver = state.withLock { $0.noteEnd(of: item, outcome) }
                if mustDeliver { deliver() }
                turn = state.withLock { $0.nextTurn(of: id) }
            case .pull(let sequence):
                turn = await pull(from: sequence, id)
                // A sequence that never suspends leaves the thread to others now and then.
                pullCount += 1
                if pullCount % 64 == 0 { await Task.yield() }
            case .end:
                return finishIfDone()
            }
        }
    }

    /// Takes a request from the sequence, and lets the next worker take another.
    private func pull(from sequence: PrefetchSequence, _ id: Int) async -> Turn {
        guard state.withLock({ $0.mayPull(id) }) else { return .end }
        let next: Result<PrefetchSequence.Next, any Error>
        do {
            next = .success(try await sequence.next())
        } catch {
            next = .failure(error)
        }
        return state.withLock { state in
            state.notePulled(next, by: id)
            let turn = state.nextTurn(of: id)
            startWorkers(&state)
            return turn
        }
    }

    /// Calls the listeners. A worker takes its next request only after that, or after another thread that does it has
    /// begun.
    private func deliver() {
        var isDeliverer = false
        while true {
            let next = state.withLock { $0.deliveries.next(&isDeliverer) }
            guard !next.isEmpty else { break }
            for delivery in next {
                if case .finished(let result) = delivery.event {
                    onCompletion?(result)
                } else {
                    onProgress?(delivery.progress)
                }
                for subscriber in delivery.subscribers { subscriber.yield(delivery.event) }
                if case .finished(let result) = delivery.event { end(delivery, with: result) }
            }
        }
        state.withLock { state in
            guard state.hasWaitedForDeliveries else { return }
            state.hasWaitedForDeliveries = false
            startWorkers(&state)
        }
    }

    private func end(_ delivery: Delivery, with result: PrefetchResult) {
        for subscriber in delivery.subscribers { subscriber.finish() }
        let lateWaiters = state.withLock { state in
            state.isEndDelivered = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in delivery.waiters + lateWaiters { waiter.resume(returning: result) }
    }

    /// Ends the prefetcher once no worker is left and no request; the first caller does it.
    private func finishIfDone() {
        let left = state.withLock { state in state.isDone ? state.finish() : nil }
        guard let left else { return }
        withExtendedLifetime(left) {}
        deliver()
    }

    /// Brings an image into the cache; returns whether it had to be loaded.
    private func load(_ item: PrefetchItem) async throws -> Bool {
        var call = stages.interception.prepared(item.completed)
        // An image in memory needs no identities, which take longer to derive than all the rest.
        var isInMemory = destination == .memory && stages.memory.contains(call.request)
        if !isInMemory {
            call = destination == .memory ? stages.resolver.named(call) : stages.resolver.begin(call)
            isInMemory = destination == .memory && call.resolved.map { stages.memory.cached(for: $0) != nil } ?? false
        }
        if isInMemory {
            try Task.checkCancellation()
            stages.activities.noteHit(of: call.request.source, call.request.options)
            return false
        }
        let load = Load(CacheEntryForm(stages, in: destination))
        let context = WorkContext(priority: priority, report: { _ in })
        let source = try await load.observed(call, begun: stages.activities.begin(call.request), context: context)
        return source != .memory && source != .disk
    }
}
