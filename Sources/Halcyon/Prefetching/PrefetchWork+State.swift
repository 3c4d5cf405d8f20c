internal import HalcyonSystem

extension PrefetchWork {
    enum Phase {
        case idle
        case started
        case stopped
        case finished
    }

    /// The requests that are not taken yet.
    enum Rest {
        /// Distinct requests, and the index of the next.
        case list([PrefetchItem], next: Int)
        case sequence(PrefetchSequence)
        case none
    }

    /// The next work of a worker.
    enum Turn: Sendable {
        /// Load an image.
        case load(PrefetchItem)
        /// Take a request from the sequence, as the only worker that does.
        case pull(PrefetchSequence)
        case end
    }

    /// An event with what its listeners need.
    struct Delivery {
        let event: PrefetchEvent
        let progress: PrefetchProgress
        let subscribers: [AsyncStream<PrefetchEvent>.Continuation]
        /// The callers that wait for the end.
        var waiters: [CheckedContinuation<PrefetchResult, Never>] = []
    }

    struct State {
        var phase = Phase.idle
        var isPaused = false
        /// The steps of interceptors in which the work was started, so that its loads do not come to these again.
        var steps: [Interception.Step] = []
        /// The number of loads at the same time.
        var width: Int
        var rest: Rest
        /// The request that was taken from the sequence when no load could be started.
        var pulled: PrefetchItem?
        /// The worker that takes a request from the sequence.
        var puller: Int?
        var workers: [Int: Task<Void, Never>] = [:]
        var lastWorker = 0
        var result = PrefetchResult()
        let collectsResults: Bool
        let reportsProgress: Bool
        var deliveries = DeliveryQueue<Delivery>()
        /// A Boolean value that indicates whether workers ended because deliveries were behind.
        var hasWaitedForDeliveries = false
        var subscribers: [Int: AsyncStream<PrefetchEvent>.Continuation] = [:]
        var lastSubscriber = 0
        var waiters: [CheckedContinuation<PrefetchResult, Never>] = []
        /// A Boolean value that indicates whether the end has been delivered.
        var isEndDelivered = false
    }
}

extension PrefetchWork.State {
    /// The number of events that may wait to be delivered. Beyond it no load is started, so that a slow listener does
    /// not make them pile up.
    private static var largestBacklog: Int { 64 }

    /// A Boolean value that indicates whether no request is left.
    private var isExhausted: Bool {
        switch rest {
        case .list(let items, let next): next == items.count
        case .sequence: false
        case .none: pulled == nil
        }
    }

    /// A Boolean value that indicates whether nothing is left to be done, so that the prefetcher ends.
    var isDone: Bool {
        switch phase {
        case .idle, .finished: false
        case .started: workers.isEmpty && isExhausted
        // A sequence that does not end although it was cancelled is not waited for.
        case .stopped: workers.isEmpty
        }
    }

    /// Returns the next work for a worker that runs already, or ends it.
    mutating func nextTurn(of worker: Int) -> PrefetchWork.Turn {
        if workers.count <= width, let turn = claimTurn(for: worker) { return turn }
        workers[worker] = nil
        return .end
    }

    /// Returns the next work that may be begun; `nil` if there is none.
    mutating func claimTurn(for worker: Int) -> PrefetchWork.Turn? {
        guard phase == .started, !isPaused else { return nil }
        guard deliveries.count < Self.largestBacklog else {
            hasWaitedForDeliveries = true
            return nil
        }
        if let item = pulled {
            pulled = nil
            return .load(item)
        }
        switch rest {
        case .list(let items, let next) where next < items.count:
            rest = .list(items, next: next + 1)
            return .load(items[next])
        case .sequence(let sequence) where puller == nil:
            puller = worker
            return .pull(sequence)
        case .list, .sequence, .none:
            return nil
        }
    }

    /// Returns whether a worker may still take a request from the sequence; if not, it ends.
    mutating func mayPull(_ worker: Int) -> Bool {
        if puller == worker, phase == .started, !isPaused { return true }
        if puller == worker { puller = nil }
        workers[worker] = nil
        return false
    }

    /// Notes what the worker that pulled has taken from the sequence.
    mutating func notePulled(_ next: Result<PrefetchSequence.Next, any Error>, by worker: Int) {
        guard puller == worker else { return }
        puller = nil
        guard phase == .started else { return }
        switch next {
        case .success(.item(let item)):
            pulled = item
            result.counts.totalCount += 1
        case .success(.duplicate):
            break
        case .success(.end):
            rest = .none
        case .failure(let error):
            rest = .none
            result.sequenceFailure = "\(error)"
        }
    }

    /// Notes the end of a load.
    ///
    /// - Returns: Whether there is something to deliver.
    mutating func noteEnd(of item: PrefetchItem, _ outcome: Result<Bool, any Error>) -> Bool {
        let event: PrefetchEvent
        switch outcome {
        case .success(true):
            result.counts.completedCount += 1
            if collectsResults { result.completed.append(item.request) }
            event = .completed(item.request)
        case .success(false):
            result.counts.skippedCount += 1
            if collectsResults { result.skipped.append(item.request) }
            event = .skipped(item.request)
        case .failure(let error):
            let failure = PrefetchResult.Failure(request: item.request, error: error as? ImageError)
            result.counts.failedCount += 1
            if collectsResults { result.failed.append(failure) }
            event = .failed(failure)
        }
        guard reportsProgress || !subscribers.isEmpty else { return false }
        deliveries.append(
            PrefetchWork.Delivery(event: event, progress: result.counts, subscribers: Array(subscribers.values))
        )
        return true
    }

    /// Ends the prefetcher: the requests that are left have failed.
    ///
    /// - Returns: The requests that are left, to be released without the lock.
    mutating func finish() -> (rest: PrefetchWork.Rest, pulled: PrefetchItem?) {
        phase = .finished
        var left: [PrefetchItem] = []
        if let pulled { left.append(pulled) }
        if case .list(let items, let next) = rest { left += items[next...] }
        result.counts.failedCount += left.count
        if collectsResults { result.failed += left.map { .init(request: $0.request, error: nil) } }
        deliveries.append(
            PrefetchWork.Delivery(
                event: .finished(result),
                progress: result.counts,
                subscribers: Array(subscribers.values),
                waiters: waiters
            )
        )
        (subscribers, waiters) = ([:], [])
        defer { (rest, pulled) = (.none, nil) }
        return (rest, pulled)
    }
}
