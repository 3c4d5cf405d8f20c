internal import HalcyonSystem
internal import Synchronization

/// The activities of all loads of a pipeline: counted, and given to observers where there are any.
final class LoadActivities: Sendable {
    private let observers: [any LoadObserving]
    /// The number of loads under way that have observers of their own.
    private let observedCount = Atomic<Int>(0)
    private let counts = Lock(PipelineStatistics())

    init(observers: [any LoadObserving]) {
        self.observers = observers
    }

    /// A Boolean value that indicates whether the events of every load are observed.
    var observesAll: Bool { !observers.isEmpty }

    /// A Boolean value that indicates whether events have to be passed on to the loads that wait for work.
    var isObserved: Bool { observesAll || observedCount.load(ordering: .relaxed) > 0 }

    /// The counts so far, without ``PipelineStatistics/memoryHits``.
    var statistics: PipelineStatistics { counts.withLock { $0 } }

    func reset() {
        counts.withLock { $0 = PipelineStatistics() }
    }

    /// Counts an event. Called once for each, whichever loads wait for the work.
    func count(_ activity: LoadActivity) {
        // The lock is one for all loads.
        if PipelineStatistics.counts(activity) { counts.withLock { $0.count(activity) } }
    }

    /// Tells observers of an image that memory had.
    func noteHit(of source: @autoclosure () -> Source, _ options: ImageOptions) {
        guard let load = observedLoad(of: source(), options) else { return }
        load.add(.began)
        load.add(.lookedUpMemory(isFound: true))
        load.add(.ended(.succeeded(.memory), duration: .zero))
    }

    /// A load that has begun.
    struct Begun: Sendable {
        let request: ImageRequest
        fileprivate let load: ObservedLoad?
        fileprivate let start = ContinuousClock.now
    }

    /// Begins a load of an image that memory does not have. ``run(_:context:place:_:)`` must follow.
    ///
    /// Observers are called on the thread of the caller, whose task-local values they find.
    func begin(_ request: ImageRequest) -> Begun {
        let begun = Begun(request: request, load: observedLoad(of: request.source, request.options))
        note(.began, of: begun.load)
        note(.lookedUpMemory(isFound: false), of: begun.load)
        return begun
    }

    /// Runs a load.
    func run<Result>(
        _ begun: Begun,
        context: WorkContext,
        place: (Result) -> ImageResponse.Source,
        _ body: (WorkContext) async throws -> Result
    ) async throws -> Result {
        let (request, load) = (begun.request, begun.load)
        let hasOwnObservers = !request.options.delivery.observerHooks.isEmpty
        if hasOwnObservers { observedCount.add(1, ordering: .relaxed) }
        defer { if hasOwnObservers { observedCount.subtract(1, ordering: .relaxed) } }
        do {
            let result = try await body(context.observed(by: load, of: self))
            noteEnd(of: begun, from: place(result))
            return result
        } catch {
            noteEnd(of: begun, with: error, isCancelled: Task.isCancelled)
            throw error
        }
    }

    // Not inlined: a load keeps the frame of the call that runs it.

    @inline(never)
    private func noteEnd(of begun: Begun, from place: ImageResponse.Source) {
        note(.ended(.succeeded(place), duration: ContinuousClock.now - begun.start), of: begun.load)
    }

    @inline(never)
    private func noteEnd(of begun: Begun, with error: any Error, isCancelled: Bool) {
        // A load that was cancelled may end with the error of a part of it.
        let failure = isCancelled ? nil : error as? ImageError
        let outcome = failure.map { LoadActivity.Outcome.failed($0) } ?? .cancelled
        note(.ended(outcome, duration: ContinuousClock.now - begun.start), of: begun.load)
    }

    private func note(_ activity: LoadActivity, of load: ObservedLoad?) {
        count(activity)
        load?.add(activity)
    }

    private func observedLoad(of source: @autoclosure () -> Source, _ options: ImageOptions) -> ObservedLoad? {
        let own = options.delivery.observerHooks
        guard !own.isEmpty || observesAll else { return nil }
        return ObservedLoad(of: source(), options, observers: observers + own.map(\.body))
    }
}

/// One load with its observers, which gives them its events in their order.
final class ObservedLoad: Sendable {
    private struct State {
        var deliveries = DeliveryQueue<(activity: LoadActivity, isShared: Bool)>()
        var hasEnded = false
    }

    private let number = WorkNumber.next()
    private let source: Source
    private let options: ImageOptions
    private let observers: [any LoadObserving]
    private let state = Lock(State())

    init(of source: Source, _ options: ImageOptions, observers: [any LoadObserving]) {
        self.source = source
        self.options = options
        self.observers = observers
    }

    /// Adds an event, and calls the observers, unless another thread does. What comes after the end is dropped, such as
    /// an event of shared work that goes on for others.
    func add(_ activity: LoadActivity, isShared: Bool = false) {
        state.withLock { state in
            guard !state.hasEnded else { return }
            if case .ended = activity { state.hasEnded = true }
            state.deliveries.append((activity, isShared))
        }
        var isDeliverer = false
        while true {
            let next = state.withLock { $0.deliveries.next(&isDeliverer) }
            if next.isEmpty { return }
            for (activity, isShared) in next {
                let observation = LoadObservation(
                    load: number,
                    source: source,
                    options: options,
                    activity: activity,
                    isShared: isShared
                )
                for observer in observers { observer.observe(observation) }
            }
        }
    }
}
