internal import HalcyonSystem

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
