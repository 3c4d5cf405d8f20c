public import HalcyonHTTP
internal import HalcyonSystem

/// A network whose state a test sets.
public final class ManualNetwork: NetworkMonitoring {
    private struct State {
        var status: NetworkStatus
        var listeners: [Int: AsyncStream<NetworkStatus>.Continuation] = [:]
        var nextListener = 0
    }

    private let state: Lock<State>

    /// Creates a network in a state; default: connected, not metered.
    public init(isConnected: Bool = true, isMetered: Bool = false) {
        state = Lock(State(status: NetworkStatus(isConnected: isConnected, isMetered: isMetered)))
    }

    /// The present state. Setting it sends it to the listeners, if it differs.
    public var status: NetworkStatus {
        get { state.withLock { $0.status } }
        set {
            let listeners = state.withLock { state -> [AsyncStream<NetworkStatus>.Continuation] in
                guard state.status != newValue else { return [] }
                state.status = newValue
                return Array(state.listeners.values)
            }
            for listener in listeners { listener.yield(newValue) }
        }
    }

    /// The number of listeners.
    public var listenerCount: Int { state.withLock { $0.listeners.count } }

    /// The present state, then each change.
    public var statusUpdates: AsyncStream<NetworkStatus> {
        let (stream, continuation) = AsyncStream.makeStream(of: NetworkStatus.self)
        let id = state.withLock { state -> Int in
            state.nextListener += 1
            state.listeners[state.nextListener] = continuation
            continuation.yield(state.status)
            return state.nextListener
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
        }
        return stream
    }
}
