internal import HalcyonSystem

/// Sends events to a closure and to any number of streams.
final class EventBroadcaster<Event: Sendable>: Sendable {
    private struct State {
        var subscribers: [Int: AsyncStream<Event>.Continuation] = [:]
        var nextID = 0
    }

    private let state = Lock(State())

    init() {}

    deinit {
        for subscriber in state.withLock({ $0.subscribers.values }) {
            subscriber.finish()
        }
    }

    /// - Parameter onEvent: Called first.
    func send(_ event: Event, _ onEvent: (@Sendable (Event) -> Void)?) {
        onEvent?(event)
        let subscribers = state.withLock { Array($0.subscribers.values) }
        for subscriber in subscribers {
            subscriber.yield(event)
        }
    }

    /// Returns a stream of the events from now on. A reader that falls behind by more than `limit` events loses the
    /// oldest.
    func stream(limit: Int) -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(limit))
        let id = state.withLock { state in
            state.nextID += 1
            state.subscribers[state.nextID] = continuation
            return state.nextID
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.subscribers.removeValue(forKey: id) }
        }
        return stream
    }
}
